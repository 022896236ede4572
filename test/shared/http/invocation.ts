import type { APIGatewayProxyResult, Context } from 'aws-lambda';
import { expect, vi } from 'vitest';
import { proxyEvent } from '../../../infra/local/gateway/proxy-event.ts';
import type { Endpoint, TokenEndpoint } from '../../../shared/contract/endpoint.ts';
import type { ServedEvent } from '../../../shared/http/event.ts';
import type { CarryOut } from '../../../shared/http/idempotency.ts';
import { serve, type Handler, type Parts } from '../../../shared/http/serve.ts';

export const requestId = '00000000-0000-4000-8000-000000000000';

export type Sent = ReturnType<typeof proxyEvent>;

interface Request {
  scopes?: string;
  /** Milliseconds left of the function's time. */
  remaining?: number;
  authorized?: boolean;
  /** Changes API Gateway's usual event. */
  change?: (event: Sent) => object;
}

interface Invoked {
  answer: APIGatewayProxyResult;
  /** The one line of log. */
  line: Record<string, unknown>;
}

/** Context of a Lambda call. */
export function contextWith(remaining: number): Context {
  const end = Date.now() + remaining;
  return { awsRequestId: 'lambda-1', getRemainingTimeInMillis: () => end - Date.now() } as Context;
}

/** Runs an action and returns the lines that it writes to standard output. */
export async function linesOf<T>(act: () => Promise<T>): Promise<{ result: T; lines: string[] }> {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  const result = await act().finally(() => {
    spy.mockRestore();
  });
  return { result, lines };
}

/** Carries requests out without regard to an `Idempotency-Key`. */
const always: CarryOut<Endpoint> = async (_endpoint, event, _request, handle) =>
  handle(event.identified.principal);

/** Serves an endpoint by a handler. Returns a function that sends it one request, as API Gateway would. */
export function served<E extends TokenEndpoint>(endpoint: E, handler: Handler<E>) {
  const answerTo = serve(endpoint, handler, ...([always] as unknown as Parts<E>));
  return async ({
    scopes = 'read write',
    remaining = 15_000,
    authorized = true,
    change = (event) => event,
  }: Request = {}): Promise<Invoked> => {
    const context = {
      organization: '6H8EV880',
      userId: 'user_1',
      scopes,
      tokenId: '1',
      principalId: 'user_1',
    };
    const { method, path } = endpoint;
    const event = change(
      proxyEvent({
        request: { method, target: '/', headers: [], body: Buffer.alloc(0), sourceIp: '127.0.0.1' },
        route: { method, path, functionName: '', authorizer: undefined },
        path: path.replace('{leadId}', 'lead_6H8EV88000000001'),
        query: '',
        variables: path.includes('{leadId}') ? { leadId: 'lead_6H8EV88000000001' } : {},
        requestId,
        authorization: authorized ? { context, allows: () => true } : undefined,
      }),
    );
    const { result: answer, lines } = await linesOf(async () =>
      answerTo(event as ServedEvent, contextWith(remaining)),
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\{.*\}\n$/);
    return { answer, line: JSON.parse(lines[0]!) as Record<string, unknown> };
  };
}
