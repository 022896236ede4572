import * as v from 'valibot';
import { Transfer, transferLabel, type NewTransfer, type TransferChanges } from '../../contract/transfers.ts';
import { scenarioNamed } from '../scenarios/scenarios.ts';
import { members } from '../members/members.ts';
import { toE164 } from '../phone/phone-number.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { noSuch, unavailable } from '../../core/failure.ts';
import { merge } from '../../core/merge.ts';
import type { Collection, Ledger, RecordOf, RecordRef, Write } from '../../ledger/index.ts';
import { recordEvent, storeChange } from '../events/record-event.ts';

export const transfers = {
  name: 'TRANSFER',
  label: transferLabel,
  schema: v.object(Transfer.entries),
  uniques: ({ label }: Pick<Transfer, 'label'>) => [{ field: 'label', value: label }],
} as const satisfies Collection;

/**
 * Creates a transfer rule. One transaction.
 * @throws Failure `invalid` for an unknown scenario, or a destination that does not fit its type; `conflict`
 * if a live rule has the label
 */
export async function createTransfer(ledger: Ledger, input: NewTransfer): Promise<Transfer> {
  const { destinationType, destination, scenarioId = null } = input;
  const check = {
    ...(scenarioId !== null && { scenario: scenarioNamed(ledger, scenarioId) }),
    ...memberNamed(ledger, destinationType === 'MEMBER' ? destination : undefined),
  };
  return ledger.write({ check }, async (write, { member }) => {
    const checked = await checkedDestination({ destinationType, destination }, write.country, member);
    const transfer = addTransfer(write, { ...input, destination: checked });
    recordEvent(write, { event: 'TRANSFER_CREATED', about: transfer.id });
    return transfer;
  });
}

/** Creates a transfer rule with a destination in its stored form, as part of a write. */
export function addTransfer(write: Write, input: NewTransfer): Transfer {
  const { label, method, destinationType, destination, conditions, settings = {} } = input;
  const { name = label, summaryFormat = '', isEnabled = true, scenarioId = null } = input;
  return write.append(transfers, ({ number }) => ({
    id: number,
    label,
    name,
    method,
    destinationType,
    destination,
    conditions,
    summaryFormat,
    settings: { ignore_business_hours: settings.ignore_business_hours ?? false },
    isEnabled,
    scenarioId,
    createdAt: write.now,
    updatedAt: write.now,
  })).record;
}

/**
 * Changes a transfer rule. One transaction, or none if nothing changes. The destination is checked only if it
 * or its type changes.
 * @throws Failure `notFound` for the rule; as `refuseOutdated` does; otherwise as `createTransfer`
 */
export async function updateTransfer(
  ledger: Ledger,
  transferId: number,
  { settings = {}, ...changes }: TransferChanges,
  { refuseOutdated }: ChangeConditions<Transfer> = {},
): Promise<Transfer> {
  const ref = ledger.ref(transfers, transferId);
  const { scenarioId = null, destination, destinationType } = changes;
  // If only the type changes, the stored destination is the member's id.
  const toMember =
    destination ?? (destinationType === 'MEMBER' ? (await ledger.get(ref)).destination : undefined);
  const reading = {
    change: { transfer: ref },
    check: {
      ...(scenarioId !== null && { scenario: scenarioNamed(ledger, scenarioId) }),
      ...memberNamed(ledger, toMember),
    },
  };
  return ledger.write(reading, async (write, { transfer, member }) => {
    refuseOutdated?.(transfer);
    const merged = merge(transfer, { ...changes, settings: merge(transfer.settings, settings) });
    const leadsElsewhere =
      merged.destination !== transfer.destination || merged.destinationType !== transfer.destinationType;
    // Another writer has changed the destination since it was read.
    if (leadsElsewhere && merged.destinationType === 'MEMBER' && merged.destination !== toMember)
      throw unavailable();
    const after = leadsElsewhere
      ? { ...merged, destination: await checkedDestination(merged, write.country, member) }
      : merged;
    return storeChange(
      write,
      ref,
      { before: transfer, after },
      { event: 'TRANSFER_UPDATED', about: transfer.id },
    );
  });
}

type Destination = Pick<Transfer, 'destinationType' | 'destination'>;

/** Read of the member that a destination names, for a write to check; nothing for an impossible id. */
function memberNamed(
  ledger: Ledger,
  destination: string | undefined,
): { member?: { ref: RecordRef<typeof members>; mayBeAbsent: true } } {
  const ref = destination === undefined ? undefined : ledger.tryRef(members, destination);
  return ref ? { member: { ref, mayBeAbsent: true } } : {};
}

/**
 * A destination as stored: a phone number in E.164, a member's id, or a department's text as given. A
 * national phone number is one of `country`. `member` is the record that `memberNamed` asked for.
 * @throws Failure `invalid` naming `destination`, for an invalid number or an unknown member
 */
async function checkedDestination(
  { destinationType, destination }: Destination,
  country: string,
  member: RecordOf<typeof members> | undefined,
): Promise<string> {
  switch (destinationType) {
    case 'DEPARTMENT':
      return destination;
    case 'PHONE_NUMBER':
      return toE164(destination, country, 'destination');
    case 'MEMBER':
      if (String(member?.id) !== destination) throw noSuch(members.label, 'destination');
      return destination;
  }
}
