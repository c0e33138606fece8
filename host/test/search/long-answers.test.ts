import { setTimeout as delay } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import t from 'tap';
import { LongAnswers } from '../../search/ring/long-answers.js';
import type { FromWorker } from '../../search/ring/messages.js';

/** All interleavings of the lists; each keeps the order within every list. */
function* interleavings<T>(a: readonly T[], b: readonly T[]): Generator<T[]> {
  if (a.length === 0 || b.length === 0) return yield [...a, ...b];
  for (const rest of interleavings(a.slice(1), b)) yield [a[0]!, ...rest];
  for (const rest of interleavings(a, b.slice(1))) yield [b[0]!, ...rest];
}

/** A request in slot 0 is abandoned and its thread ends; the next request in the slot gets a long answer from another thread. */
const LIVES = ['the first posts', 'the slot is freed', 'the second posts', 'the slot is done'] as const;
type Step = (typeof LIVES)[number] | 'messages are handed over';

t.test('a long answer to an abandoned request goes to no other request, in any order of messages', async (t) => {
  const handOvers = ['messages are handed over', 'messages are handed over'] as const;
  for (const order of interleavings<Step>(LIVES, handOvers)) {
    const channels = [new MessageChannel(), new MessageChannel()];
    const answers = new LongAnswers();
    const onMessage = (message: FromWorker) => {
      if (message.type === 'answer') answers.keep(message.slot, message.bytes);
    };
    const [first, second] = channels.map(({ port2 }) => port2);
    let listens = false;
    const post = (port: typeof first, byte: number) => {
      port!.postMessage({ type: 'answer', slot: 0, bytes: Uint8Array.of(byte) });
    };
    // all messages of the ended thread have arrived, and another port has taken its place
    const ports = channels.map(({ port1 }) => port1);
    const steps: Record<Step, () => void | Promise<void>> = {
      'the first posts': () => post(first, 1),
      'messages are handed over': async () => {
        for (const port of listens ? [] : ports) port.on('message', onMessage);
        listens = true;
        await delay(1);
        for (const port of ports) port.off('message', onMessage);
        listens = false;
      },
      'the slot is freed': () => {
        answers.take(0, [ports[0]!], onMessage);
        answers.drop(0);
      },
      'the second posts': () => post(second, 2),
      'the slot is done': () => {
        t.same(answers.take(0, ports, onMessage), Uint8Array.of(2), order.join(', '));
      },
    };
    for (const step of order) await steps[step]();
    for (const { port1 } of channels) port1.close();
  }
});
