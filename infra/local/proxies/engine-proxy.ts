import {
  Agent as HttpAgent,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { localCredentials } from '../engine.ts';
import { isFromWebPage, startServer, type RunningServer, webPagesRefused } from '../loopback.ts';
import { asDocumented, callOf, deniedMessage, type Permissions, requiredPermissions } from '../role.ts';

/** A server in front of the engine, which passes on every call that it does not refuse. */
export type EngineProxy = RunningServer;

/** Receives a call that the engine carried out. */
export type OnPassed = (operation: string, body: Buffer) => void;

/** Refusal of a call, as the name and the message of DynamoDB's error. */
export interface Refusal {
  name: string;
  message: string;
}

/**
 * Starts a proxy that answers programs and no web page; an engine itself may answer any web page. The engine
 * sees one access key for all callers, because an engine may keep one database per key. The one key
 * invalidates the signature, which only AWS would check.
 * @param engineEndpoint calls wait until it is known
 * @param at address and port, by default loopback and a free port; names of the address
 * @throws every error of `listen`
 */
export async function startEngineProxy(
  engineEndpoint: string | Promise<string>,
  refuse: (request: IncomingMessage, body: Buffer) => Refusal | undefined,
  {
    names = [],
    passed = () => undefined,
    ...at
  }: { host?: string; port?: number; names?: string[]; passed?: OnPassed } = {},
): Promise<EngineProxy> {
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const refusal = isFromWebPage(request, names)
      ? { name: 'AccessDeniedException', message: webPagesRefused }
      : refuse(request, body);
    if (refusal) {
      response.writeHead(400, { 'Content-Type': 'application/x-amz-json-1.0' });
      response.end(
        JSON.stringify({ __type: `com.amazon.coral.service#${refusal.name}`, message: refusal.message }),
      );
      return;
    }
    const endpoint = await engineEndpoint;
    const { host, protocol } = new URL(endpoint);
    const authorization = withKeyOfThisMachine(request.headers.authorization);
    const headers = { ...request.headers, host, authorization };
    const secure = protocol === 'https:';
    const options = { agent: secure ? agents.https : agents.http, method: request.method, headers };
    const onward = (secure ? httpsRequest : httpRequest)(endpoint, options);
    onward.end(body);
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      onward.once('response', resolve).once('error', reject);
    });
    if (reply.statusCode === 200) passed(callOf(request).operation, body);
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    await pipeline(reply, response);
  }

  const server = await startServer(pass, at);
  return {
    endpoint: server.endpoint,
    close: async () => {
      agents.http.destroy();
      agents.https.destroy();
      await server.close();
    },
  };
}

const withKeyOfThisMachine = (authorization = '') =>
  authorization.replace(/Credential=[^/]*\//, `Credential=${localCredentials.AWS_ACCESS_KEY_ID}/`);

/**
 * A proxy in front of the engine that passes on the calls that the calling function's role allows, as IAM
 * does. The access key id names the function.
 */
export type RoleGuard = EngineProxy;

interface GuardOptions {
  /** Checks every permission that a call needs, up to the first that is denied. */
  permissions: Permissions;
  /**
   * True if DynamoDB may supply keys to conditions only where AWS documents it. The role must then allow a call with and
   * without these keys. Otherwise it must allow the call with them.
   */
  mayLackLeadingKeys?: boolean | undefined;
  passed?: OnPassed;
}

export function startRoleGuard(
  engineEndpoint: string,
  { permissions, mayLackLeadingKeys = false, passed }: GuardOptions,
): Promise<RoleGuard> {
  const refuse = (request: IncomingMessage, body: Buffer): Refusal | undefined => {
    const { functionName, operation } = callOf(request);
    const required = requiredPermissions(operation, JSON.parse(body.toString()));
    const documented = mayLackLeadingKeys ? required.map(asDocumented) : [];
    const denied =
      required.find((permission) => !permissions.check(functionName, permission)) ??
      documented.find((permission) => !permissions.allows(functionName, permission));
    if (!denied) return undefined;
    const keys = denied.leadingKeys?.join(', ') ?? 'no key';
    return { name: 'AccessDeniedException', message: `${deniedMessage(functionName, denied)} (${keys})` };
  };
  return startEngineProxy(engineEndpoint, refuse, { ...(passed && { passed }) });
}
