import path from 'node:path';
import t, { type Test } from 'tap';
import { Pool } from 'undici';
import { errorStatus } from '../../../bindings/error-table/table.js';
import { ApiError } from '../../../bindings/errors.js';
import { Guard } from '../../auth/guard.js';
import { KeyStore } from '../../auth/keys.js';
import { ROUTES } from '../../http/route-table.js';
import { Ledger } from '../../storage/ledger/ledger.js';
import { startServer } from '../server.js';
import { type Caller, HEADERS, MASTER, makeKeys, makeTokens } from '../support/authorisation/callers.js';
import { DISTINCT_PLACES, expected, headerOf, PLACES, type Place } from '../support/authorisation/cells.js';
import { probeOf } from '../support/authorisation/probe.js';

/**
 * The matrix of authorisation: every route of the table, with each index in its path, by every caller. All of its cells are
 * put to the guard, and over HTTP the callers that differ in what the server does with them; `CELLS=all`: all of them over HTTP
 * too.
 */
const ALL_OVER_HTTP = process.env.CELLS === 'all';
/** Connections of the client. */
const CONNECTIONS = 8;
/** Failing cells that are printed. */
const SHOWN = 20;

/** The decision of the guard: `open`, or the status of the refusal. */
async function asked(guard: Guard, { action, uid }: Place, caller: Caller): Promise<'open' | number> {
  try {
    await guard.check(action, uid, headerOf(caller));
    return 'open';
  } catch (error) {
    if (error instanceof ApiError) return errorStatus(error.code);
    throw error;
  }
}

const cell = ({ route, uid }: Place, { name }: Caller) => `${route}${uid === undefined ? '' : ` of ${uid}`}: ${name}`;

/** Callers whose requests take another path through the server: the others only differ in the rights of their keys. */
function overHttp({ action, uid }: Place, caller: Caller): boolean {
  if (ALL_OVER_HTTP) return true;
  const once = uid === undefined || uid === 'books';
  if (caller.kind === 'header') return once;
  const { action: given, indexes, state } = caller.kind === 'token' ? caller.parent : caller;
  const whole = indexes[0] === '*' && state === 'valid';
  if (caller.kind === 'token')
    return once && whole && given === '*' && (caller.rules !== null || action === 'search' || action === 'chatCompletions');
  return given === '*' || (whole && [action, '*.get', 'documents.*'].flat().includes(given));
}

t.test('the guard decides like the documented model, for every route and caller', async (t) => {
  const server = await startServer('--master-key', MASTER);
  t.teardown(server.close);
  await server.task('POST', '/indexes', { uid: 'books' });
  await server.stop();
  const ledger = await Ledger.open(path.join(server.folder, 'ledger'));
  const keys = await makeKeys(ledger);
  const callers: Caller[] = [...HEADERS, ...keys, ...(await makeTokens(keys))];

  await t.test('all callers against the guard', async (t) => {
    const guard = new Guard(MASTER, await KeyStore.load(ledger, MASTER));
    const wrong: string[] = [];
    let cells = 0;
    for (const caller of callers) {
      for (const place of DISTINCT_PLACES) {
        const [got, wanted] = [await asked(guard, place, caller), expected(place, caller)];
        cells += place.count;
        if (got !== wanted) wrong.push(`${cell(place, caller)}: ${got} instead of ${wanted}`);
      }
    }
    t.comment(`${cells} cells: ${PLACES.length} places, ${callers.length} callers`);
    t.same(wrong.slice(0, SHOWN), [], `${wrong.length} of ${cells} cells are wrong`);
  });
  await ledger.close();

  t.test('a sample of callers over HTTP', async (t) => {
    const folders = ['--dump-dir', '--snapshot-dir'].flatMap((option) => [option, path.join(server.folder, 'output')]);
    await server.restart('--master-key', MASTER, ...folders);
    const pool = new Pool(server.url, { connections: CONNECTIONS });
    t.teardown(() => pool.close());
    const wrong: string[] = [];
    let cells = 0;
    const ask = async (place: Place, caller: Caller) => {
      const { method, url, body } = probeOf(place);
      const header = headerOf(caller);
      const headers = { ...(header === undefined ? {} : { authorization: header }), ...(body === undefined ? {} : JSON_BODY) };
      const answer = await pool.request({ method: method as 'GET', path: url, headers, body: body ?? null });
      const text = await answer.body.text();
      const wanted = expected(place, caller);
      const code = answer.statusCode >= 400 && text !== '' ? JSON.parse(text).code : '';
      const got = answer.statusCode === 401 || answer.statusCode === 403 ? answer.statusCode : 'open';
      const told = got === 'open' || code === (got === 401 ? 'missing_authorization_header' : 'invalid_api_key');
      if (got !== wanted || !told || answer.statusCode >= 500) wrong.push(`${cell(place, caller)}: ${answer.statusCode} ${text}`);
      cells++;
    };
    const waiting = PLACES.flatMap((place) => callers.filter((one) => overHttp(place, one)).map((one) => [place, one] as const));
    const work = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) await ask(...next);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    t.comment(`${cells} cells`);
    t.same(wrong.slice(0, SHOWN), [], `${wrong.length} of ${cells} cells are wrong`);
    t.same(server.errors, []);
  });
});

const JSON_BODY = { 'content-type': 'application/json' };

type Body = (uid: string) => unknown;

/** Routes about indexes without an index in their path, and the members of their bodies that name indexes. */
const NAMED_IN_BODIES: Record<string, Body> = {
  'POST /indexes': (uid) => ({ uid }),
  'POST /swap-indexes': (uid) => [{ indexes: ['books', uid] }],
  'POST /multi-search': (indexUid) => ({ queries: [{ indexUid: 'books' }, { indexUid }] }),
  'POST /render-template': (indexUid) => ({
    template: { kind: 'inlineDocumentTemplate', inline: '{{ doc.id }}' },
    input: { kind: 'indexDocument', indexUid, id: '1' },
  }),
  'PATCH /indexes/:index_uid': (uid) => ({ uid }),
};
/** Routes that name indexes in other ways. */
const MORE_BODIES: [route: string, body: Body][] = [
  ['POST /swap-indexes', (uid) => [{ indexes: [uid, 'books'], rename: true }]],
  ['POST /multi-search', (indexUid) => ({ queries: [{ indexUid: 'books' }, { indexUid }], federation: {} })],
  ['POST /render-template', (indexUid) => ({ template: { kind: 'documentTemplate', indexUid, embedder: 'x' } })],
  ['POST /render-template', (indexUid) => ({ template: { kind: 'chatDocumentTemplate', indexUid } })],
];
/** Routes that concern what belongs to the indexes of the caller, and ignore the rest. */
const LISTS = [
  'GET /indexes',
  'GET /stats',
  'GET /tasks',
  'GET /tasks/:task_uid',
  'GET /tasks/:task_uid/documents',
  'DELETE /tasks',
  'POST /tasks/cancel',
  'GET /batches',
  'GET /batches/:batch_uid',
  'POST /chats/:workspace_uid/chat/completions',
];

t.test('an index hidden from a key is answered like a missing one', async (t) => {
  const server = await startServer('--master-key', MASTER);
  t.teardown(server.close);
  const FEATURES = { renderRoute: true, chatCompletions: true, getTaskDocumentsRoute: true, multimodal: true };
  await server.call('PATCH', '/experimental-features', FEATURES);
  await server.task('POST', '/indexes/books/documents', [{ id: 1, text: 'seen' }]);
  const { body: key } = await server.call('POST', '/keys', { actions: ['*'], indexes: ['books'], expiresAt: null });
  const mine = { authorization: `Bearer ${key.key}` };

  /** Compares two answers, ignoring the names of indexes in them. */
  const alike = async (
    t: Test,
    method: string,
    url: string,
    otherUrl: string,
    bodies: [unknown, unknown] | undefined,
    [name, other]: [string, string],
  ) => {
    const one = await server.call(method, url, bodies?.[0], mine);
    const two = await server.call(method, otherUrl, bodies?.[1], mine);
    const text = JSON.stringify(one.body).replaceAll(name, other);
    t.same([one.status, text], [two.status, JSON.stringify(two.body)], `${method} ${url}`);
  };

  t.test('every route about an index names it in its path or in a known member', async (t) => {
    const restricted = (await server.call('GET', '/tasks', undefined, mine)).status;
    t.equal(restricted, 200);
    for (const [route, { action }] of Object.entries(ROUTES)) {
      if (action === null || route.includes(':index_uid')) continue;
      const probe = probeOf({ route, action, uid: undefined });
      const { status } = await server.call(probe.method, probe.url, probe.body, mine);
      const said = Object.hasOwn(NAMED_IN_BODIES, route) || LISTS.includes(route);
      t.equal(status !== 403, said, `${route} is ${said ? 'open to' : 'closed for'} keys of some indexes`);
    }
  });

  const lists = ['/indexes', '/stats', '/tasks?limit=1000', '/batches?limit=1000'];
  const read = async () => {
    const answers = await Promise.all(lists.map((route) => server.call('GET', route, undefined, mine)));
    // `total` counts all that the filter matches, independently of the rights of the caller.
    return answers.map(({ body }) => ({ ...body, total: 0 }));
  };
  const before = await read();
  const hidden = await server.task('POST', '/indexes/secret/documents', [{ id: 1, text: 'unseen' }]);

  t.test('lists do not show a hidden index', async (t) => {
    t.same(await read(), before);
    for (const route of ['/tasks/UID', '/tasks/UID/documents'])
      await alike(t, 'GET', route.replace('UID', String(hidden.uid)), route.replace('UID', '4000'), undefined, [
        String(hidden.uid),
        '4000',
      ]);
    await alike(t, 'GET', `/batches/${hidden.batchUid}`, '/batches/4000', undefined, [String(hidden.batchUid), '4000']);
  });

  t.test('routes with the index in their path', async (t) => {
    for (const place of PLACES.filter(({ uid }) => uid === 'books')) {
      const [one, two] = [probeOf({ ...place, uid: 'secret' }), probeOf({ ...place, uid: 'absent' })];
      await alike(t, one.method, one.url, two.url, [one.body, two.body], ['secret', 'absent']);
      const { status } = await server.call(one.method, one.url, one.body, mine);
      t.equal(status, 403, `${place.route} is refused`);
    }
  });

  t.test('routes that name indexes in their bodies', async (t) => {
    for (const [route, body] of [...Object.entries(NAMED_IN_BODIES), ...MORE_BODIES]) {
      const [method, pattern] = route.split(' ') as [string, string];
      const url = pattern.replace(':index_uid', 'books');
      await alike(t, method, url, url, [body('secret'), body('absent')], ['secret', 'absent']);
      const { status, body: answer } = await server.call(method, url, body('secret'), mine);
      t.same([status, answer.code], [403, 'invalid_api_key'], `${route} is refused`);
    }
  });
  t.same(server.errors, []);
});
