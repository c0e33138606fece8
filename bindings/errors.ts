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
