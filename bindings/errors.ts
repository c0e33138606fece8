/** An error with a documented code: what every route, search and task reports. */
export class ApiError extends Error {
  /** @param status of the answer, where it is not that of the code */
  constructor(
    readonly code: string,
    message: string,
    readonly status?: number,
  ) {
    super(message);
  }
}

/** A request needs more scratch than an instance of the engine may take, or than is left: the instance goes on with the next one. */
export class ScratchExhausted extends ApiError {}
