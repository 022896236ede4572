import * as v from 'valibot';
import type { ActivePageQuery } from '../../contract/pagination.ts';
import { Policy, policyLabel, type NewPolicy, type PolicyChanges } from '../../contract/policies.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { merge } from '../../core/merge.ts';
import type { Page } from '../../core/page.ts';
import type { Collection, Ledger, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { byState, pageByState } from '../lists/by-state.ts';
import { changeRecord, deleteRecord } from '../records/change-record.ts';

export const policies = {
  name: 'POLICY',
  label: policyLabel,
  schema: v.object(Policy.entries),
  isConfiguration: true,
  lists: { state: byState },
} as const satisfies Collection;

/** Page of the organization's policies, newest first: all, or only policies with this `isActive`. */
export function listPolicies(ledger: Ledger, query: ActivePageQuery): Promise<Page<Policy>> {
  return pageByState(ledger, policies, query);
}

/** One policy. One round trip. @throws Failure `notFound` */
export function getPolicy(ledger: Ledger, policyId: number): Promise<Policy> {
  return ledger.get(ledger.ref(policies, policyId));
}

/** Creates a policy. One transaction. */
export function createPolicy(ledger: Ledger, input: NewPolicy): Promise<Policy> {
  return ledger.write({}, (write) => {
    const policy = addPolicy(write, input);
    recordEvent(write, { event: 'POLICY_CREATED', about: policy.id });
    return policy;
  });
}

/** Creates a policy, as part of a write. */
export function addPolicy(write: Write, { title, content, isActive = true }: NewPolicy): Policy {
  return write.append(policies, ({ number }) => ({ id: number, title, content, isActive })).record;
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

/** Deletes a policy. One transaction. @throws Failure `notFound`; as `refuseOutdated` does */
export function deletePolicy(
  ledger: Ledger,
  policyId: number,
  conditions: ChangeConditions<Policy> = {},
): Promise<void> {
  const event = { event: 'POLICY_DELETED', about: policyId } as const;
  return deleteRecord(ledger, ledger.ref(policies, policyId), { ...event, ...conditions });
}
