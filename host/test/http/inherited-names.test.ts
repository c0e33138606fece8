import t from 'tap';
import { startServer } from '../server.js';

/** Names that every plain object inherits. */
const INHERITED = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

t.test('names that every object inherits are names like any other', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());

  for (const name of INHERITED) {
    const documents = JSON.stringify([{ id: 1, text: 'hello' }]).replace('text', name);
    const answer = await server.call('POST', `/indexes/${name}/documents`, documents, { 'content-encoding': name });
    t.equal(answer.status, 202, `an encoding ${name} counts as none`);
    t.match(await server.finished(answer.body.taskUid), { status: 'succeeded' });
    const { batchUid } = (await server.call('GET', `/tasks/${answer.body.taskUid}`)).body;
    const { stats } = (await server.call('GET', `/batches/${batchUid}`)).body;
    t.same(Object.entries(stats.indexUids), [[name, 1]], `the batch counts the tasks of index ${name}`);

    const sortFacetValuesBy = JSON.parse(`{"${name}":"count"}`);
    const settings = { filterableAttributes: [name], sortableAttributes: [name], faceting: { sortFacetValuesBy } };
    t.match(await server.task('PATCH', `/indexes/${name}/settings`, settings), { status: 'succeeded' });
    const search = (body: unknown) => server.call('POST', `/indexes/${name}/search`, body);
    const found = await search({ facets: [name], filter: `${name} = hello`, sort: [`${name}:asc`] });
    t.equal(found.status, 200);
    t.same(Object.entries(found.body.facetDistribution), [[name, { hello: 1 }]]);
    t.match(await search({ sort: [`id:${name}`] }), { status: 400, body: { code: 'invalid_search_sort' } });
    t.match(await search(`{"${name}": 1}`), { status: 400, body: { code: 'bad_request' } });
    const { fieldDistribution } = (await server.call('GET', `/indexes/${name}/stats`)).body;
    t.same(
      Object.entries(fieldDistribution).sort(),
      [
        ['id', 1],
        [name, 1],
      ].sort(),
    );
    const stats2 = (await server.call('GET', '/stats')).body.indexes;
    t.ok(Object.hasOwn(stats2, name), `the statistics name index ${name}`);
  }
});

t.test('a GeoJSON type that every object inherits is no type', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  await server.task('PATCH', '/indexes/a/settings', { filterableAttributes: ['_geojson'] });
  for (const name of INHERITED) {
    const document = { id: 1, _geojson: { type: name, coordinates: [1, 2] } };
    t.match(await server.task('POST', '/indexes/a/documents', [document]), {
      status: 'failed',
      error: { code: 'invalid_document_geojson_field' },
    });
  }
});
