import { randomUUID } from 'node:crypto';
import { finished } from 'node:stream/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { errorEnvelope, Failure, sentences } from '../../shared/endpoints/errors.ts';
import { costOf, troublesOf, type Cost } from './cost.ts';
import { mostBytes, type WireAnswer, type WireRequest } from './gateway.ts';
import { LocalError, sentenceOf } from './local-error.ts';
import { listenOnLoopback } from './loopback.ts';

/** How one request went, for the terminal. */
export interface Served {
  method: string;
  path: string;
  status: number;
  milliseconds: number;
  cost: Cost;
  /** What went wrong inside, or what a function wrote. */
  troubles: string[];
}

type Answerer = (request: WireRequest) => Promise<WireAnswer>;

/** An HTTP server before `answer`; `served` is told of every request. */
export function httpServer(answer: Answerer, served: (line: Served) => void): Server {
  const server = createServer((request, response) => {
    void serve(request, response, answer).then(served, (error: unknown) => {
      // Either the client went away, or what a function answered cannot be sent.
      if (!request.socket.destroyed) process.stderr.write(`${sentenceOf(error)}\n`);
      response.destroy();
    });
  });
  server.on('clientError', (_, socket) => {
    if (!socket.writable) return;
    const requestId = randomUUID();
    const body = JSON.stringify(errorEnvelope(new Failure('invalid', sentences.badRequest), requestId));
    const head = `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nX-Request-Id: ${requestId}\r\n`;
    socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
  });
  return server;
}

/**
 * Listens on a port, 0 for any free one, and tells which. For this machine alone: anyone can know the demo tokens.
 * @throws LocalError when the port cannot be had.
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

async function serve(request: IncomingMessage, response: ServerResponse, answer: Answerer): Promise<Served> {
  const startedAt = performance.now();
  const { method = '', url = '' } = request;
  const { status, headers, body, outcomes, troubles } = await answerTo(request, answer);
  const cost = costOf(outcomes);
  const { calls, readUnits, writeUnits } = cost.endpoint;
  response.writeHead(status, {
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    // What a bill would say, for whoever is looking: of this machine only.
    'X-Local-Cost': `calls=${calls} read=${readUnits} write=${writeUnits}`,
  });
  response.end(method === 'HEAD' ? undefined : body);
  const path = url.split('?')[0] ?? '';
  return { method, path, status, milliseconds: performance.now() - startedAt, cost, troubles };
}

async function answerTo(
  request: IncomingMessage,
  answer: Answerer,
): Promise<WireAnswer & { troubles: string[] }> {
  try {
    const body = await bodyOf(request);
    // The one answer that API Gateway does not let anyone word.
    if (!body) return { ...json(413, '{"message":"Request Too Long"}'), troubles: [] };
    const result = await answer(wireRequest(request, body));
    return { ...result, troubles: troublesOf(result.outcomes) };
  } catch (error) {
    if (request.socket.destroyed) throw error;
    const reason = error instanceof LocalError ? error.message : sentences.internal;
    const failure = new Failure('internal', reason);
    const requestId = randomUUID();
    const answer = json(500, JSON.stringify(errorEnvelope(failure, requestId)));
    return {
      ...answer,
      headers: { ...answer.headers, 'X-Request-Id': requestId },
      troubles: [sentenceOf(error)],
    };
  }
}

const json = (status: number, body: string): WireAnswer => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body,
  outcomes: [],
});

function wireRequest(request: IncomingMessage, body: Buffer): WireRequest {
  const { method = '', url: target = '/', rawHeaders, socket } = request;
  const headers = rawHeaders.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : [],
  );
  return { method, target, headers, body, sourceIp: socket.remoteAddress ?? '' };
}

/** The whole body, read to its end so that the answer can be read too; undefined for one that is too large. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= mostBytes) chunks.push(chunk);
  });
  await finished(request);
  return bytes <= mostBytes ? Buffer.concat(chunks) : undefined;
}
