import fs from 'node:fs';

/** A mapping in the address space of a process. */
interface Mapping {
  start: number;
  end: number;
  /** Resident bytes that are not backed by a file, so that the system cannot reclaim them. */
  anonymous: number;
  /** Whether it is the memory of a WebAssembly instance: some gigabytes of addresses are reserved behind it. */
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
 * Returns a function that measures the memory of a process, without mapped files and without the WebAssembly memories that it has now:
 * these are for segments, and are kept by the process for later ones.
 */
export function privateMemory(pid: number): () => number {
  const shared = new Set(mappings(pid).flatMap(({ start, isWasm }) => (isWasm ? [start] : [])));
  return () => mappings(pid).reduce((sum, { start, anonymous }) => sum + (shared.has(start) ? 0 : anonymous), 0);
}
