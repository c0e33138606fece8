import t from 'tap';
import { startServer } from '../server.js';
import { startReceiver } from '../support/receiver.js';
import { until } from '../support/until.js';

const NIL = '00000000-0000-0000-0000-000000000000';

t.test('webhooks are made, changed and deleted', async (t) => {
  const server = await startServer();
  t.teardown(server.close);
  const url = 'http://127.0.0.1:1/hook';
  const create = async (body: object) => (await server.call('POST', '/webhooks', { url, ...body })).body;

  t.test('secrets are shown redacted, and keep their values', async (t) => {
    const { uuid, ...shown } = await create({ headers: { Authorization: 'Bearer a-secret-token', 'X-Api-Key': 'clear' } });
    t.same(shown, { isEditable: true, url, headers: { Authorization: 'Bearer a-XXXX...', 'X-Api-Key': 'clear' } });
    t.same((await server.call('GET', `/webhooks/${uuid}`)).body, { uuid, ...shown });
    await server.restart();
    t.same((await server.call('GET', '/webhooks')).body, { results: [{ uuid, ...shown }] });
    await server.call('DELETE', `/webhooks/${uuid}`);
    t.match(await server.call('GET', `/webhooks/${uuid}`), { status: 404, body: { code: 'webhook_not_found' } });
  });

  t.test('changes are merged', async (t) => {
    const { uuid } = await create({ headers: { A: '1', B: '2', empty: null } });
    const patch = async (body: object) => (await server.call('PATCH', `/webhooks/${uuid}`, body)).body;
    t.same((await patch({ headers: { A: null, C: '3', none: null } })).headers, { B: '2', C: '3', empty: '' });
    t.same((await patch({ headers: { c: '4' } })).headers, { B: '2', C: '3', c: '4', empty: '' });
    t.same((await patch({})).headers, { B: '2', C: '3', c: '4', empty: '' });
    t.same((await patch({ url: null })).code, 'invalid_webhook_url');
    t.same(await patch({ headers: null, url: `${url}2` }), { uuid, isEditable: true, url: `${url}2`, headers: {} });
    await server.call('DELETE', `/webhooks/${uuid}`);
  });

  t.test('invalid webhooks are refused', async (t) => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, 'v']));
    const refused: [object, string][] = [
      [{ url: undefined }, 'invalid_webhook_url'],
      [{ url: '' }, 'invalid_webhook_url'],
      [{ url: 'just words' }, 'invalid_webhook_url'],
      [{ url: '/hook' }, 'invalid_webhook_url'],
      [{ url: 'http://' }, 'invalid_webhook_url'],
      [{ url: 'localhost:7700/hook' }, 'invalid_webhook_url'],
      [{ url: 5 }, 'invalid_webhook_url'],
      [{ headers: 'x: y' }, 'invalid_webhook_headers'],
      [{ headers: { a: 5 } }, 'invalid_webhook_headers'],
      [{ headers: { 'two words': 'x' } }, 'invalid_webhook_headers'],
      [{ headers: { '': 'x' } }, 'invalid_webhook_headers'],
      [{ headers: { a: 'x\r\nb: y' } }, 'invalid_webhook_headers'],
      [{ headers: many(201) }, 'invalid_webhook_headers'],
      [{ uuid: NIL }, 'immutable_webhook_uuid'],
      [{ isEditable: true }, 'immutable_webhook_is_editable'],
      [{ secret: 'x' }, 'bad_request'],
    ];
    for (const [body, code] of refused) t.equal((await create(body)).code, code, JSON.stringify(body).slice(0, 60));
    for (const [method, body] of [['PATCH', {}], ['DELETE'], ['GET']] as [string, object?][]) {
      t.equal((await server.call(method, '/webhooks/x', body)).body.code, 'invalid_webhook_uuid');
      const code = method === 'GET' ? 'webhook_not_found' : 'immutable_webhook';
      t.equal((await server.call(method, `/webhooks/${NIL}`, body)).body.code, code);
    }
    t.equal((await server.call('PATCH', '/webhooks/x', { foo: 1 })).body.code, 'bad_request', 'the body comes first');
    t.same((await server.call('GET', '/webhooks')).body, { results: [] });
  });

  t.test('at most twenty webhooks can be created, even concurrently', async (t) => {
    const made = await Promise.all(Array.from({ length: 25 }, () => create({})));
    t.equal(made.filter(({ code }) => code === 'invalid_webhooks').length, 5);
    const { results } = (await server.call('GET', '/webhooks')).body;
    t.equal(results.length, 20);
    const uuids = results.map(({ uuid }: { uuid: string }) => uuid);
    t.same(uuids, [...uuids].sort());
  });
});

t.test('ended tasks are announced', async (t) => {
  const receiver = await startReceiver();
  const server = await startServer(
    '--task-webhook-url',
    receiver.url.replace('/hook', ''),
    '--task-webhook-authorization-header',
    'plain secret',
  );
  t.teardown(() => Promise.all([server.close(), receiver.close()]));
  const own = await startReceiver();
  t.teardown(own.close);

  const { body: reserved } = await server.call('GET', `/webhooks/${NIL}`);
  t.same(reserved, {
    uuid: NIL,
    isEditable: false,
    url: receiver.url.replace('hook', ''),
    headers: { Authorization: 'plXXXX...' },
  });
  await server.call('POST', '/webhooks', {
    url: own.url.replace('http://', 'http://user:pass%20word@'),
    headers: { 'X-A': 'grün', 'x-a': '2', 'Content-Length': '5', 'Content-Encoding': 'br' },
  });

  const good = await server.task('POST', '/indexes/books/documents?customMetadata=mine', [{ id: 1 }]);
  const bad = await server.task('POST', '/indexes/books/documents', [{ name: 'no id' }]);
  const swap = await server.task('POST', '/swap-indexes', []);
  await own.wait(3);
  await receiver.wait(3);
  t.same(
    own.received.map(({ tasks }) => tasks),
    [[good], [bad], [swap]],
    'each as it is read',
  );
  t.same(
    receiver.received.map(({ text }) => text),
    own.received.map(({ text }) => text),
  );
  t.ok(own.received[0]!.text.endsWith('}\n'));
  t.match(own.received[0]!.headers, {
    'content-type': 'application/x-ndjson',
    'content-encoding': 'gzip',
    'transfer-encoding': 'chunked',
    authorization: `Basic ${Buffer.from('user:pass word').toString('base64')}`,
  });
  t.match(own.received[0]!.rawHeaders, { length: Number });
  t.ok(own.received[0]!.rawHeaders.includes('x-a') && own.received[0]!.rawHeaders.includes('X-A'));
  t.equal(Buffer.from(own.received[0]!.headers['x-a']!.toString().split(', ')[0]!, 'latin1').toString(), 'grün');
  t.equal(receiver.received[0]!.headers.authorization, 'plain secret');
});

t.test('all tasks of a batch come in one request, those canceled together with their cancelation', async (t) => {
  const receiver = await startReceiver();
  const server = await startServer('--experimental-max-number-of-batched-tasks', '0');
  t.teardown(() => Promise.all([server.close(), receiver.close()]));
  await server.call('POST', '/webhooks', { url: receiver.url });
  for (const id of [1, 2]) await server.call('POST', '/indexes/books/documents', [{ id }]);
  const cancelation = await server.task('POST', '/tasks/cancel?uids=1');
  await receiver.wait(1);
  t.same(
    receiver.received[0]!.tasks.map(({ uid, status }) => [uid, status]),
    [
      [1, 'canceled'],
      [cancelation.uid, 'succeeded'],
    ],
  );
  await server.restart();
  // the request that was under way when the server stopped may come twice
  const last = await until('the other task is announced', () => receiver.received.find(({ tasks }) => tasks[0].uid === 0));
  t.same(last!.tasks, [(await server.call('GET', '/tasks/0')).body]);
});

t.test('a hanging webhook delays neither tasks nor other webhooks nor a shutdown', async (t) => {
  const [hanging, healthy] = [await startReceiver(), await startReceiver()];
  const server = await startServer();
  t.teardown(() => Promise.all([server.close(), hanging.close(), healthy.close()]));
  hanging.status = null;
  const { body: webhook } = await server.call('POST', '/webhooks', { url: hanging.url });
  await server.call('POST', '/webhooks', { url: healthy.url });
  const uids: number[] = [];
  for (const id of [1, 2, 3]) uids.push((await server.task('POST', '/indexes/books/documents', [{ id }])).uid);
  await healthy.wait(3);
  await hanging.wait(1);
  t.equal(hanging.received.length, 1, 'one request at a time');
  await server.call('PATCH', `/webhooks/${webhook.uuid}`, { headers: { later: 'yes' } });

  await server.restart();
  await hanging.wait(2);
  t.same(hanging.received[1]!.text, hanging.received[0]!.text, 'what was under way is sent again');
  hanging.status = 200;
  await server.restart();
  await hanging.wait(5);
  t.same(
    hanging.received.slice(2).flatMap(({ tasks }) => tasks.map(({ uid }) => uid)),
    uids,
    'everything that was due, in order',
  );
  t.equal(hanging.received[4]!.headers.later, undefined, 'with the headers of the time when the tasks ended');
  t.equal(healthy.received.length, 3, 'nothing twice to the others');
});

t.test('a webhook that recovers gets all notices in order', async (t) => {
  const receiver = await startReceiver();
  const server = await startServer();
  t.teardown(() => Promise.all([server.close(), receiver.close()]));
  receiver.status = 503;
  await server.call('POST', '/webhooks', { url: receiver.url });
  const first = await server.task('POST', '/indexes/books/documents', [{ id: 1 }]);
  const second = await server.task('POST', '/indexes/books/documents', [{ id: 2 }]);
  await receiver.wait(1);
  receiver.status = 200;
  const uids = () => receiver.received.map(({ tasks }) => tasks[0].uid);
  await until('the second task is announced', () => uids().includes(second.uid));
  // the first notice is retried until it is accepted
  const refused = uids().length - 2;
  t.ok(refused >= 1);
  t.same(uids(), [...Array(refused + 1).fill(first.uid), second.uid]);
});

t.test('addresses outside of the allowed networks are never called', async (t) => {
  const receiver = await startReceiver();
  const server = await startServer('--experimental-enable-metrics', '--experimental-allowed-ip-networks', '10.0.0.0/8');
  t.teardown(() => Promise.all([server.close(), receiver.close()]));
  for (const url of [receiver.url, receiver.url.replace('127.0.0.1', 'localhost')])
    await server.call('POST', '/webhooks', { url });
  await server.task('POST', '/indexes/books/documents', [{ id: 1 }]);
  await until('both deliveries have failed', async () => {
    const { body } = await server.call('GET', '/metrics');
    return body.match(/^peregrine_webhook_failures_total\{.*\} 1$/gm)?.length === 2;
  });
  t.equal(receiver.received.length, 0);
});

t.test('metrics count the deliveries of each webhook, also of failing and hanging ones', async (t) => {
  const [good, failing, hanging] = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
  const server = await startServer('--experimental-enable-metrics');
  t.teardown(() => Promise.all([server.close(), good.close(), failing.close(), hanging.close()]));
  failing.status = 500;
  hanging.status = null;
  const uuids: string[] = [];
  for (const { url } of [good, failing, hanging]) uuids.push((await server.call('POST', '/webhooks', { url })).body.uuid);
  const [goodUuid, failingUuid, hangingUuid] = uuids;
  for (let i = 0; i < 3; i++) {
    t.equal((await server.task('POST', '/indexes', { uid: `index${i}` })).status, 'succeeded');
  }
  await good.wait(3);
  await failing.wait(2);
  await hanging.wait(1);
  failing.status = 200;
  await failing.wait(4);
  const figure = (text: string, name: string, uuid: string | undefined) =>
    Number(new RegExp(`^peregrine_webhook_${name}\\{webhook="${uuid}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
  const text = await until('the deliveries are counted', async () => {
    const { body } = await server.call('GET', '/metrics');
    return figure(body, 'deliveries_total', failingUuid) === 3 && body;
  });
  t.match(text, /^# TYPE peregrine_webhook_deliveries_total counter$/m);
  t.match(text, /^# TYPE peregrine_webhook_queue_length gauge$/m);
  const expected: [name: string, uuid: string | undefined, value: number][] = [
    ['deliveries_total', goodUuid, 3],
    ['retries_total', goodUuid, 0],
    ['queue_length', goodUuid, 0],
    ['retries_total', failingUuid, failing.received.length - 3],
    ['failures_total', failingUuid, 0],
    ['queue_length', failingUuid, 0],
    ['deliveries_total', hangingUuid, 0],
    ['queue_length', hangingUuid, 3],
    ['dropped_total', hangingUuid, 0],
  ];
  for (const [name, uuid, value] of expected) t.equal(figure(text, name, uuid), value, name);

  failing.status = 404;
  await server.task('POST', '/indexes', { uid: 'last' });
  await until('the refusal is counted', async () => {
    const { body } = await server.call('GET', '/metrics');
    return figure(body, 'failures_total', failingUuid) === 1 && figure(body, 'deliveries_total', goodUuid) === 4;
  });
  await server.call('DELETE', `/webhooks/${goodUuid}`);
  t.equal(
    figure((await server.call('GET', '/metrics')).body, 'deliveries_total', goodUuid),
    4,
    'a deleted webhook keeps its counts',
  );
});
