import * as v from 'valibot';
import type { PageQuery } from '../../contract/pagination.ts';
import { Policy, type NewPolicy, type PolicyChanges } from '../../contract/policies.ts';
import { type Collection } from '../../ledger/internal/collection.ts';
import type { Ledger } from '../../ledger/internal/ledger.ts';
import { notFound, type FieldProblem } from '../../core/failure.ts';
import { merge } from '../../core/merge.ts';
import type { Page } from '../../core/page.ts';

export const policies = {
  name: 'POLICY',
  label: 'policy',
  schema: v.object(Policy.entries),
} as const satisfies Collection;

/** A page of the organization's policies, newest first. */
export function listPolicies(ledger: Ledger, query: PageQuery): Promise<Page<Policy>> {
  return ledger.page(policies, query);
}

/** Creates a policy. One transaction. */
export function createPolicy(
  ledger: Ledger,
  { title, content, isActive = true }: NewPolicy,
): Promise<Policy> {
  return ledger.write({}, (write) => {
    const { record } = write.append(policies, ({ number }) => ({ id: number, title, content, isActive }));
    write.event({
      event: 'POLICY_CREATED',
      data: 'The policy was created',
      referenceId: String(record.id),
    });
    return record;
  });
}

/**
 * Changes a policy. One transaction, or none where nothing changes. @throws Failure `notFound`; Failure `invalid` for `doubts`
 * about what changes.
 */
export function updatePolicy(
  ledger: Ledger,
  policyId: number,
  changes: PolicyChanges,
  doubts: readonly FieldProblem[] = [],
): Promise<Policy> {
  const ref = ledger.ref(policies, policyId);
  return ledger.write({ change: { policy: ref } }, (write, { policy }) => {
    if (policy === undefined) throw notFound(policies.label);
    return write.change(
      ref,
      { before: policy, after: merge(policy, changes, doubts) },
      { id: policy.id, event: 'POLICY_UPDATED', data: 'The policy was changed' },
    );
  });
}
