import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import pino from 'pino';
import t, { type Test } from 'tap';
import { Logs } from '../../logging/logs.js';
import { readOptions } from '../../options/options.js';
import { PeregrineService } from '../../service.js';
import { METRICS } from '../../telemetry/metrics.js';
import { Outbox, type TelemetryEvent } from '../../telemetry/outbox.js';
import { Tally } from '../../telemetry/tally.js';
import { finished, request } from '../server.js';

interface Batch {
  instanceUid: string;
  events: TelemetryEvent[];
}

interface Collector {
  url: string;
  batches: Batch[];
  sizes: number[];
  /** HTTP status of the next answers. */
  status: number;
}

/** An endpoint that keeps the requests that it receives. */
async function startCollector(t: Test): Promise<Collector> {
  const collector: Collector = { url: '', batches: [], sizes: [], status: 204 };
  const server = http.createServer(async (incoming, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (collector.status < 300) {
      collector.sizes.push(body.length);
      collector.batches.push(JSON.parse(body.toString()));
    }
    answer.writeHead(collector.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return collector;
}

async function start(t: Test, ...flags: string[]) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peregrine-test-'));
  const options = readOptions(['--db-path', folder, '--http-addr', '127.0.0.1:0', ...flags], {});
  const service = await PeregrineService.open(options, Logs.silent());
  const url = await service.listen(options);
  t.teardown(async () => {
    await service.close();
    fs.rmSync(folder, { recursive: true, force: true });
  });
  const call = (method: string, route: string, body?: unknown, headers?: Record<string, string>) =>
    request(url, method, route, body, headers);
  const task = async (method: string, route: string, body?: unknown) =>
    finished(url, (await call(method, route, body)).body.taskUid);
  return { service, folder, call, task };
}

t.test('every event and metric arrives', async (t) => {
  const collector = await startCollector(t);
  const { service, folder, call, task } = await start(t, '--telemetry-endpoint', collector.url, '--log-level', 'WARN');

  await task('POST', '/indexes/secretindex/documents?primaryKey=ident', [
    { ident: 1, color: 'secretcolor', _geo: { lat: 1, lng: 2 } },
  ]);
  await task('PATCH', '/indexes/secretindex/settings', {
    rankingRules: ['typo', 'words', 'sort', 'secretfield:asc'],
    filterableAttributes: ['color', '_geo', { attributePatterns: ['x*'] }],
    sortableAttributes: ['_geo', 'color'],
    typoTolerance: { enabled: true, minWordSizeForTypos: { oneTypo: 4, twoTypos: 8 } },
    faceting: { sortFacetValuesBy: { '*': 'count' } },
    synonyms: { secretword: ['other'] },
    stopWords: ['a', 'b'],
    proximityPrecision: 'byAttribute',
  });
  const agent = { 'user-agent': 'Client One (v1) ; Second' };
  const search = { q: 'secretquery -no more', limit: 33, sort: ['_geoPoint(1,2):asc'], facets: ['color'], locales: ['eng'] };
  await call('POST', '/indexes/secretindex/search', { ...search, filter: '_geoRadius(1,2,3)', matchingStrategy: 'all' }, agent);
  await call('POST', '/indexes/secretindex/search', { q: 5 }, agent);
  await call('GET', '/indexes/secretindex/search?page=2&hitsPerPage=7&attributesToHighlight=color');
  const secret = { indexUid: 'secretindex' };
  await call('POST', '/multi-search', { queries: [secret, secret, secret] });
  await call('POST', '/multi-search', { queries: [secret, { indexUid: 'missing' }], federation: {} });
  await call('GET', '/tasks?statuses=failed&afterEnqueuedAt=2020-01-01&uids=1');
  await call('GET', '/tasks/0');
  await task('POST', '/indexes/secretindex/documents/delete-batch', [5]);
  await task('DELETE', '/indexes/secretindex/documents');
  await call('POST', '/swap-indexes', [{ indexes: ['a', 'b'] }]);
  await service.telemetry!.flush();

  const events = collector.batches.flatMap((batch) => batch.events);
  const uid = fs.readFileSync(path.join(folder, 'instance-uid'), 'utf8').trim();
  t.match(uid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.ok(collector.batches.every(({ instanceUid }) => instanceUid === uid));
  for (const { event, name } of METRICS) {
    const found = events.find((each) => each.event === event);
    t.ok(found && name in found.properties && found.properties[name] !== undefined, `${event} ${name}`);
  }
  const values = Object.assign({}, ...events.map(({ properties }) => properties));
  t.match(values, {
    'infos.log_level': 'WARN',
    'infos.db_path': true,
    'infos.with_configuration_file': false,
    'infos.import_dump': false,
    'stats.indexes_number': 1,
    primary_key: 'ident',
    index_creation: true,
    swap_operation_number: 1,
    'requests.total_received': 7,
    'requests.total_succeeded': 2,
    'requests.total_failed': 1,
    'requests.total_used_negative_operator': 1,
    'q.max_terms_number': 3,
    'pagination.max_limit': 33,
    'searches.total_search_count': 5,
    'searches.avg_search_count': 2.5,
    'indexes.total_distinct_index_count': 3,
    'indexes.avg_distinct_index_count': 1.5,
    'indexes.total_single_index': 1,
    'federation.use_federation': true,
    'remotes.total_distinct_remote_count': 0,
    'sort.with_geoPoint': true,
    'sort.avg_criteria_number': 1,
    'filter.with_geoRadius': true,
    'filter.most_used_syntax': 'string',
    'formatting.max_attributes_to_highlight': 1,
    'matching_strategy.most_used_strategy': /^(all|last)$/,
    locales: ['eng'],
    'ranking_rules.words_position': 1,
    'ranking_rules.exactness_position': null,
    'ranking_rules.values': 'typo,words,sort',
    'filterable_attributes.total': 3,
    'filterable_attributes.has_geo': true,
    'filterable_attributes.has_patterns': true,
    'faceting.sort_facet_values_by_star_count': true,
    'typo_tolerance.min_word_size_for_typos.one_typo': 4,
    'synonyms.total': 1,
    'proximity_precision.value': 'byAttribute',
    per_task_uid: true,
    per_index_uid: false,
    filtered_by_status: true,
    filtered_by_uid: true,
    filtered_by_after_enqueued_at: true,
    filtered_by_type: false,
    clear_all: true,
    per_batch: true,
    per_filter: false,
  });
  t.ok(values['requests.99th_response_time'] > 0);
  for (const wanted of ['Client One (v1)', 'Second']) t.ok(values.user_agent.includes(wanted));
  t.ok(values.payload_type.includes('application/json'));
  const sent = JSON.stringify(collector.batches);
  for (const secret of ['secretindex', 'secretcolor', 'secretquery', 'secretfield', 'secretword', '127.0.0.1'])
    t.notOk(sent.includes(secret), `${secret} stays here`);

  collector.batches.length = 0;
  await service.telemetry!.flush();
  const again = Object.assign({}, ...collector.batches.flatMap((batch) => batch.events.map(({ properties }) => properties)));
  t.match(
    again,
    { 'requests.total_received': 0, 'requests.total_failed': 0, clear_all: false, locales: [] },
    'counts begin anew',
  );
});

t.test('--no-analytics collects nothing', async (t) => {
  const collector = await startCollector(t);
  const { service, folder } = await start(t, '--telemetry-endpoint', collector.url, '--no-analytics');
  t.equal(service.telemetry, null);
  t.notOk(fs.existsSync(path.join(folder, 'instance-uid')));
  t.equal(collector.batches.length, 0);
});

t.test('without an endpoint nothing is sent, and nothing fails', async (t) => {
  const { service, call } = await start(t);
  t.equal((await call('GET', '/health')).status, 200);
  await service.telemetry!.flush();
});

t.test('events are sent in batches', async (t) => {
  const collector = await startCollector(t);
  const outbox = new Outbox(collector.url, 'uid', pino({ level: 'silent' }));
  const event = (size: number): TelemetryEvent => ({ event: 'x', timestamp: '', properties: { text: 'x'.repeat(size) } });
  for (let i = 0; i < 12; i++) await outbox.add(event(100_000));
  t.equal(collector.batches.length, 2, 'sent as soon as one is full');
  await outbox.add(event(600_000));
  await outbox.send();
  t.same(
    collector.batches.map(({ events }) => events.length),
    [4, 4, 4],
  );
  t.ok(collector.sizes.every((size) => size <= 500_000));

  collector.status = 500;
  await outbox.add(event(10));
  await outbox.send();
  collector.status = 204;
  await outbox.send();
  t.equal(collector.batches.at(-1)!.events.length, 1, 'what was not taken is sent again');
});

t.test('values are aggregated', async (t) => {
  const tally = new Tally(new Map([['p', 'p99'] as const, ['m', 'mean'] as const, ['d', 'distinct'] as const]));
  for (let i = 1; i <= 1000; i++) tally.add('p', i);
  const p99 = tally.read('p') as number;
  t.ok(p99 >= 990 && p99 <= 990 * 1.05, String(p99));
  for (const value of [1, 2, 6]) tally.add('m', value);
  t.equal(tally.read('m'), 3);
  for (let i = 0; i < 500; i++) tally.add('d', `value ${i}`);
  t.equal((tally.read('d') as string[]).length, 100);
  tally.clear();
  t.same([tally.read('p'), tally.read('m'), tally.read('d')], [0, 0, []]);
});
