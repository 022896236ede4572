import * as v from 'valibot';
import {
  Transfer,
  transferLabel,
  type NewTransfer,
  type TransferChanges,
  type TransferQuery,
} from '../../contract/transfers.ts';
import { byState, pageByState } from '../lists/by-state.ts';
import { scenarios } from '../scenarios/scenarios.ts';
import { members, type MemberRecord } from '../members/members.ts';
import { toE164 } from '../phone/phone-number.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { allInOrder } from '../../core/all-in-order.ts';
import { noSuch } from '../../core/failure.ts';
import { merge } from '../../core/merge.ts';
import type { Page } from '../../core/page.ts';
import type { Collection, Ledger, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { storeChange } from '../records/change-record.ts';

export const transfers = {
  name: 'TRANSFER',
  label: transferLabel,
  schema: v.object(Transfer.entries),
  isConfiguration: true,
  uniques: ({ label }: Pick<Transfer, 'label'>) => [{ field: 'label', value: label, isName: true }],
  lists: {
    state: {
      of: ({ isEnabled }: Pick<Transfer, 'isEnabled'>) => byState.of({ isActive: isEnabled }),
      hasManyNames: true,
    },
    // Counts the rules that name a scenario or a member.
    scenario: {
      of: ({ scenarioId: id }: Pick<Transfer, 'scenarioId'>) =>
        id === null ? undefined : { owner: { collection: scenarios, id } },
    },
    member: {
      of: ({ destinationType, destination }: Destination) =>
        destinationType === 'MEMBER'
          ? { owner: { collection: members, id: Number(destination) } }
          : undefined,
    },
  },
} as const satisfies Collection;

/** Members by their numbers. */
export type MembersByNumber = ReadonlyMap<number, MemberRecord>;

/** The number to dial for a rule; empty for a rule that leads nowhere. */
export function numberOf(
  { destinationType, destination }: Pick<Transfer, 'destinationType' | 'destination'>,
  people: MembersByNumber,
): string {
  if (destinationType === 'PHONE_NUMBER') return destination;
  const member = destinationType === 'MEMBER' ? people.get(Number(destination)) : undefined;
  return member && !member.isDisabled ? member.phone : '';
}

/**
 * Page of the transfer rules, newest first: all, or only rules with this `isEnabled`. `leadNowhere` names the rules of the
 * page without a number to dial. One round trip more if a rule of the page leads to a member.
 */
export async function listTransfers(
  ledger: Ledger,
  { isEnabled, ...query }: TransferQuery,
): Promise<Page<Transfer> & { leadNowhere: number[] }> {
  const page = await pageByState(ledger, transfers, { ...query, isActive: isEnabled });
  const wanted = page.items.filter(({ destinationType }) => destinationType === 'MEMBER');
  const people = await ledger.getMany(
    members,
    wanted.map(({ destination }) => Number(destination)),
  );
  const leadNowhere = page.items.filter((rule) => numberOf(rule, people) === '').map(({ id }) => id);
  return { ...page, leadNowhere };
}

/** One transfer rule. One round trip. @throws Failure `notFound` */
export function getTransfer(ledger: Ledger, transferId: number): Promise<Transfer> {
  return ledger.get(ledger.ref(transfers, transferId));
}

/**
 * Creates a transfer rule. One transaction.
 * @throws Failure `invalid` for an unknown scenario, or a destination that does not fit its type; `conflict`
 * if a live rule has the label
 */
export function createTransfer(ledger: Ledger, input: NewTransfer): Promise<Transfer> {
  return ledger.write({}, async (write) => {
    const [destination] = await allInOrder([
      readDestination(ledger, write, input),
      checkScenario(ledger, write, input),
    ]);
    const transfer = addTransfer(write, { ...input, destination });
    recordEvent(write, { event: 'TRANSFER_CREATED', about: transfer.id });
    return transfer;
  });
}

/**
 * Creates a transfer rule, as part of a write that has read the scenario and the member that the rule names. The
 * destination is in its stored form.
 */
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
export function updateTransfer(
  ledger: Ledger,
  transferId: number,
  { name, settings = {}, ...changes }: TransferChanges,
  { refuseOutdated }: ChangeConditions<Transfer> = {},
): Promise<Transfer> {
  const ref = ledger.ref(transfers, transferId);
  return ledger.write({ change: { transfer: ref } }, async (write, { transfer }) => {
    refuseOutdated?.(transfer);
    const merged = merge(transfer, {
      ...changes,
      name: name === null ? (changes.label ?? transfer.label) : name,
      settings: merge(transfer.settings, settings),
    });
    const leadsElsewhere =
      merged.destination !== transfer.destination || merged.destinationType !== transfer.destinationType;
    const [destination] = await allInOrder([
      leadsElsewhere ? readDestination(ledger, write, merged) : merged.destination,
      leadsElsewhere && readMember(ledger, write, transfer),
      ...(merged.scenarioId === transfer.scenarioId
        ? []
        : [checkScenario(ledger, write, merged), readScenario(ledger, write, transfer)]),
    ]);
    return storeChange(
      write,
      ref,
      { before: transfer, after: { ...merged, destination } },
      { event: 'TRANSFER_UPDATED', about: transfer.id },
    );
  });
}

/** Deletes a transfer rule. One transaction. @throws Failure `notFound`; as `refuseOutdated` does */
export function deleteTransfer(
  ledger: Ledger,
  transferId: number,
  { refuseOutdated }: ChangeConditions<Transfer> = {},
): Promise<void> {
  const ref = ledger.ref(transfers, transferId);
  return ledger.write({ change: { transfer: ref } }, async (write, { transfer }) => {
    refuseOutdated?.(transfer);
    await Promise.all([readMember(ledger, write, transfer), readScenario(ledger, write, transfer)]);
    write.remove(ref);
    recordEvent(write, { event: 'TRANSFER_DELETED', about: transferId });
  });
}

type Destination = Pick<Transfer, 'destinationType' | 'destination'>;

/** @throws Failure `invalid` if there is no such scenario */
async function checkScenario(
  ledger: Ledger,
  write: Write,
  { scenarioId = null }: Pick<NewTransfer, 'scenarioId'>,
): Promise<void> {
  if (scenarioId !== null && !(await readScenario(ledger, write, { scenarioId })))
    throw noSuch(scenarios.label, 'scenarioId');
}

/**
 * Reads the scenario that a rule belongs to, or belonged to: the scenario owns the list of its rules. Returns
 * false if there is none.
 */
async function readScenario(
  ledger: Ledger,
  write: Write,
  { scenarioId }: Pick<Transfer, 'scenarioId'>,
): Promise<boolean> {
  const ref = scenarioId === null ? undefined : ledger.tryRef(scenarios, scenarioId);
  return ref !== undefined && (await write.read(ref, { mayStayUnchanged: true })) !== undefined;
}

/**
 * Reads the member that a rule leads to, or led to: the member owns the list of those rules. Returns false for
 * another type of destination, or if there is no such member.
 */
async function readMember(
  ledger: Ledger,
  write: Write,
  { destinationType, destination }: Destination,
): Promise<boolean> {
  const ref = destinationType === 'MEMBER' ? ledger.tryRef(members, destination) : undefined;
  const member = ref && (await write.read(ref, { mayStayUnchanged: true }));
  return String(member?.id) === destination;
}

/**
 * A destination as stored: a phone number in E.164, a member's id, or a department's text as given. A national phone
 * number is read as a number of the organization's country.
 * @throws Failure `invalid` naming `destination`, for an invalid number or an unknown member
 */
async function readDestination(ledger: Ledger, write: Write, to: Destination): Promise<string> {
  const { destinationType, destination } = to;
  switch (destinationType) {
    case 'DEPARTMENT':
      return destination;
    case 'PHONE_NUMBER':
      return toE164(destination, write.country, 'destination');
    case 'MEMBER':
      if (!(await readMember(ledger, write, to))) throw noSuch(members.label, 'destination');
      return destination;
  }
}
