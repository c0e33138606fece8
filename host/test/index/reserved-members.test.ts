import t from 'tap';
import { startServer } from '../server.js';

/** Ways to write a name in JSON. */
const SPELLINGS: [string, (name: string) => string][] = [
  ['as it is', (name) => name],
  ['with its first letter escaped', (name) => name.replace('_', '\\u005f')],
  ['with capitals in the escape', (name) => name.replace('_', '\\u005F')],
  ['with its last letter escaped', (name) => name.slice(0, -1) + escaped(name.at(-1)!)],
  ['with all letters escaped', (name) => [...name].map(escaped).join('')],
];

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

t.test('reserved members are validated in every notation of their names', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  await server.task('PATCH', '/indexes/a/settings', { filterableAttributes: ['_geo', '_geojson'] });
  for (const [name, code] of [
    ['_geo', 'invalid_document_geo_field'],
    ['_geojson', 'invalid_document_geojson_field'],
    ['_vectors', 'invalid_vectors_type'],
  ] as const) {
    for (const [how, spell] of SPELLINGS) {
      const task = await server.task('POST', '/indexes/a/documents', `[{"id": 1, "${spell(name)}": "bad"}]`);
      t.match(task, { status: 'failed', error: { code } }, `${name} ${how}`);
    }
  }
  const good = await server.task('POST', '/indexes/a/documents', '[{"id": 1, "\\u005fgeo": {"lat": 1, "lng": 2}}]');
  t.equal(good.status, 'succeeded');
  const { body } = await server.call('POST', '/indexes/a/search', { filter: '_geoRadius(1, 2, 10)' });

  const POSITIONS = [
    [0, 0],
    [4, 0],
    [4, 4],
    [0, 0],
  ];
  const POINT = { type: 'Point', coordinates: [1, 2] };
  const VALID_SHAPES = [
    { type: 'Point', coordinates: [1, 2, 300] },
    { type: 'MultiPoint', coordinates: [] },
    { type: 'LineString', coordinates: POSITIONS },
    { type: 'MultiLineString', coordinates: [POSITIONS] },
    { type: 'Polygon', coordinates: [POSITIONS] },
    { type: 'MultiPolygon', coordinates: [[POSITIONS]] },
    { type: 'Feature', properties: null, geometry: null },
    { type: 'FeatureCollection', features: [{ type: 'Feature', geometry: POINT }] },
    { type: 'GeometryCollection', geometries: [POINT, { type: 'Feature', geometry: POINT }] },
  ];
  const INVALID_SHAPES = [
    null,
    [POINT],
    {},
    { type: 'Point' },
    { type: 'point', coordinates: [1, 2] },
    { type: ['Point'], coordinates: [1, 2] },
    { type: 'Point', coordinates: [1] },
    { type: 'Point', coordinates: [1, '2'] },
    { type: 'LineString', coordinates: [1, 2] },
    { type: 'Polygon', coordinates: POSITIONS },
    { type: 'MultiPolygon', coordinates: [[POSITIONS], [[[1]]]] },
    { type: 'Feature', properties: {} },
    { type: 'FeatureCollection', features: [POINT] },
    { type: 'GeometryCollection', geometries: [POINT, 1] },
  ];

  t.test('shapes are refused while they can be filtered by, unless they are GeoJSON', async (t) => {
    const server = await startServer();
    t.teardown(() => server.close());
    await server.task('PATCH', '/indexes/a/settings', { filterableAttributes: ['_geojson'] });
    const add = (shape: unknown) => server.task('POST', '/indexes/a/documents', { id: 1, _geojson: shape });
    for (const shape of VALID_SHAPES) t.equal((await add(shape)).status, 'succeeded', JSON.stringify(shape));
    for (const shape of INVALID_SHAPES) {
      const failed = { status: 'failed', error: { code: 'invalid_document_geojson_field' } };
      t.match(await add(shape), failed, JSON.stringify(shape));
    }
  });
  t.equal(body.hits.length, 1, 'a name with an escape is the name');
});
