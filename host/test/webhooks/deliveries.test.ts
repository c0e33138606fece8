import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pino from 'pino';
import t from 'tap';
import { redact, redactAuthorization } from '../../auth/redaction.js';
import { EgressPolicy, egressAgent } from '../../outgoing/egress.js';
import { Ledger } from '../../storage/ledger/ledger.js';
import type { TaskRecord } from '../../tasks/task.js';
import { taskView } from '../../tasks/view.js';
import { Deliveries, type DeliveryOptions } from '../../webhooks/deliveries.js';
import { DeliveryQueue } from '../../webhooks/delivery-queue.js';
import { WebhookStore } from '../../webhooks/store.js';
import { startReceiver } from '../support/receiver.js';
import { until } from '../support/until.js';

t.test('secrets in headers are redacted', async (t) => {
  t.same(['', 'TOKEN', 'UPDATED TOKEN', '12345678901234567890', '123456789012345678901234567890'].map(redact), [
    'XXX...',
    'XXX...',
    'UPXXXX...',
    '123XXXXX...',
    '12345XXXXXX...',
  ]);
  t.same(['Bearer a-secret-token', 'Bearer ', 'bearer 1234567890'].map(redactAuthorization), [
    'Bearer a-XXXX...',
    'Bearer XXX...',
    'beXXXX...',
  ]);
});

t.test('the egress policy permits the right addresses', async (t) => {
  const allowed = (text: string, ...addresses: string[]) => addresses.map((address) => EgressPolicy.read(text)!.allows(address));
  const places = [
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '::1',
    'fe80::1',
    'febf::1',
    '::ffff:169.254.1.1',
    '64:ff9b::a9fe:a9fe',
  ];
  t.same(allowed('', ...places), [true, true, false, true, false, false, false, false]);
  t.same(allowed('10.0.0.0/8, ::1', ...places), [false, true, false, true, false, false, false, false]);
  t.same(allowed('10.0.0.0/8,any', ...places), Array(8).fill(true));
  for (const text of ['10.0.0.0/33', 'here', '10.0.0.0/8/1', '::/129', '10.0.0.0/']) t.equal(EgressPolicy.read(text), null, text);
});

function ended(uid: number): TaskRecord {
  return {
    uid,
    batchUid: uid,
    indexUid: 'books',
    status: 'succeeded',
    type: 'documentAdditionOrUpdate',
    canceledBy: null,
    details: { receivedDocuments: 1, indexedDocuments: 1 },
    error: null,
    enqueuedAt: 1,
    startedAt: 2,
    finishedAt: 3,
    work: null,
  };
}

function totals({ metrics }: Deliveries) {
  const sum = (name: 'delivered' | 'failed' | 'dropped') => metrics.reduce((total, each) => total + each[name], 0);
  return { delivered: sum('delivered'), failed: sum('failed'), dropped: sum('dropped') };
}

/** Deliveries over a ledger of their own, with pauses short enough to see all of them. */
async function setup(options: Partial<DeliveryOptions> = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peregrine-deliveries-'));
  const ledger = await Ledger.open(path.join(folder, 'ledger'));
  const webhooks = await WebhookStore.load(ledger, null);
  const dispatcher = egressAgent(EgressPolicy.DEFAULT);
  const log = pino({ level: 'silent' });
  const deliveries = await Deliveries.load({
    ledger,
    webhooks,
    dispatcher,
    log,
    timeoutMs: 60_000,
    pauses: [10, 20, 30],
    ...options,
  });
  return {
    webhooks,
    deliveries,
    async end(uid: number) {
      const { writes, adopt } = deliveries.announce([taskView(ended(uid))]);
      await ledger.write(writes, true);
      adopt();
    },
    /** Waits until `count` notices of all webhooks have been delivered or dropped. */
    async settled(counts: Record<'delivered' | 'failed' | 'dropped', number>) {
      const wanted = JSON.stringify(counts);
      await until(`counts become ${wanted}`, () => JSON.stringify(totals(deliveries)) === wanted);
      return totals(deliveries);
    },
    async stored() {
      const keys: string[] = [];
      for (const prefix of ['notice/', 'delivery/']) for await (const [key] of ledger.iterate(prefix)) keys.push(key);
      return keys;
    },
    async close() {
      await deliveries.close();
      await dispatcher.destroy();
      await ledger.close();
      fs.rmSync(folder, { recursive: true });
    },
  };
}

t.test('after the last attempt the next notice is delivered', async (t) => {
  const receiver = await startReceiver();
  const { webhooks, deliveries, end, settled, stored, close } = await setup();
  t.teardown(() => Promise.all([close(), receiver.close()]));
  await webhooks.create({ url: receiver.url, headers: null });
  for (const status of [500, 429]) {
    receiver.received.length = 0;
    receiver.status = status;
    await end(1);
    await receiver.wait(4);
    receiver.status = 200;
    await end(2);
    await receiver.wait(5);
    t.same(
      receiver.received.map(({ tasks }) => tasks[0].uid),
      [1, 1, 1, 1, 2],
    );
  }
  receiver.status = 404;
  receiver.received.length = 0;
  await end(3);
  t.same(await settled({ delivered: 2, failed: 3, dropped: 0 }), { delivered: 2, failed: 3, dropped: 0 });
  t.equal(receiver.received.length, 1, 'what a later attempt would not change is not tried again');
  t.same(await stored(), [], 'nothing is left behind');
  t.equal(deliveries.announce([]).writes.length, 2);
});

t.test('a request to a hanging target times out', async (t) => {
  const receiver = await startReceiver();
  const { webhooks, deliveries, end, settled, close } = await setup({ pauses: [10], timeoutMs: 500 });
  t.teardown(() => Promise.all([close(), receiver.close()]));
  await webhooks.create({ url: receiver.url, headers: null });
  receiver.status = null;
  await end(1);
  t.same(await settled({ delivered: 0, failed: 1, dropped: 0 }), { delivered: 0, failed: 1, dropped: 0 });
  t.match(deliveries.metrics, [{ retried: 1 }]);
});

t.test('neither the end of a task nor a shutdown waits for a hanging target', async (t) => {
  const receiver = await startReceiver();
  // waiting for the target would take longer than any test may
  const { webhooks, deliveries, end, stored, close } = await setup({ timeoutMs: 2 ** 31 - 1 });
  t.teardown(() => Promise.all([close(), receiver.close()]));
  await webhooks.create({ url: receiver.url, headers: null });
  receiver.status = null;
  await end(1);
  await receiver.wait(1);
  await end(2);
  await deliveries.close();
  t.equal(receiver.received.length, 1);
  t.equal((await stored()).length, 4, 'both notices are kept for the next launch');
});

t.test('a deleted webhook gets notices from before its deletion', async (t) => {
  const receiver = await startReceiver();
  const { webhooks, end, settled, stored, close } = await setup({ timeoutMs: 2000 });
  t.teardown(() => Promise.all([close(), receiver.close()]));
  const { uuid } = await webhooks.create({ url: receiver.url, headers: null });
  receiver.status = null;
  for (const uid of [1, 2, 3]) await end(uid);
  await receiver.wait(1);
  await webhooks.delete(uuid);
  t.same(await settled({ delivered: 0, failed: 1, dropped: 2 }), { delivered: 0, failed: 1, dropped: 2 });
  await end(4);
  t.same(await stored(), []);
  t.equal(receiver.received.length, 1);
});

t.test('the oldest waiting notices are dropped beyond the limit', async (t) => {
  const dropped: number[] = [];
  const end = new AbortController();
  let isSending = false;
  const queue = new DeliveryQueue({
    uuid: 'one',
    pauses: [],
    signal: end.signal,
    log: pino({ level: 'silent' }),
    exists: () => true,
    read: async () => ({ webhook: { url: '', headers: {} }, lines: Buffer.alloc(0) }),
    send: () => {
      isSending = true;
      return new Promise((_, reject) => end.signal.addEventListener('abort', () => reject(end.signal.reason)));
    },
    forget: async (notices) => {
      dropped.push(...notices.map(({ number }) => number));
    },
  });
  for (let number = 0; number < 10_003; number++) queue.add({ number, bytes: 1 });
  t.same(dropped, [1, 2, 3]);
  await until('the first notice is being sent', () => isSending);
  queue.add({ number: 20_000, bytes: 2 ** 40 });
  t.same([queue.length, dropped.length], [2, 10_002]);
  end.abort();
  await queue.ended();
  t.same(dropped.length, 10_002, 'the end forgets nothing');
});

t.test('forbidden addresses and unresolvable names fail', async (t) => {
  const { webhooks, end, settled, close } = await setup({ pauses: [] });
  t.teardown(close);
  await webhooks.create({ url: 'http://169.254.169.254/latest/meta-data', headers: null });
  await webhooks.create({ url: 'http://[fe80::1]/', headers: null });
  await webhooks.create({ url: 'http://does-not-exist.invalid/', headers: null });
  await end(1);
  t.same(await settled({ delivered: 0, failed: 3, dropped: 0 }), { delivered: 0, failed: 3, dropped: 0 });
});
