import fs from 'node:fs';
import os from 'node:os';
import t from 'tap';
import { testFolder } from '../support/folders.js';
import { kill, launchProcess } from '../support/process.js';

const skip = process.platform === 'linux' ? false : 'only Linux has priorities of threads';

interface Thread {
  id: number;
  priority: number;
}

function threadsOf(pid: number): Thread[] {
  const threads = fs.readdirSync(`/proc/${pid}/task`).map((id) => ({ id: Number(id), priority: os.getPriority(Number(id)) }));
  return threads.sort((a, b) => a.id - b.id);
}

const POOLS = [
  { env: {}, compilers: 4 },
  { env: { NODE_OPTIONS: '--v8-pool-size=1' }, compilers: 1 },
  { env: { NODE_OPTIONS: '--v8-pool-size=3 --v8-pool-size=2' }, compilers: 2 },
  { env: { NODE_OPTIONS: '--v8-pool-size=0' }, compilers: Math.max(1, os.availableParallelism() - 1) },
] as const;

for (const { env, compilers } of POOLS) {
  const named = Object.values(env).join('') || 'no options';
  t.test(
    `the threads on which V8 compiles have the lowest priority, all others that of the process: ${named}`,
    { skip },
    async (t) => {
      const { child, url } = launchProcess({ folder: testFolder(t), env });
      t.teardown(() => kill(child));
      await url;
      const pid = child.pid as number;
      const isLow = ({ priority }: Thread) => priority === os.constants.priority.PRIORITY_LOW;
      const threads = threadsOf(pid);
      t.equal(threads[0]!.id, pid);
      // One more thread delays tasks.
      const low = 1 + compilers;
      t.same(threads.filter(isLow), threads.slice(1, 1 + low));
      t.ok(threads.slice(1 + low).every(({ priority }) => priority === threads[0]!.priority));
      t.ok(threads.length > 6 + compilers, 'search threads, those of RocksDB and of files');
    },
  );
}
