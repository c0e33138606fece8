const FLAG = '--no-experimental-require-module';

/**
 * Node.js arguments for the threads of a pool. Piscina loads a worker module by `require` where that accepts ES modules, and
 * terminating a thread during that call terminated the process; with this flag it uses `import`. The arguments of the process are
 * not passed on, because threads refuse many of them; `NODE_OPTIONS` and V8 flags apply to threads anyway.
 */
export const THREAD_ARGUMENTS = process.allowedNodeEnvironmentFlags.has(FLAG) ? [FLAG] : [];
