import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A command as sent on the wire: its input holds attribute values. */
export interface SentCommand {
  /** Name such as `GetItem`. */
  operation: string;
  input: object;
  signal: AbortSignal | undefined;
}

/** Context that the SDK gives a middleware. The SDK's types leave these fields out. */
interface Context {
  commandName?: string;
  __smithy_context?: { abortSignal?: AbortSignal };
}

const pass =
  <A, R>(next: (args: A) => R) =>
  (args: A): R =>
    next(args);

/**
 * Creates a client of the AWS SDK whose commands end before they become HTTP requests. The document client's
 * own library marshals and unmarshals, with the options that it was given.
 *
 * That library places its two middlewares relative to others, by name. The SDK resolves an endpoint between
 * the two, which takes longer than everything else. So middlewares that do nothing take those names, in this
 * order: unmarshalling of the reply, marshalling of the input, then this one.
 */
export function simulatedClient(carryOut: (command: SentCommand) => Promise<object>): DynamoDBClient {
  const client = new DynamoDBClient({
    region: 'us-east-1',
    endpoint: 'http://simulated.invalid',
    credentials: { accessKeyId: 'simulated', secretAccessKey: 'simulated' },
    maxAttempts: 1,
  });
  const stack = client.middlewareStack;
  for (const step of stack.identify()) stack.remove(step.split(' ')[0] ?? '');
  stack.add(pass, { step: 'initialize', name: 'deserializerMiddleware' });
  stack.add(pass, { step: 'serialize', name: 'serializerMiddleware' });
  // The document client overrides this middleware; other commands pass through it.
  stack.addRelativeTo(pass, {
    name: 'DocumentMarshall',
    relation: 'before',
    toMiddleware: 'serializerMiddleware',
  });
  // The SDK has a type for each kind of middleware, and none for one that ends the chain.
  const end = (_: unknown, { commandName = '', __smithy_context }: Context) => {
    const operation = commandName.replace(/Command$/, '');
    const signal = __smithy_context?.abortSignal;
    return async ({ input }: { input: object }) => ({ output: await carryOut({ operation, input, signal }) });
  };
  stack.addRelativeTo(end as never, {
    name: 'simulatedDynamoDb',
    relation: 'after',
    toMiddleware: 'DocumentMarshall',
  });
  return client;
}
