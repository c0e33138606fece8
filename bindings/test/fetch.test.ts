import t from 'tap';
import { completeSettings } from '../../test/oracle/settings.js';
import { pageInOrder } from '../engine/internal-order.js';
import { checkNetwork, DOCUMENT_MEMBERS, FETCH_MEMBERS, prepareFetch } from '../query/fetch-request.js';
import { readRequest } from '../query/validate.js';
import { code, DOCUMENTS, fetchAll, get, ids, indexOf, one, post, SETTINGS, type Stored, without } from './fetch-case.js';
import { seededRandom } from './random.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

t.test('pages in internal order, whatever is displayed', async (t) => {
  t.same(post({}), {
    results: DOCUMENTS.map((document) => without(document, '_vectors')),
    offset: 0,
    limit: 20,
    total: 6,
  });
  t.same(get('limit=2&offset=3&fields=id'), { results: [{ id: 4 }, { id: 'k-5' }], offset: 3, limit: 2, total: 6 });
  t.same(get('limit=0'), { results: [], offset: 0, limit: 0, total: 6 });
  t.same(get('offset=500&limit=3'), { results: [], offset: 500, limit: 3, total: 6 });
  t.same(fetchAll(readRequest(FETCH_MEMBERS, {}), indexOf(SETTINGS)), { results: [], offset: 0, limit: 20, total: 0 });
});

t.test('documents are selected by ids', async (t) => {
  t.same(post({ ids: [99, 4, 1, '1', 'zz'], fields: ['id'] }), {
    results: [{ id: 1 }, { id: 4 }],
    offset: 0,
    limit: 20,
    total: 2,
  });
  t.same(ids(get('ids=012,k-5,12,2')), [2, 'k-5', '012']);
  t.same(post({ ids: [] }).total, 0);
  t.same(get('ids=').total, 0);
  t.same(ids(post({ ids: [1, 2, 3], filter: 'size < 200' })), [1, 2]);
  t.same(ids(post({ ids: [1, 2, 3, 4], limit: 2, offset: 1 })), [2, 3]);
  const bad = [1.5, true, null, ['1'], {}, '', 'a b', 'a.b', '*', 'é', 'k'.repeat(512)];
  for (const id of bad)
    t.equal(
      code(() => post({ ids: [1, id] })),
      'invalid_document_ids',
      JSON.stringify(id),
    );
  for (const text of ['1.0', '1e2', '18446744073709551616', '-9223372036854775809', '-0']) {
    const body = encoder.encode(`{"ids":[${text}]}`);
    t.equal(
      code(() => prepareFetch(readRequest(FETCH_MEMBERS, { body }))),
      'invalid_document_ids',
      text,
    );
  }
  for (const text of ['-3', '18446744073709551615', '9007199254740993']) {
    t.same(prepareFetch(readRequest(FETCH_MEMBERS, { body: encoder.encode(`{"ids":[${text}]}`) })).ids, [text]);
  }
  t.equal(
    code(() => post({ ids: 1 })),
    'invalid_document_ids',
  );
  t.equal(
    code(() => get('ids=1.5')),
    'invalid_document_ids',
  );
});

t.test('documents are selected by filters', async (t) => {
  t.same(ids(post({ filter: 'kind = quay OR kind = pier' })), [1, 2]);
  t.same(ids(post({ filter: ['size > 50', ['kind = quay', 'kind = dock']] })), [1, 3]);
  for (const none of ['', '  ', [], [[]], null]) t.equal(post({ filter: none }).total, 6, JSON.stringify(none));
  t.same(ids(get(`filter=${encodeURIComponent('["kind = quay"]')}`)), [1]);
  t.same(ids(get(`filter=${encodeURIComponent('"kind = quay"')}`)), [1]);
  t.same(ids(get(`filter=${encodeURIComponent('kind = quay')}`)), [1]);
  t.equal(get('filter=').total, 6);
  for (const filter of [5, true, {}, ['a', 5], [[['a = 1']]], 'kind', 'kind = ', 'name = x', 'nope = 1']) {
    t.equal(
      code(() => post({ filter })),
      'invalid_document_filter',
      JSON.stringify(filter),
    );
  }
  for (const text of ['5', 'true', '{"a":1}', 'null']) {
    t.equal(
      code(() => get(`filter=${encodeURIComponent(text)}`)),
      'invalid_document_filter',
      text,
    );
  }
  t.equal(
    code(() => post({ filter: '_vectors EXISTS' })),
    'feature_not_enabled',
  );
});

t.test('documents are sorted', async (t) => {
  t.same(ids(post({ sort: ['size:asc'] })), ['k-5', 2, 1, 3, 4, '012']);
  t.same(ids(post({ sort: ['size:desc'] })), ['k-5', 3, 1, 2, 4, '012']);
  t.same(ids(post({ sort: ['size:desc'], offset: 1, limit: 2 })), [3, 1]);
  t.same(ids(get('sort=_geoPoint(10,10):desc,name:desc')), [2, 1, 'k-5', 4, 3, '012']);
  t.same(ids(get('sort=never:asc, name:desc')), ['k-5', 4, 3, 2, 1, '012']);
  t.same(ids(post({ sort: [], limit: 1 })), [1]);
  for (const item of [
    'size',
    'size:up',
    'size:',
    '',
    'kind:asc',
    'owner.name:asc',
    '_geoPoint(a,b):asc',
    '_geoPoint(100,1):asc',
    '_geo:asc',
  ]) {
    t.equal(
      code(() => post({ sort: [item] })),
      'invalid_document_sort',
      item,
    );
  }
  for (const query of ['sort=', 'sort=size:asc,', 'sort=size:asc:desc'])
    t.equal(
      code(() => get(query)),
      'invalid_document_sort',
      query,
    );
});

t.test('documents are projected to fields', async (t) => {
  const cases: [fields: string[], id: string, expected: object][] = [
    [['id', 'owner.name'], '1', { id: 1, owner: { name: 'Iris' } }],
    [['owner.name'], '4', { owner: null }],
    [['owner.nope'], '1', {}],
    [['parts.qty'], '3', { parts: [{ qty: 2 }, { qty: 5 }, 7] }],
    [['parts.sub.z'], '3', { parts: [{}, { sub: { z: 1 } }, 7] }],
    [['a.b'], 'k-5', { 'a.b': 'flat' }],
    [['a.b'], '012', { a: { b: 1 } }],
    [['a'], 'k-5', {}],
    [['a', 'a.b'], '012', { a: { b: 1, c: 2 } }],
    [[], '1', {}],
    [['_vectors'], '012', {}],
  ];
  for (const [fields, id, expected] of cases) {
    t.same(post({ fields, ids: [id] }).results, [expected], `${fields}`);
    t.same(JSON.parse(one(id, `fields=${fields}`)), expected, `${fields}`);
  }
  t.same(get('fields=id,*&limit=1').results, post({ fields: ['*'], limit: 1 }).results);
  t.same(get('fields=id&retrieveVectors=true&ids=1,012').results, [
    { id: 1, _vectors: {} },
    { id: '012', _vectors: { m: [1, 0] } },
  ]);
});

t.test('a single document is read', async (t) => {
  t.equal(one('2'), JSON.stringify(DOCUMENTS[1]));
  t.same(JSON.parse(one('012', 'retrieveVectors=true')), DOCUMENTS[5]);
  for (const id of ['99', '12', 'a b', '*', '', 'é', 'k'.repeat(600)])
    t.equal(
      code(() => one(id)),
      'document_not_found',
      id.slice(0, 9),
    );
  t.equal(
    code(() => one('1', 'useNetwork=maybe')),
    'invalid_document_use_network',
  );
  t.equal(
    code(() => one('1', 'limit=1')),
    'bad_request',
  );
  t.equal(
    code(() => checkNetwork(readRequest(DOCUMENT_MEMBERS, { query: [['useNetwork', 'true']] }), false)),
    'feature_not_enabled',
  );
  t.equal(
    code(() => checkNetwork(readRequest(DOCUMENT_MEMBERS, { query: [['useNetwork', 'false']] }), false)),
    'accepted',
  );
});

t.test('members of a wrong type are refused', async (t) => {
  const cases: [body: object, code: string][] = [
    [{ offset: null }, 'invalid_document_offset'],
    [{ limit: -1 }, 'invalid_document_limit'],
    [{ limit: 1.5 }, 'invalid_document_limit'],
    [{ fields: 'id' }, 'invalid_document_fields'],
    [{ fields: [1] }, 'invalid_document_fields'],
    [{ retrieveVectors: null }, 'invalid_document_retrieve_vectors'],
    [{ sort: 'size:asc' }, 'invalid_document_sort'],
    [{ sort: ['size:asc', null] }, 'invalid_document_sort'],
    [{ useNetwork: 1 }, 'invalid_document_use_network'],
    [{ q: 'x' }, 'bad_request'],
    [{ ids: ['a b'], sort: ['nope'] }, 'invalid_document_ids'],
    [{ sort: ['nope'], filter: 'nope' }, 'invalid_document_sort'],
    [{ filter: 'nope', sort: ['nope:asc'] }, 'invalid_document_filter'],
  ];
  for (const [body, expected] of cases)
    t.equal(
      code(() => post(body)),
      expected,
      JSON.stringify(body),
    );
  t.equal(post({ useNetwork: null, fields: null, ids: null, sort: null }).total, 6);
});

t.test('pages over random segments agree with a sorted list', async (t) => {
  const seed = 90210;
  const random = seededRandom(seed);
  for (let round = 0; round < 12; round++) {
    const parts: Stored[][] = Array.from({ length: 1 + random.int(4) }, () => []);
    const alive: number[] = [];
    const count = random.pick([1, 20, 400]);
    for (let internalId = 0; internalId < count; internalId++) {
      const deleted = random.int(5) === 0;
      if (!deleted) alive.push(internalId);
      random.pick(parts).push({ internalId, key: String(internalId), json: `{"id":${internalId}}`, deleted });
    }
    const filled = parts.filter((part) => part.length > 0);
    const pages = indexOf(completeSettings({}), ...filled);
    pages.read((reader) => {
      for (let k = 0; k < 60; k++) {
        const offset = random.pick([0, random.int(count + 5)]);
        const limit = random.pick([0, 1, random.int(count + 5), 1e15]);
        const bitmap = reader.liveBitmap();
        const found = pageInOrder(reader, bitmap, offset, limit).map(
          (slot) => JSON.parse(decoder.decode(reader.document(slot))).id,
        );
        t.same(found, alive.slice(offset, offset + limit), `seed ${seed}, round ${round}: ${offset} ${limit}`);
      }
    });
  }
});
