/** Runs jobs one after the other: what a job reads cannot change before it has written. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(job: () => Promise<T>): Promise<T> {
    const result = this.#last.then(job);
    this.#last = result.catch(() => {});
    return result;
  }
}
