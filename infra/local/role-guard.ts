import {
  Agent as HttpAgent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { localCredentials } from './engine.ts';
import { closeAll, listenOnLoopback } from './loopback.ts';
import { callOf, demandsOf, isAllowed, type NoteAsked, type RoleOf } from './role.ts';

/**
 * A proxy before the engine that lets through what the calling function's role allows, as IAM does. It knows
 * a function by its access key id. The engine sees one key for all, since an engine may keep a database per
 * key. That invalidates the signature, which only AWS would check.
 */
export interface RoleGuard {
  endpoint: string;
  close(): Promise<void>;
}

/** `noteAsked` is told every permission that a call needs, up to the first that is denied. */
export async function startRoleGuard(
  engineEndpoint: string,
  roleOf: RoleOf,
  noteAsked: NoteAsked = () => undefined,
): Promise<RoleGuard> {
  const { host, protocol } = new URL(engineEndpoint);
  const secure = protocol === 'https:';
  const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive: true });
  const requestEngine = secure ? httpsRequest : httpRequest;
  const server = createServer((request, response) => {
    void guard(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });

  async function guard(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const { functionName, operation } = callOf(request);
    const denied = demandsOf(operation, JSON.parse(body.toString())).find(
      (demand) => !isAllowed(functionName, demand, { roleOf, noteAsked }),
    );
    if (denied) {
      const keys = denied.leadingKeys?.join(', ') ?? 'no key';
      const message = `The role of ${functionName} does not allow ${denied.action} on ${denied.resource} (${keys})`;
      response.writeHead(400, { 'Content-Type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException', message }));
      return;
    }
    const authorization = withKeyOfThisMachine(request.headers.authorization);
    const headers = { ...request.headers, host, authorization };
    const onward = requestEngine(engineEndpoint, { agent, method: request.method, headers });
    onward.end(body);
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      onward.once('response', resolve).once('error', reject);
    });
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    await pipeline(reply, response);
  }

  const port = await listenOnLoopback(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      agent.destroy();
      await closeAll(server);
    },
  };
}

const withKeyOfThisMachine = (authorization = '') =>
  authorization.replace(/Credential=[^/]*\//, `Credential=${localCredentials.AWS_ACCESS_KEY_ID}/`);
