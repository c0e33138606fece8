import net from 'node:net';
import { AnswerReader } from './answer-reader.js';
import type { LoadOrder, LoadResult } from './load.js';
import { percentile } from './statistics.js';

/** Entry of the process that generates load: it receives one order and sends one result. */

function run({ host, port, requests, connections, seconds, once = false, expected = 200 }: LoadOrder): Promise<LoadResult> {
  const milliseconds: number[] = [];
  let failed = 0;
  let next = 0;
  const start = performance.now();
  const deadline = start + seconds * 1000;
  const connection = (): Promise<void> =>
    new Promise((done, fail) => {
      const socket = net.connect({ host, port, noDelay: true });
      let sent = 0;
      const send = (): void => {
        sent = performance.now();
        socket.write(requests[next++ % requests.length] as string);
      };
      const reader = new AnswerReader((status) => {
        const now = performance.now();
        milliseconds.push(now - sent);
        if (status !== expected) failed++;
        if (now < deadline && (!once || next < requests.length)) send();
        else socket.end(done);
      });
      socket.on('connect', send);
      socket.on('data', (data) => reader.push(data));
      socket.on('error', fail);
    });
  return Promise.all(Array.from({ length: connections }, connection)).then(() => {
    const elapsed = (performance.now() - start) / 1000;
    milliseconds.sort((a, b) => a - b);
    const at = (share: number): number => percentile(milliseconds, share);
    return {
      requestsPerSecond: milliseconds.length / elapsed,
      p50: at(0.5),
      p95: at(0.95),
      p99: at(0.99),
      max: milliseconds.at(-1) ?? 0,
      failed,
    };
  });
}

process.once('message', async (order) => {
  const result = await run(order as LoadOrder);
  process.send?.(result, () => process.disconnect());
});
