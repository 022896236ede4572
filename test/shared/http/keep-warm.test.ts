import { TooManyRequestsException, type InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import { getLeadEndpoint } from '../../../shared/contract/leads.ts';
import { notFound } from '../../../shared/core/failure.ts';
import type { ServedEvent } from '../../../shared/http/event.ts';
import { keepWarm } from '../../../shared/http/keep-warm.ts';
import { serve } from '../../../shared/http/serve.ts';
import { warmUpEvent } from '../../../shared/http/warm-up.ts';
import { contextWith, linesOf, served } from './invocation.ts';

/** Client of which a function by that name fails in that way, and others answer. */
function clientWhere(failing: Record<string, () => object>) {
  const called: string[] = [];
  let running = 0;
  let most = 0;
  const client = {
    send: async ({ input: { FunctionName = '', Payload } }: InvokeCommand) => {
      called.push(FunctionName);
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      expect(Payload).toBe(JSON.stringify(warmUpEvent));
      return failing[FunctionName]?.() ?? {};
    },
    destroy: () => undefined,
  };
  return { client: client as unknown as LambdaClient, called, most: () => most };
}

test('each function is called once, five at a time, and one that fails stops no other', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `f${at}`);
  const { client, called, most } = clientWhere({
    f1: () => ({ FunctionError: 'Unhandled' }),
    f2: () => {
      throw new TooManyRequestsException({ message: 'Rate exceeded', $metadata: {} });
    },
    f3: () => {
      throw new Error('The connection was lost');
    },
  });
  const reported: unknown[] = [];
  expect(await keepWarm(names, (error) => reported.push(error), client)).toBe(9);
  expect(called.toSorted()).toEqual(names.toSorted());
  expect(most()).toBe(5);
  expect(reported.map(String)).toEqual(['Error: f1 did not answer', 'Error: f3 did not answer']);
});

test('an endpoint answers it before all else: no handler, no line of log, and the next request is no cold start', async () => {
  const handler = vi.fn();
  const answerTo = serve(getLeadEndpoint, handler);
  const warmUp = { ...warmUpEvent } as unknown as ServedEvent;
  const { result, lines } = await linesOf(() => answerTo(warmUp, contextWith(15_000)));
  expect(result.statusCode).toBe(204);
  expect(lines).toEqual([]);
  expect(handler).not.toHaveBeenCalled();

  const request = served(getLeadEndpoint, () => {
    throw notFound('lead');
  });
  expect((await request({ change: (event) => event })).line).toHaveProperty('coldStarts', 1);
  const { lines: next } = await linesOf(() =>
    answerTo({ requestContext: {}, headers: {} } as ServedEvent, contextWith(15_000)),
  );
  expect(JSON.parse(next[0]!)).not.toHaveProperty('coldStarts');
});

test('the authorizer answers it without a grant, and writes no line of log', async () => {
  const { handler } = await import('../../../functions/authorizer/authorize.ts');
  const warmUp = { ...warmUpEvent } as unknown as APIGatewayRequestAuthorizerEvent;
  const { result, lines } = await linesOf(() => handler(warmUp, contextWith(15_000)));
  expect(result.policyDocument.Statement).toEqual([]);
  expect(lines).toEqual([]);
});
