import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Lets `act` carry out the calls of a client. `send` sends the call on. */
export function aroundCalls(
  client: DynamoDBClient,
  act: <Result>(operation: string, send: () => Promise<Result>, input: object) => Promise<Result>,
): void {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) =>
        act(commandName.replace(/Command$/, ''), () => next(args), args.input),
    { step: 'initialize', priority: 'low' },
  );
}
