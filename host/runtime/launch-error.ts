/** A launch that cannot go on; its message is printed for the operator. */
export class LaunchError extends Error {}
