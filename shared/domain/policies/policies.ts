import * as v from 'valibot';
import type { PageQuery } from '../../contract/pagination.ts';
import { Policy, policyLabel, type NewPolicy, type PolicyChanges } from '../../contract/policies.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { merge } from '../../core/merge.ts';
import type { Page } from '../../core/page.ts';
import type { Collection, Ledger } from '../../ledger/index.ts';
import { changeRecord, recordEvent } from '../events/record-event.ts';

export const policies = {
  name: 'POLICY',
  label: policyLabel,
  schema: v.object(Policy.entries),
} as const satisfies Collection;

/** Page of the organization's policies, newest first. */
export function listPolicies(ledger: Ledger, query: PageQuery): Promise<Page<Policy>> {
  return ledger.page(policies, query);
}

/** One policy. One round trip. @throws Failure `notFound` */
export function getPolicy(ledger: Ledger, policyId: number): Promise<Policy> {
  return ledger.get(ledger.ref(policies, policyId));
}

/** Creates a policy. One transaction. */
export function createPolicy(
  ledger: Ledger,
  { title, content, isActive = true }: NewPolicy,
): Promise<Policy> {
  return ledger.write({}, (write) => {
    const { record } = write.append(policies, ({ number }) => ({ id: number, title, content, isActive }));
    recordEvent(write, { event: 'POLICY_CREATED', about: record.id });
    return record;
  });
}

/**
 * Changes a policy. One transaction, or none if nothing changes.
 * @throws Failure `notFound`; as `refuseOutdated` does
 */
export function updatePolicy(
  ledger: Ledger,
  policyId: number,
  changes: PolicyChanges,
  conditions: ChangeConditions<Policy> = {},
): Promise<Policy> {
  return changeRecord(ledger, ledger.ref(policies, policyId), (policy) => merge(policy, changes), {
    event: 'POLICY_UPDATED',
    about: policyId,
    ...conditions,
  });
}
