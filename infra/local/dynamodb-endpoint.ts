import { LocalError } from './local-error.ts';

/** What to write there, for a sentence. */
export const sampleEndpoint = 'http://localhost:8000';

/** The hosts of AWS's own endpoints, which only take signatures of an account's credentials. */
const amazon = /(^|\.)(amazonaws\.com(\.cn)?|api\.aws)\.?$/;

/**
 * The address of a DynamoDB to run on instead of the engine that comes with the project: `DYNAMODB_ENDPOINT`, without a
 * slash at its end; undefined where that is not set.
 * @throws LocalError when it is no address that this machine could use.
 */
export function dynamodbEndpoint(): string | undefined {
  const given = process.env['DYNAMODB_ENDPOINT'];
  if (!given) return undefined;
  const url = URL.parse(given);
  // Also where it cannot be read: what is before an @ is not printed.
  if (given.includes('@')) {
    throw new LocalError(
      'DYNAMODB_ENDPOINT holds a user name or a password, which DynamoDB does not take: leave them out.',
    );
  }
  const isOrigin = url?.pathname === '/' && url.search === '' && url.hash === '';
  if (!isOrigin || !(url.protocol === 'http:' || url.protocol === 'https:')) {
    throw new LocalError(
      `DYNAMODB_ENDPOINT is ${given}, but must be http:// or https:// with a host and a port and nothing after them, ` +
        `such as ${sampleEndpoint}.`,
    );
  }
  if (amazon.test(url.hostname)) {
    throw new LocalError(
      `DYNAMODB_ENDPOINT is ${given}, which is AWS itself, where this machine has no credentials: deploy instead ` +
        '("npx cdk deploy"), or name a DynamoDB such as DynamoDB Local.',
    );
  }
  return url.origin;
}
