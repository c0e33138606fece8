import fs from 'node:fs';
import path from 'node:path';

/** Memory and CPU time of processes, read from /proc, so only on Linux. */

export const MEGABYTE = 1e6;
/** USER_HZ of Linux, the unit of times in /proc. */
const TICKS_PER_SECOND = 100;

/** Resident memory of a process and its descendants, in MB. */
export function memoryOf(pid: number): { now: number; peak: number } {
  const total = { now: 0, peak: 0 };
  for (const process of withDescendants(pid)) {
    const status = readOr(`/proc/${process}/status`);
    const kilobytes = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
    total.now += (kilobytes('VmRSS') * 1024) / MEGABYTE;
    total.peak += (kilobytes('VmHWM') * 1024) / MEGABYTE;
  }
  return total;
}

/** CPU seconds of a process and its descendants. */
export function processorSeconds(pid: number): number {
  let ticks = 0;
  for (const process of withDescendants(pid)) {
    const [, , , , , , , , , , , user = '0', system = '0'] = statOf(process);
    ticks += Number(user) + Number(system);
  }
  return ticks / TICKS_PER_SECOND;
}

function withDescendants(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of fs.readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = Number(statOf(Number(name))[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [pid];
  for (const process of found) found.push(...(children.get(process) ?? []));
  return found;
}

/** The fields of /proc/PID/stat after the name: the state first, then the parent. */
function statOf(pid: number): string[] {
  return readOr(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
}

/** A process may end while it is read. */
function readOr(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Bytes of all files below a folder; a file removed meanwhile counts 0. */
export function folderBytes(folder: string): number {
  return fs.readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return sum + folderBytes(file);
    return sum + (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}
