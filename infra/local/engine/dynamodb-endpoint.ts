import { LocalError } from '../local-error.ts';

/** Example of an endpoint, for messages. */
export const sampleEndpoint = 'http://localhost:8000';

/** Matches AWS's own hosts, which need an account's credentials. */
const amazon = /(^|\.)(amazonaws\.com(\.cn)?|api\.aws)\.?$/;

/**
 * DynamoDB to use instead of the bundled engine: `DYNAMODB_ENDPOINT` without a trailing slash. Undefined if
 * unset.
 * @throws LocalError if this machine cannot use that address
 */
export function dynamodbEndpoint(): string | undefined {
  const given = process.env['DYNAMODB_ENDPOINT'];
  if (!given) return undefined;
  const url = URL.parse(given);
  // Checked before the URL's validity, so that no message prints credentials.
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
      `DYNAMODB_ENDPOINT is ${given}, which is AWS itself, and this machine has no credentials there: deploy instead ` +
        '("npx cdk deploy"), or name another DynamoDB, such as DynamoDB Local.',
    );
  }
  return url.origin;
}
