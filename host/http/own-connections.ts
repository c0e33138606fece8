import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';

const LOOPBACK = '127.0.0.1';
/** The ends at the server. */
const own = new WeakSet<Socket>();

/** Does a request come from the process itself? Then nobody counts it. */
export function isOwn({ socket }: IncomingMessage): boolean {
  return own.has(socket);
}

/**
 * A connection of the process to its own server, whatever that listens on, and past its TLS: the other end. Its requests go the way of all
 * others. A port of the loopback interface is open while it is being made, for the first who comes: were it somebody else, that would be
 * a connection like any, and this one of no use.
 */
export async function connectToSelf(server: Server): Promise<Socket> {
  const door = net.createServer({ allowHalfOpen: true, noDelay: true });
  door.listen(0, LOOPBACK);
  await once(door, 'listening');
  const client = net.connect({ host: LOOPBACK, port: (door.address() as AddressInfo).port, noDelay: true });
  // whoever uses it learns from the end of the connection
  client.on('error', () => {});
  try {
    const [[end]] = (await Promise.all([once(door, 'connection'), once(client, 'connect')])) as [[Socket], unknown];
    own.add(end);
    server.emit(server instanceof tls.Server ? 'secureConnection' : 'connection', end);
    return client;
  } finally {
    door.close();
  }
}
