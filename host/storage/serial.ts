/** Runs jobs one after the other, so that what a job has read does not change before it writes. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(job: () => Promise<T>): Promise<T> {
    const result = this.#last.then(job);
    this.#last = result.catch(() => {});
    return result;
  }
}
