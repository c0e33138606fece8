import fs from 'node:fs';
import type { Server } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';

/** Limits of this process; Linux only. */
const LIMITS_FILE = '/proc/self/limits';
const OPEN_FILES = /^Max open files +(\d+)/m;
/** A server at rest has 60 descriptors; the ledger, segments and payloads need more for a moment. */
const LEAST_FOR_FILES = 128;
const MOST_FOR_FILES = 512;
/** Milliseconds between two warnings. */
const WARNING_MS = 10_000;

/** Most connections of a process with this many file descriptors. A quarter of them is for files, within bounds. */
export function mostConnections(descriptors: number): number {
  const forFiles = Math.min(MOST_FOR_FILES, Math.max(LEAST_FOR_FILES, descriptors >> 2));
  return Math.max(descriptors - forFiles, descriptors >> 2);
}

/**
 * Closes new connections when so many are open that files could no longer be opened: then writes would be refused, and tasks fail. Where
 * the number of file descriptors is unknown or not limited, connections are not limited either.
 */
export function limitConnections(server: Server, log: FastifyBaseLogger): void {
  const descriptors = OPEN_FILES.exec(fs.existsSync(LIMITS_FILE) ? fs.readFileSync(LIMITS_FILE, 'utf8') : '')?.[1];
  if (descriptors === undefined) return;
  const most = mostConnections(Number(descriptors));
  server.maxConnections = most;
  let warned = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    if (performance.now() - warned < WARNING_MS) return;
    warned = performance.now();
    log.warn({ connections: most, descriptors: Number(descriptors) }, 'too many connections: new ones are closed');
  });
}
