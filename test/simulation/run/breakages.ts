import { TransactionCanceledException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { randomUUID } from 'node:crypto';
import type { VirtualTime } from '../virtual-time.ts';

/** What can be broken on the way to DynamoDB, to prove that the simulation notices. */
export const breakages = {
  'head-condition':
    'the head is replaced whatever its version is, and records are added where there are some',
  'record-condition': 'records are replaced whatever their revision is',
  'unique-condition': 'unique values are taken whoever has them',
  'wrong-count': 'the head now and then counts a lead too few',
  'new-token': 'a transaction that is sent again has a new token',
  'lost-reply': 'a lost reply is taken for a refusal',
  'old-reads': 'reads of single items show what they showed some milliseconds ago',
  'short-query': 'queries leave out an item now and then',
} as const;
export type Breakage = keyof typeof breakages;

interface Part {
  Put?: { Item: Record<string, unknown>; ConditionExpression?: string; ExpressionAttributeValues?: object };
  Delete?: { Key: Record<string, unknown>; ConditionExpression?: string; ExpressionAttributeValues?: object };
}

/** For how long an old read is shown, in milliseconds. */
const staleFor = 40;

/** Breaks a client in one way. */
export function breakClient(
  client: DynamoDBClient,
  breakage: Breakage | undefined,
  time: VirtualTime,
): DynamoDBClient {
  if (breakage === undefined) return client;
  const seen = new Map<string, { at: number; output: object }>();
  let queries = 0;
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const input = args.input as { TransactItems?: Part[]; ClientRequestToken?: string };
        if (commandName.startsWith('TransactWriteItems')) {
          alter(input, breakage);
          try {
            return await next(args);
          } catch (error) {
            if (breakage === 'lost-reply' && isLost(error)) throw refusal(input.TransactItems ?? []);
            throw error;
          }
        }
        if (breakage === 'old-reads' && commandName.startsWith('GetItem')) {
          const key = JSON.stringify(args.input);
          const known = seen.get(key);
          if (known && time.now < known.at + staleFor) {
            return { output: structuredClone(known.output), response: undefined } as never;
          }
          const reply = await next(args);
          seen.set(key, { at: time.now, output: structuredClone(reply.output) });
          return reply;
        }
        const reply = await next(args);
        if (breakage === 'short-query' && commandName.startsWith('Query') && ++queries % 3 === 0) {
          (reply.output as { Items?: unknown[] }).Items?.splice(1, 1);
        }
        return reply;
      },
    { step: 'initialize', priority: 'high', name: 'simulationBreakage' },
  );
  return client;
}

function alter(input: { TransactItems?: Part[]; ClientRequestToken?: string }, breakage: Breakage): void {
  if (breakage === 'new-token') input.ClientRequestToken = randomUUID();
  for (const { Put, Delete } of input.TransactItems ?? []) {
    const part = Put ?? Delete;
    const key = Put?.Item ?? Delete?.Key;
    if (!part || !key) continue;
    const sk = String(key['sk']);
    const { ConditionExpression: condition = '' } = part;
    const isUnique = String(key['pk']).endsWith('#UNIQUE');
    const isBroken =
      (breakage === 'head-condition' && !isUnique && /^(version|attribute_not)/.test(condition)) ||
      (breakage === 'record-condition' && condition.startsWith('revision')) ||
      (breakage === 'unique-condition' && isUnique);
    if (isBroken) {
      delete part.ConditionExpression;
      delete part.ExpressionAttributeValues;
    }
    if (breakage === 'wrong-count' && sk === 'HEAD' && Put && Number(Put.Item['version']) % 50 === 0) {
      const lists = Put.Item['lists'] as { LEAD?: string };
      if (lists.LEAD) lists.LEAD = lists.LEAD.replace(/^\d+/, (last) => String(Number(last) - 1));
    }
  }
}

const isLost = (error: unknown) =>
  error instanceof Error && ['TimeoutError', 'AbortError', 'InternalServerError'].includes(error.name);

const refusal = (parts: readonly Part[]) =>
  new TransactionCanceledException({
    message: 'Cancelled',
    $metadata: {},
    CancellationReasons: parts.map((_, at) => ({ Code: at === 0 ? 'TransactionConflict' : 'None' })),
  });
