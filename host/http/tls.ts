import { constants } from 'node:crypto';
import fs from 'node:fs';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket, type TlsOptions } from 'node:tls';
import type { Options } from '../options/launch.js';
import { LaunchError } from '../runtime/launch-error.js';

/** TLS sessions that are kept for resumption. */
const SESSIONS = 256;

/** The TLS options of the listener, and the setup of the server after it was created. */
export interface Tls {
  options: TlsOptions;
  prepare(server: Server): void;
}

/** null: plain HTTP. @throws {LaunchError} when a file cannot be read or is malformed */
export function readTls(options: Options): Tls | null {
  const { sslCertPath, sslKeyPath, sslAuthPath, sslOcspPath, sslRequireAuth, sslResumption, sslTickets } = options;
  if (sslCertPath === null || sslKeyPath === null) return null;
  const roots = sslAuthPath === null ? {} : { ca: read('--ssl-auth-path', sslAuthPath) };
  const context = { cert: read('--ssl-cert-path', sslCertPath), key: read('--ssl-key-path', sslKeyPath), ...roots };
  const stapled = sslOcspPath === null ? null : read('--ssl-ocsp-path', sslOcspPath);
  try {
    createSecureContext(context);
  } catch (error) {
    const files = [sslCertPath, sslKeyPath, sslAuthPath].filter((file) => file !== null).map((file) => `\`${file}\``);
    throw new LaunchError(`The files ${files.join(', ')} cannot be used for HTTPS: ${(error as Error).message}`);
  }
  return {
    options: {
      ...context,
      requestCert: sslAuthPath !== null,
      rejectUnauthorized: sslRequireAuth,
      secureOptions: sslTickets ? 0 : constants.SSL_OP_NO_TICKET,
    },
    prepare(server) {
      if (sslAuthPath !== null) server.on('secureConnection', refuseUnknown);
      if (stapled) server.on('OCSPRequest', (_certificate, _issuer, done) => done(null, stapled));
      if (sslResumption) keepSessions(server);
    },
  };
}

function read(flag: string, file: string): Buffer {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    throw new LaunchError(`The file \`${file}\` of ${flag} cannot be read: ${(error as Error).message}`);
  }
}

/**
 * Refuses clients whose certificate the configured roots did not sign. A client without a certificate is accepted, unless
 * certificates are required. Requests injected by the process itself have no TLS socket.
 */
function refuseUnknown(socket: Socket): void {
  if (!(socket instanceof TLSSocket)) return;
  if (!socket.authorized && Object.keys(socket.getPeerCertificate()).length > 0) socket.destroy();
}

/** Keeps the newest sessions in memory. */
function keepSessions(server: Server): void {
  const sessions = new Map<string, Buffer>();
  server.on('newSession', (id, session, done) => {
    sessions.set(id.toString('hex'), session);
    if (sessions.size > SESSIONS) sessions.delete(sessions.keys().next().value!);
    done();
  });
  server.on('resumeSession', (id, done) => done(null, sessions.get(id.toString('hex')) ?? null));
}
