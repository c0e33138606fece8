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

t.test('the threads on which V8 compiles have the lowest priority, all others that of the process', { skip }, async (t) => {
  const { child, url } = launchProcess(testFolder(t));
  t.teardown(() => kill(child));
  await url;
  const pid = child.pid as number;
  const isLow = ({ priority }: Thread) => priority === os.constants.priority.PRIORITY_LOW;
  const threads = threadsOf(pid);
  t.equal(threads[0]!.id, pid);
  t.same(threads.filter(isLow), threads.slice(1, 6));
  t.ok(threads.slice(6).every(({ priority }) => priority === threads[0]!.priority));
  t.ok(threads.length > 10, 'search threads, those of RocksDB and of files');
});
