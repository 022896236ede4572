import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A command as it would be written on the wire: its input in attribute values. */
export interface SentCommand {
  /** Such as `GetItem`. */
  operation: string;
  input: object;
  signal: AbortSignal | undefined;
}

/** What the SDK knows of a command on its way; its types do not tell. */
interface Context {
  commandName?: string;
  __smithy_context?: { abortSignal?: AbortSignal };
}

const pass =
  <A, R>(next: (args: A) => R) =>
  (args: A): R =>
    next(args);

/**
 * A client of the AWS SDK whose commands end before anything is put in the form of HTTP. Commands of the document client
 * are marshalled on the way in and unmarshalled on the way out by that library itself, with the options it was given.
 *
 * The library puts its two steps relative to others, by their names, and the SDK resolves an endpoint between the two,
 * which takes longer than all else. So those names are given to steps that do nothing, at the places that are wanted:
 * first the unmarshalling of what comes back, then the marshalling of what goes in, then this.
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
  // The document client overrides this one; other commands pass it.
  stack.addRelativeTo(pass, {
    name: 'DocumentMarshall',
    relation: 'before',
    toMiddleware: 'serializerMiddleware',
  });
  // The SDK has a type for each kind of step, and none for one that ends the way.
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
