import { pseudo } from '../intrinsics.ts';
import { isLike } from '../role.ts';
import type { PolicyDocument } from './messaging-resources.ts';

/** A service of AWS that uses a queue or a topic, on behalf of something. */
export interface Caller {
  /** Such as `sns`. */
  service: string;
  sourceArn: string;
}

/** The operators of conditions that this machine knows. All of them compare texts. */
const operators = ['ArnEquals', 'ArnLike', 'StringEquals', 'StringLike'];

/** Whether a policy allows an action. A condition that is not known never holds; what it denies is calls without TLS. */
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
