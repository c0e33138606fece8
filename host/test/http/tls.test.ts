import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import tls from 'node:tls';
import t from 'tap';
import { readTls } from '../../http/tls.js';
import { Logs } from '../../logging/logs.js';
import { readOptions } from '../../options/options.js';
import { PeregrineService } from '../../service.js';
import { testFolder } from '../support/folders.js';

interface Certificate {
  cert: string;
  key: string;
}

/** A self-signed certificate. */
function certificate(folder: string, name: string): Certificate {
  const [cert, key] = ['cert', 'key'].map((what) => path.join(folder, `${name}.${what}.pem`)) as [string, string];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, '-days', '2', ...subject], {
    stdio: 'ignore',
  });
  return { cert, key };
}

/** The status of `GET /health`, or the error code of the connection. */
function health(url: string, options: https.RequestOptions): Promise<number | string> {
  return new Promise((resolve) => {
    https
      .get(`${url}/health`, { agent: false, ...options }, (response) => {
        response.resume();
        resolve(response.statusCode!);
      })
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

/** Whether a second connection resumes the session of the first. */
async function resumes(port: number, ca: Buffer): Promise<boolean> {
  const connect = (session?: Buffer) =>
    new Promise<{ session: Buffer; reused: boolean }>((resolve, reject) => {
      const socket = tls.connect({ port, host: '127.0.0.1', ca, maxVersion: 'TLSv1.2', ...(session ? { session } : {}) }, () => {
        resolve({ session: socket.getSession()!, reused: socket.isSessionReused() });
        socket.destroy();
      });
      socket.on('error', reject);
    });
  const { session } = await connect();
  return (await connect(session)).reused;
}

t.test('the server listens with HTTPS', async (t) => {
  const folder = testFolder(t);
  const [server, friend, stranger] = ['server', 'friend', 'stranger'].map((name) => certificate(folder, name)) as Certificate[];
  const read = ({ cert, key }: Certificate) => ({ cert: fs.readFileSync(cert), key: fs.readFileSync(key) });
  const ca = fs.readFileSync(server!.cert);
  let launches = 0;

  const launch = async (...flags: string[]) => {
    const own = ['--ssl-cert-path', server!.cert, '--ssl-key-path', server!.key];
    const address = ['--db-path', path.join(folder, `db${launches++}`), '--http-addr', '127.0.0.1:0', '--no-analytics'];
    const options = readOptions([...address, ...own, ...flags], {});
    const service = await PeregrineService.open(options, Logs.silent());
    t.teardown(() => service.close());
    const url = await service.listen(options);
    const listener = service.app.server;
    return { url, listener, port: (listener.address() as { port: number }).port };
  };

  const plain = await launch();
  t.match(plain.url, /^https:/);
  t.equal(await health(plain.url, { ca }), 200);
  t.equal(await health(plain.url, { ca, headers: { 'x-long': 'x'.repeat(50_000) } }), 200, 'long headers, as over HTTP');
  t.type(await health(plain.url, {}), 'string', 'a certificate that nobody vouches for is not ours to hide');
  t.equal(await resumes(plain.port, ca), false);

  const resuming = await launch('--ssl-resumption');
  t.equal(await resumes(resuming.port, ca), true);
  const tickets = await launch('--ssl-tickets');
  t.equal(await resumes(tickets.port, ca), true);

  const ocsp = path.join(folder, 'ocsp');
  fs.writeFileSync(ocsp, 'stapled bytes');
  const asking = await launch('--ssl-auth-path', friend!.cert, '--ssl-ocsp-path', ocsp);
  t.equal(await health(asking.url, { ca }), 200, 'no certificate is needed');
  t.equal(await health(asking.url, { ca, ...read(friend!) }), 200);
  t.type(await health(asking.url, { ca, ...read(stranger!) }), 'string', 'a certificate that is not vouched for');
  const stapled = await new Promise((resolve) => {
    const options = { port: asking.port, host: '127.0.0.1', ca, requestOCSP: true };
    const socket = tls.connect(options as tls.ConnectionOptions);
    socket.on('OCSPResponse', (response) => {
      resolve(response.toString());
      socket.destroy();
    });
  });
  t.equal(stapled, 'stapled bytes');

  const strict = await launch('--ssl-auth-path', friend!.cert, '--ssl-require-auth');
  t.type(await health(strict.url, { ca }), 'string');
  t.equal(await health(strict.url, { ca, ...read(friend!) }), 200);
});

t.test('invalid certificate files end the launch', (t) => {
  const folder = testFolder(t);
  const file = path.join(folder, 'text');
  fs.writeFileSync(file, 'no certificate');
  const reading = (cert: string) => () => readTls(readOptions(['--ssl-cert-path', cert, '--ssl-key-path', file], {}));
  t.throws(reading(path.join(folder, 'missing')), /`.*missing` of --ssl-cert-path cannot be read/);
  t.throws(reading(file), /`.*text` cannot be used for HTTPS/);
  t.equal(readTls(readOptions([], {})), null);
  t.end();
});
