/** Time limit in milliseconds, only reached when an expected event does not happen, however busy the machine is. */
const PATIENCE_MS = 180_000;
const PAUSE_MS = 5;

/** Looks again and again until there is something to see, and returns it. @throws Error that says `what` did not come */
export async function until<T>(what: string, look: () => T | Promise<T>): Promise<Exclude<T, false | null>> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (seen) return seen as Exclude<T, false | null>;
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
