import { createHmac } from 'node:crypto';
import { secretPrefix } from './secrets.ts';

interface SignedParts {
  /** Id of the delivery's event, the same in every attempt. */
  id: string;
  /** Time of the attempt, in seconds since 1970. */
  seconds: number;
  body: string;
  /** Secrets to sign with. Each alone is enough to verify. */
  secrets: readonly string[];
}

/** Headers for a receiver to verify a body, as the Standard Webhooks specification says. */
export function signedHeaders({ id, seconds, body, secrets }: SignedParts): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}
