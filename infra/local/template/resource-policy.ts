import { pseudo } from '../intrinsics.ts';
import { isLike } from '../role.ts';
import type { PolicyDocument } from './messaging-resources.ts';

/** A service of AWS that uses a queue or a topic on behalf of a resource. */
export interface Caller {
  /** Name of the service, such as `sns`. */
  service: string;
  sourceArn: string;
}

/** Condition operators that this machine knows. All of them compare strings. */
const operators = ['ArnEquals', 'ArnLike', 'StringEquals', 'StringLike'];

/**
 * True if a policy allows an action. An unknown condition never holds. Deny statements are ignored, since
 * they only refuse calls without TLS.
 */
export function mayUse(policy: PolicyDocument, { service, sourceArn }: Caller, action: string): boolean {
  const values = new Map([
    ['aws:SourceArn', sourceArn],
    ['aws:SourceAccount', pseudo['AWS::AccountId'] ?? ''],
  ]);
  const holds = (key: string, patterns: readonly string[]) => {
    const value = values.get(key);
    return value !== undefined && patterns.some((pattern) => isLike(value, pattern));
  };
  return policy.Statement.some(
    ({ Effect, Principal, Action, Condition }) =>
      Effect === 'Allow' &&
      typeof Principal !== 'string' &&
      Principal['Service']?.includes(`${service}.amazonaws.com`) === true &&
      Action.includes(action) &&
      Object.entries(Condition).every(
        ([operator, keys]) =>
          operators.includes(operator) &&
          Object.entries(keys).every(([key, patterns]) => holds(key, patterns)),
      ),
  );
}
