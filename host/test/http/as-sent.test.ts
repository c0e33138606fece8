import t from 'tap';
import { startServer } from '../server.js';

t.test(
  'documents are stored without white space and with each member once, however they were sent, and counted so',
  async (t) => {
    const server = await startServer();
    t.teardown(() => server.close());
    const sent = [
      '{ "id" : 1 , "a" : { "b" : 1 , "b" : 2 } , "a.b" : [ 1 , { "c" : "x y" } ] }',
      '{"id":2,"a":1,"a":2,"_vectors":{"e":null,"e":{"regenerate":false,"embeddings":null}}}',
      '{"id":3,"\\u0061":"escaped","_geojson":{"type":"Line","type":"Point","coordinates":[ 1, 2 ]}}',
      '{"id":4,"_geo":{"lng":1,"lat":2},"list":[[],{}],"empty":null}',
    ];
    const stored = [
      '{"id":1,"a":{"b":2},"a.b":[1,{"c":"x y"}]}',
      '{"id":2,"a":2,"_vectors":{"e":{"regenerate":false,"embeddings":null}}}',
      '{"id":3,"\\u0061":"escaped","_geojson":{"type":"Point","coordinates":[1,2]}}',
      '{"id":4,"_geo":{"lng":1,"lat":2},"list":[[],{}],"empty":null}',
    ];
    await server.task('POST', '/indexes/a/documents', sent.join('\n'), { 'content-type': 'application/x-ndjson' });
    for (const [number, json] of stored.entries()) {
      const { _vectors: _, ...shown } = JSON.parse(json);
      t.same((await server.call('GET', `/indexes/a/documents/${number + 1}`)).body, shown);
    }
    const stats = async () => (await server.call('GET', '/indexes/a/stats')).body;
    const fieldDistribution = { _geo: 1, _geojson: 1, a: 3, 'a.b': 1, empty: 1, id: 4, list: 1 };
    const rawDocumentDbSize = stored.join('').length;
    t.match(await stats(), { numberOfDocuments: 4, fieldDistribution, rawDocumentDbSize });
    // the same payload once more changes nothing; deletions count the bytes as they were sent
    await server.task('POST', '/indexes/a/documents', sent.join('\n'), { 'content-type': 'application/x-ndjson' });
    t.match(await stats(), { numberOfDocuments: 4, fieldDistribution, rawDocumentDbSize });
    await server.task('POST', '/indexes/a/documents/delete-batch', [1, 2, 3, 4]);
    t.match(await stats(), { numberOfDocuments: 0, fieldDistribution: {}, rawDocumentDbSize: 0 });
  },
);

t.test('locations are validated in every notation', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  await server.task('PUT', '/indexes/a/settings/filterable-attributes', ['_geo']);
  const cases: [string, boolean][] = [
    ['{"id":1,"_geo":{"lat":1.5,"lng":-2}}', true],
    ['{"id":1,"_geo" : { "lng" : 2 , "lat" : 1 } }', true],
    ['{"id":1,"_geo":null}', true],
    ['{"id":1,"_geo":{"lat":"1","lng":"2e1"}}', true],
    ['{"id":1,"inner":{"_geo":"free"}}', true],
    ['{"id":1,"inner":{"_geo":{"lat":1,"lng":2}},"_geo":{"lat":1,"lng":2,"alt":3}}', false],
    ['{"id":1,"_geo":{"lat":1,"lat":2}}', false],
    ['{"id":1,"_geo":{"lat":1,"lng":2}, "_geo":7}', false],
    ['{"id":1,"\\u005fgeo":[1,2]}', false],
    ['{"id":1,"_geo":{"lat":1e999,"lng":2}}', false],
  ];
  for (const [json, isGood] of cases) {
    const answer = await server.call('POST', '/indexes/a/documents', `[${json}]`, { 'content-type': 'application/json' });
    const status = answer.status === 202 ? (await server.finished(answer.body.taskUid)).status : 'refused';
    t.equal(status === 'succeeded', isGood, `${json}: ${status}`);
  }
});
