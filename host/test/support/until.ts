/** Time limit in milliseconds; so long that it is only reached when the expected event does not happen. */
const TIMEOUT_MS = 180_000;
const PAUSE_MS = 5;

/** Polls `look` until it returns something other than false and null, and returns that. @throws Error with `what` */
export async function until<T>(what: string, look: () => T | Promise<T>): Promise<Exclude<T, false | null>> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const seen = await look();
    if (seen) return seen as Exclude<T, false | null>;
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
