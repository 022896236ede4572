import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { listenOnLoopback } from '../../../infra/local/loopback.ts';

/** A service over TLS, as AWS's services are. */
export interface TlsProxy {
  endpoint: string;
  /** File of the certificate that a client must trust, for `NODE_EXTRA_CA_CERTS`. */
  certificate: string;
  close(): void;
}

/** Puts TLS before a service without it. */
export async function startTlsProxy(endpoint: string): Promise<TlsProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'tls-proxy-'));
  const certificate = join(folder, 'certificate.pem');
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
  });
  writeFileSync(certificate, cert);
  const agent = new Agent({ keepAlive: true });
  const server = createServer({ key, cert }, (request, response) => {
    const { method, headers } = request;
    const onward = httpRequest(endpoint, { agent, method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  const port = await listenOnLoopback(server);
  return {
    endpoint: `https://localhost:${port}`,
    certificate,
    close: () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
      rmSync(folder, { recursive: true });
    },
  };
}
