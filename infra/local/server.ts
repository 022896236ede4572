import { randomUUID } from 'node:crypto';
import { finished } from 'node:stream/promises';
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { errorEnvelope, failures, sentences } from '../../shared/contract/errors.ts';
import { encode } from './gateway/compression.ts';
import { Connections } from './connections.ts';
import { type Cost, costOf, troublesOf } from './functions/cost.ts';
import type { HttpRequest, HttpResponse } from './gateway/http-message.ts';
import { maxBytes } from './gateway/integrations.ts';
import { LocalError, localMessageOf } from './local-error.ts';
import { isLoopback, listenOnLoopback } from './loopback.ts';
import { earlyResponse } from './gateway/gateway-responses.ts';
import { Failure } from '../../shared/core/failure.ts';

/** A served request, for the terminal. */
export interface ServedRequest {
  method: string;
  path: string;
  status: number;
  milliseconds: number;
  cost: Cost;
  /** Errors, and other output of functions. */
  troubles: string[];
}

type RequestHandler = (request: HttpRequest) => Promise<HttpResponse>;

/** A response, and the lines that the terminal shows about it. */
type HandledResponse = HttpResponse & { troubles: string[] };

/** Creates an HTTP server that answers by `answer`. Calls `served` after every request that could be read. */
export function httpServer(answer: RequestHandler, served: (line: ServedRequest) => void): Server {
  // Otherwise Node.js itself answers a request without a host, and not in the envelope.
  const server = createServer({ requireHostHeader: false });
  const connections = new Connections();
  const handle = (
    request: IncomingMessage,
    response: ServerResponse,
    respond: (abandoned: AbortSignal) => HandledResponse | Promise<HandledResponse>,
  ) => {
    const abandoned = connections.begin(request, response);
    void serve(request, response, () => respond(abandoned)).then(served, (error: unknown) => {
      if (abandoned.aborted) return;
      // Either the client is gone, or a function's answer cannot be sent.
      if (!request.socket.destroyed) process.stderr.write(`${localMessageOf(error)}\n`);
      response.destroy();
    });
  };
  server.on('request', (request, response) => {
    handle(request, response, (abandoned) => respondTo(request, answer, abandoned));
  });
  // The body is not read, because the client may wait for this answer before it sends one.
  server.on('checkExpectation', (request, response) => {
    handle(request, response, () => errorResponse(new Failure('invalid', sentences.unknownExpectation)));
  });
  server.on('clientError', (_, socket) => void connections.end(socket, unreadable()));
  server.on('connect', (_, socket) => void connections.end(socket, unreadable()));
  return server;
}

/**
 * Listens on a port, and returns the port; 0 chooses a free port. Listens on loopback only, because the demo
 * tokens are public.
 * @throws LocalError if the port is in use or not allowed
 */
export async function listen(server: Server, port: number): Promise<number> {
  try {
    return await listenOnLoopback(server, port);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') {
      throw new LocalError(
        `Port ${port} is in use: stop what is running there, or choose another with --port.`,
      );
    }
    if (code === 'EACCES')
      throw new LocalError(`Port ${port} is not allowed: choose one above 1023 with --port.`);
    throw error;
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  respond: () => HandledResponse | Promise<HandledResponse>,
): Promise<ServedRequest> {
  const startedAt = performance.now();
  const { method = '', url = '' } = request;
  const { status, headers, body, coding, outcomes, troubles } = await respond();
  const bytes = await encode(body, coding);
  const cost = costOf(outcomes);
  const { calls, readUnits, writeUnits } = cost.endpoint;
  response.writeHead(status, {
    ...headers,
    ...(coding && { 'Content-Encoding': coding }),
    // A 304 would state the length of the response that the client already has (RFC 9110, section 8.6).
    ...(status !== 304 && { 'Content-Length': bytes.length }),
    // DynamoDB capacity that the request consumed. Only this machine adds it.
    'X-Local-Cost': `calls=${calls} read=${readUnits} write=${writeUnits}`,
  });
  response.end(method === 'HEAD' ? undefined : bytes);
  const path = url.split('?')[0] ?? '';
  return { method, path, status, milliseconds: performance.now() - startedAt, cost, troubles };
}

async function respondTo(
  request: IncomingMessage,
  answer: RequestHandler,
  abandoned: AbortSignal,
): Promise<HandledResponse> {
  try {
    const body = await bodyOf(request, abandoned);
    const problem = hostProblem(request);
    if (problem !== undefined) return errorResponse(new Failure('invalid', problem));
    if (!body) return { ...earlyResponse('tooLarge'), troubles: [] };
    const result = await answer(wireRequest(request, body));
    return { ...result, troubles: troublesOf(result.outcomes) };
  } catch (error) {
    if (request.socket.destroyed || abandoned.aborted) throw error;
    const reason = error instanceof LocalError ? error.message : sentences.internal;
    return { ...errorResponse(new Failure('internal', reason)), troubles: [localMessageOf(error)] };
  }
}

/**
 * Describes the problem of a request's host, in its header or its target (RFC 9112, section 3.2); undefined
 * without one. Only this machine's own names are allowed, against DNS rebinding: a web page could otherwise
 * use the demo tokens, which are public.
 */
function hostProblem({ httpVersion, headersDistinct, url = '' }: IncomingMessage): string | undefined {
  const { host: hosts = [] } = headersDistinct;
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion !== '1.0')) return sentences.noHost;
  const [, inTarget] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url) ?? [];
  const named = inTarget === undefined ? hosts : [...hosts, inTarget];
  return named.every(isLoopback) ? undefined : sentences.otherHost;
}

/** Builds an error response of this server itself, in the envelope. */
function errorResponse(failure: Failure): HandledResponse {
  const requestId = randomUUID();
  return {
    status: failures[failure.kind].status,
    headers: { 'Content-Type': 'application/json', 'X-Request-Id': requestId },
    body: JSON.stringify(errorEnvelope(failure, requestId)),
    outcomes: [],
    troubles: [],
  };
}

/** Builds the raw response to bytes that are no HTTP request. */
function unreadable(): string {
  const { status, headers, body } = errorResponse(new Failure('invalid', sentences.badRequest));
  const all = { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n');
}

function wireRequest(request: IncomingMessage, body: Buffer): HttpRequest {
  const { method = '', url: target = '/', rawHeaders, socket } = request;
  const headers = rawHeaders.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : [],
  );
  return { method, target, headers, body, sourceIp: socket.remoteAddress ?? '' };
}

/**
 * Reads the body; undefined if it is too large. Even then it is read to its end, so that the client reads the
 * answer.
 */
async function bodyOf(request: IncomingMessage, signal: AbortSignal): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  });
  await finished(request, { signal });
  return bytes <= maxBytes ? Buffer.concat(chunks) : undefined;
}
