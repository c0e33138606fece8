import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options?: { type: 'minor' }) => void;

let collect: Collect | null = null;

/** V8 gives its collector only to contexts that are made after its flag is set. */
function collector(): Collect {
  if (!collect) {
    v8.setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as Collect;
  }
  return collect;
}

/** Collects all garbage of this thread, WebAssembly memories included; takes some 10 ms. */
export function collectAll(): void {
  collector()();
}

/** Collects the young generation and the array buffers that belong to it; takes about a millisecond. */
export function collectYoung(): void {
  collector()({ type: 'minor' });
}
