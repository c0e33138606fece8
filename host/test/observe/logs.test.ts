import http from 'node:http';
import t from 'tap';
import { Logs } from '../../logging/logs.js';
import { parseTarget } from '../../logging/target.js';
import { startServer, type TestServer } from '../server.js';
import { until } from '../support/until.js';

t.test('targets of the log are parsed', async (t) => {
  t.same(parseTarget('info'), { base: 'info', modules: new Map() });
  t.same(parseTarget('WARN, tasks=debug,http = off'), {
    base: 'warn',
    modules: new Map([
      ['tasks', 'debug'],
      ['http', 'off'],
    ]),
  });
  t.same(parseTarget('tasks=debug'), { base: 'off', modules: new Map([['tasks', 'debug']]) });
  for (const wrong of ['', 'loud', 'a=b=c', 'tasks=loud', '=info', 'info,', 'tasks=']) t.equal(parseTarget(wrong), null, wrong);
});

t.test('each module logs at its own level', async (t) => {
  const lines: string[] = [];
  const logs = new Logs('warn', 'json', (line) => lines.push(JSON.parse(line).msg));
  const tasks = logs.module('tasks');
  const http = logs.module('http');
  const say = (word: string) => {
    lines.length = 0;
    for (const logger of [tasks, http]) for (const level of ['debug', 'info', 'warn'] as const) logger[level](`${word} ${level}`);
    return [...lines];
  };
  t.same(say('a'), ['a warn', 'a warn']);
  logs.target = parseTarget('error,tasks=info')!;
  t.same(say('b'), ['b info', 'b warn']);
  const streamed: string[] = [];
  logs.stream = { target: parseTarget('http=debug')!, format: 'json', write: (line) => streamed.push(JSON.parse(line).msg) };
  t.same(say('c'), ['c info', 'c warn'], 'the log of the process is as before');
  t.same(streamed, ['c debug', 'c info', 'c warn']);
  logs.stream = null;
  logs.target = parseTarget('off')!;
  t.same(say('d'), []);
  t.equal(logs.isLevelEnabled('error'), false);
});

/** Opens a stream; resolves when its headers have come. */
function openStream({ url }: TestServer, body: unknown): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}/logs/stream`, { method: 'POST', headers: { 'content-type': 'application/json' } });
    request.on('response', resolve).on('error', reject).end(JSON.stringify(body));
  });
}

/** Reads until a text appears. */
async function readUntil(stream: http.IncomingMessage, wanted: string): Promise<string> {
  let text = '';
  return until(`the stream says ${wanted}`, () => {
    const chunk = stream.read();
    if (chunk !== null) text += chunk;
    return text.includes(wanted) && text;
  });
}

t.test('the log is streamed to one client at a time', async (t) => {
  const server = await startServer('--experimental-enable-logs-route');
  t.teardown(() => server.close());

  const stream = await openStream(server, { target: 'tasks=info', mode: 'json' });
  t.equal(stream.statusCode, 200);
  t.equal(stream.headers['x-accel-buffering'], 'no');
  await server.task('POST', '/indexes', { uid: 'a' });
  const line = JSON.parse((await readUntil(stream, '\n')).split('\n')[0]!);
  t.match(line, { module: 'tasks', msg: 'batch ended', succeeded: 1 });

  t.match(await server.call('POST', '/logs/stream', {}), { status: 400, body: { code: 'bad_request' } });
  const ended = new Promise((resolve) => stream.on('end', resolve).resume());
  t.equal((await server.call('DELETE', '/logs/stream')).status, 204);
  await ended;
  t.equal((await server.call('DELETE', '/logs/stream')).status, 204, 'none is open');

  const second = await openStream(server, { target: 'debug' });
  await server.call('GET', '/health');
  t.match(await readUntil(second, '/health'), /DEBUG http: request answered .*route="\/health" status=200/);
  second.destroy();
  const profile = await until('the stream before it has ended', async () => {
    const answer = await openStream(server, { mode: 'profile', profileMemory: true });
    if (answer.statusCode === 200) return answer;
    answer.resume();
    return null;
  });
  const sample = (await readUntil(profile, '"cpu"')).split('\n').find((text) => text.includes('"cpu"'))!;
  t.match(JSON.parse(sample), { cpu: { userMs: Number }, mainThread: { utilization: Number }, memory: { rss: Number } });
  // the last stream is still open: a shutdown must not wait for it
});

t.test('invalid requests are refused', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  const wrong: [string, unknown][] = [
    ['stream', { target: '' }],
    ['stream', { target: 5 }],
    ['stream', { mode: 'Human' }],
    ['stream', { level: 'info' }],
    ['stream', { profileMemory: true }],
    ['stderr', { target: 'a=b=c' }],
    ['stderr', { mode: 'human' }],
  ];
  for (const [route, body] of wrong)
    t.match(await server.call('POST', `/logs/${route}`, body), { status: 400, body: { code: 'bad_request' } });
  for (const route of ['stream', 'stderr'])
    t.match(await server.call('POST', `/logs/${route}`, {}), { status: 400, body: { code: 'feature_not_enabled' } });
  await server.call('PATCH', '/experimental-features', { logsRoute: true });
  for (const body of [{}, { target: 'error' }, { target: 'tasks=warn,other=error' }])
    t.equal((await server.call('POST', '/logs/stderr', body)).status, 204);
});
