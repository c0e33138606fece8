const FLAG = '--no-experimental-require-module';

/**
 * Arguments of Node.js for the threads of a pool. Piscina loads a module by `require` where that takes ES modules, and a thread that is
 * ended in the midst of it has ended the process with it; without, it loads by `import`. Arguments of the process are not handed on, as
 * a thread refuses many of them; those of `NODE_OPTIONS` and of V8 hold in threads too.
 */
export const THREAD_ARGUMENTS = process.allowedNodeEnvironmentFlags.has(FLAG) ? [FLAG] : [];
