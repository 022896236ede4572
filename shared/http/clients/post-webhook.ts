import { lookup as systemLookup } from 'node:dns';
import { Agent as HttpAgent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { TLSSocket } from 'node:tls';
import { cutText } from '../../core/cut-text.ts';
import { storable } from '../../core/readable.ts';
import { realSystem, type System } from '../../core/system.ts';
import { timeLimits } from '../../core/waits.ts';
import { networkOf, type Posted, type PostWebhook } from '../../domain/webhooks/receiver.ts';
import {
  allowedLookup,
  isLoopback,
  isPublic,
  mayBeAllowed,
  UnreachableHost,
  type Lookup,
} from './reachable-address.ts';

/** Maximum number of bytes that are read of an answer's body, and of characters that are kept. */
const [maxBytes, maxCharacters] = [1024, 1000];

interface PostSettings {
  /** True if this computer may be reached too, also by http and at any port. */
  reachesLoopback?: boolean;
  lookup?: Lookup;
  /** Milliseconds of an attempt, and of waiting for the rest of the answer once its status is known. */
  limits?: { attempt: number; answer: number };
  /** Certificate that is trusted instead of the usual ones. */
  ca?: string;
  system?: Pick<System, 'now'>;
}

/**
 * Returns a function that posts only by https to port 443 of public addresses. The function follows no redirect, and
 * keeps connections for the next event.
 */
export function newPostWebhook({
  reachesLoopback = false,
  lookup = systemLookup,
  limits = { attempt: timeLimits.webhookAttempt, answer: timeLimits.webhookAnswer },
  ca,
  system = realSystem,
}: PostSettings = {}): PostWebhook {
  const agentOptions = (isAllowed: (address: string) => boolean) => ({
    keepAlive: true,
    autoSelectFamily: true,
    timeout: timeLimits.webhookIdle,
    lookup: allowedLookup(lookup, isAllowed),
    ...(ca !== undefined && { ca }),
  });
  const publicHttps = new HttpsAgent(agentOptions(isPublic));
  const loopbackHttps = new HttpsAgent(agentOptions(isLoopback));
  const loopbackHttp = new HttpAgent(agentOptions(isLoopback));
  const agentFor = (url: URL): HttpAgent | undefined => {
    switch (networkOf(url, { reachesLoopback })) {
      case 'public':
        return mayBeAllowed(url.hostname, isPublic) ? publicHttps : undefined;
      case 'loopback':
        return url.protocol === 'https:' ? loopbackHttps : loopbackHttp;
      case undefined:
        return undefined;
    }
  };

  const post: (...post: Parameters<PostWebhook>) => Promise<Omit<Posted, 'milliseconds'>> = async (
    url,
    headers,
    body,
  ) => {
    const to = URL.parse(url);
    const agent = to && agentFor(to);
    if (!agent) return unanswered('ADDRESS');
    const signal = AbortSignal.timeout(limits.attempt);
    const sentHeaders = {
      ...headers,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'User-Agent': 'sales-pipeline-service',
    };
    for (;;) {
      const sent = request(to, { method: 'POST', agent, signal, headers: sentHeaders });
      const stage = stageOf(sent);
      const isAnswerBegun = watchAnswer(sent);
      try {
        const answer = await answerTo(sent, body);
        const {
          statusCode: status,
          headers: { 'retry-after': wait },
        } = answer;
        return { status, body: await textOf(answer, limits.answer), ...retryAfter(wait, system.now()) };
      } catch (error) {
        if (signal.aborted) return unanswered('TIMEOUT');
        if (error instanceof UnreachableHost) return unanswered('ADDRESS');
        // A receiver may close a kept connection at any time. If no byte of an answer has come, this says nothing about
        // the event, and the event is sent again.
        if (!sent.reusedSocket || isAnswerBegun()) return unanswered(stage());
      }
    }
  };
  return async (...args) => {
    const began = performance.now();
    const posted = await post(...args);
    return { ...posted, milliseconds: Math.round(performance.now() - began) };
  };
}

const unanswered = (failure: NonNullable<Posted['failure']>) => ({ status: undefined, failure, body: '' });

/** Returns a function that tells which stage fails if the request fails now, once there is an address. */
function stageOf(sent: ClientRequest): () => 'CONNECTION' | 'TLS' {
  let stage: 'CONNECTION' | 'TLS' = 'CONNECTION';
  sent.once('socket', (socket) => {
    if (!(socket instanceof TLSSocket)) return;
    socket.once('connect', () => (stage = 'TLS'));
    socket.once('secureConnect', () => (stage = 'CONNECTION'));
  });
  return () => stage;
}

/** Returns a function that tells if a byte of the answer has come. */
function watchAnswer(sent: ClientRequest): () => boolean {
  let bytesOfAnswer = () => 0;
  sent.once('socket', (socket) => {
    const before = socket.bytesRead;
    bytesOfAnswer = () => socket.bytesRead - before;
  });
  return () => bytesOfAnswer() > 0;
}

/** Sends the body, and returns the answer as soon as its headers are there. @throws Error if there is none */
function answerTo(sent: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.on('error', reject);
    sent.once('close', () => {
      reject(new Error('The connection was closed'));
    });
    sent.end(body);
  });
}

/** Beginning of the answer's body. The rest is not read: the connection is closed. */
function textOf(answer: IncomingMessage, limit: number): Promise<string> {
  return new Promise((resolve) => {
    const end = () => answer.destroy();
    const timer = setTimeout(end, limit);
    const chunks: Buffer[] = [];
    let left = maxBytes;
    answer.on('data', (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, left));
      left -= chunk.length;
      if (left < 0) end();
    });
    // The status is known, so an answer that breaks off is as good as a whole one.
    answer.on('error', end);
    answer.once('close', () => {
      clearTimeout(timer);
      // `stream` leaves out a character that is cut in two.
      const text = new TextDecoder().decode(Buffer.concat(chunks), { stream: true });
      resolve(cutText(storable(text), maxCharacters));
    });
  });
}

/** Wait that the header asks for: seconds, or a date. */
function retryAfter(header: string | undefined, now: number): Pick<Posted, 'retryAfter'> {
  if (header === undefined) return {};
  if (/^\d+$/.test(header)) return { retryAfter: Number(header) * 1000 };
  const time = header.endsWith(' GMT') ? Date.parse(header) : NaN;
  return Number.isNaN(time) ? {} : { retryAfter: Math.max(0, time - now) };
}
