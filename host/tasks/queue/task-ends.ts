/** Lets requests wait for the end of tasks. */
export class TaskEnds {
  /** By uid of the task: callbacks of those who wait. */
  readonly #waiting = new Map<number, Set<() => void>>();

  /** Resolves when the task has ended, after so many milliseconds, or when the signal is aborted. */
  wait(uid: number, milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        const others = this.#waiting.get(uid);
        others?.delete(done);
        if (others?.size === 0) this.#waiting.delete(uid);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      signal.addEventListener('abort', done);
      this.#waiting.set(uid, (this.#waiting.get(uid) ?? new Set()).add(done));
    });
  }

  /** The task has ended. */
  announce(uid: number): void {
    for (const done of this.#waiting.get(uid) ?? []) done();
  }
}
