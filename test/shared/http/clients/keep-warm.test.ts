import { TooManyRequestsException, type InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { keepWarm } from '../../../../shared/http/clients/keep-warm.ts';
import { warmUpEvent } from '../../../../shared/http/warm-up.ts';
import { contextWith, linesOf } from '../invocation.ts';

test('five functions are called at a time, and one that is busy is warm', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `f${at}`);
  let [running, most] = [0, 0];
  const client = {
    send: async ({ input: { FunctionName } }: InvokeCommand) => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      if (FunctionName === 'f2') throw new TooManyRequestsException({ message: 'Busy', $metadata: {} });
      return {};
    },
    destroy: () => undefined,
  };
  const reported: unknown[] = [];
  const report = (error: unknown) => reported.push(error);
  expect(await keepWarm(names, report, client as unknown as LambdaClient)).toBe(11);
  expect([most, reported]).toEqual([5, []]);
});

test('the authorizer answers it without a grant, and writes no line of log', async () => {
  const { handler } = await import('../../../../functions/authorizer/authorize.ts');
  const warmUp = { ...warmUpEvent } as unknown as APIGatewayRequestAuthorizerEvent;
  const { result, lines } = await linesOf(() => handler(warmUp, contextWith(15_000)));
  expect(result.policyDocument.Statement).toEqual([]);
  expect(lines).toEqual([]);
});
