import fs from 'node:fs';

/** A piece of the address space of a process. */
interface Mapping {
  start: number;
  end: number;
  /** Bytes in memory that are not backed by a file: the system cannot reclaim them. */
  anonymous: number;
  /** Memory of a WebAssembly instance: some gigabytes of addresses are kept free behind it. */
  isWasm: boolean;
}

const RESERVED = 2 ** 30;

/** Linux only. */
function mappings(pid: number): Mapping[] {
  const blocks = fs.readFileSync(`/proc/${pid}/smaps`, 'utf8').split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/);
  const all = blocks.map((block) => {
    const [, start, end, access] = /^([0-9a-f]+)-([0-9a-f]+) (\S+)/.exec(block)!;
    const anonymous = Number(/^Anonymous: +(\d+)/m.exec(block)![1]) * 1024;
    return { start: Number.parseInt(start!, 16), end: Number.parseInt(end!, 16), anonymous, access };
  });
  return all.map(({ access, ...each }, index) => {
    const next = all[index + 1];
    const isReserved = next?.access === '---p' && next.start === each.end && next.end - next.start >= RESERVED;
    return { ...each, isWasm: access === 'rw-p' && isReserved };
  });
}

/**
 * Says how much memory a process takes, without files that it reads and without the memories of WebAssembly that it has now:
 * segments go to one of those, and where they stood stays with the process for those to come.
 */
export function privateMemory(pid: number): () => number {
  const shared = new Set(mappings(pid).flatMap(({ start, isWasm }) => (isWasm ? [start] : [])));
  return () => mappings(pid).reduce((sum, { start, anonymous }) => sum + (shared.has(start) ? 0 : anonymous), 0);
}
