import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { verifyOrganization } from '../../support/verify-organization.ts';
import { ledgerTable } from '../simulated-table.ts';
import type { OrganizationModel } from './model/organization-model.ts';
import type { Fields } from './same.ts';
import type { SmsNotification } from './sms-traffic.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

/**
 * Checks, once everything has settled, that `organization verify` finds nothing, and that each organization has an owner
 * who is not disabled. @throws Violation
 */
export async function checkStored(world: World): Promise<void> {
  const { problems } = world.database;
  if (problems.length > 0) {
    throw new Violation(
      'Every call must be one that the simulation can carry out',
      'no problem',
      problems.slice(0, 5),
    );
  }
  const client = world.database.connect({ name: 'verify', dead: false });
  const system = {
    now: () => world.time.now,
    random: () => 0.5,
    randomBytes: (size: number) => new Uint8Array(size),
    sleep: (milliseconds: number) => world.time.sleep(milliseconds),
  };
  for (const code of world.organizations.keys()) {
    const access = { client, tableName: ledgerTable.name, system };
    const { findings } = await verifyOrganization(access, code as OrganizationCode);
    if (findings.length > 0) {
      throw new Violation('organization verify must find nothing', [], findings.slice(0, 20));
    }
    const members = recordsOf(world.organizations.get(code)!, 'MEMBER');
    if (!members.some(({ role, isDisabled }) => role === 'OWNER' && !isDisabled))
      throw new Violation('An organization must have an owner who is not disabled', [], members);
  }
}

/**
 * Checks the results of all notifications once the queue is empty. Each SMS is stored. Opted-out numbers get
 * no SMS, whichever lead has the number now. @throws Violation
 */
export function checkFinalSms(world: World, notifications: readonly SmsNotification[]): void {
  for (const { plan } of notifications) plan.checkEnd?.();
  for (const organization of world.organizations.values()) {
    const optedOut = hashesOf(organization);
    const hasOptedOut = (phone: string) => optedOut.has(organization.hashed(phone));
    checkLeads(organization, hasOptedOut);
    const own = notifications.filter(({ plan }) => plan.organization === organization && plan.optOutKeyword);
    for (const [phone, words] of Map.groupBy(own, ({ plan }) => plan.optOutKeyword!.phone)) {
      const optsOutAnyway = mayOptOutAnyway(organization, phone);
      checkWords(words, { phone, hasOptedOut: hasOptedOut(phone), optsOutAnyway });
    }
  }
}

/** Hashes of the opted-out numbers. */
function hashesOf(organization: OrganizationModel): Set<unknown> {
  return new Set(recordsOf(organization, 'OPTOUT').map(({ numberHash }) => numberHash));
}

function recordsOf(organization: OrganizationModel, collection: string): Fields[] {
  const records: Fields[] = [];
  for (let number = 1; number <= organization.lastOf(collection); number++) {
    const record = organization.record(collection, number);
    if (record) records.push(record);
  }
  return records;
}

/** Checks that each lead shows whether its number has opted out. */
function checkLeads(organization: OrganizationModel, hasOptedOut: (phone: string) => boolean): void {
  for (const lead of recordsOf(organization, 'LEAD')) {
    const expected = lead['phone'] !== '' && hasOptedOut(lead['phone'] as string);
    if (lead['isOptedOut'] !== expected) {
      throw new Violation('A lead must show whether its number has opted out', expected, lead);
    }
  }
}

/**
 * True if a number may be opted out without a STOP. A client may have opted it out. The provider refuses SMS to numbers
 * that end in 3, which opts them out.
 */
const mayOptOutAnyway = ({ optedOutByClients }: OrganizationModel, phone: string): boolean =>
  optedOutByClients.has(phone) || phone.endsWith('3');

/** Checks that the last keyword of a number counts, if one of them was clearly the last. */
function checkWords(
  words: readonly SmsNotification[],
  { phone, hasOptedOut, optsOutAnyway }: { phone: string; hasOptedOut: boolean; optsOutAnyway: boolean },
): void {
  const [outs, ins] = [true, false].map((isOut) =>
    words.filter(({ plan }) => plan.optOutKeyword?.isOut === isOut),
  ) as [SmsNotification[], SmsNotification[]];
  const isLast = (one: SmsNotification, others: readonly SmsNotification[]) =>
    others.every(({ at }) => at < one.at);
  // An SMS that came twice counts from either time.
  const isSentAgain = ({ plan }: SmsNotification) => words.filter((other) => other.plan === plan).length > 1;
  const lastOut = outs.some((one) => isLast(one, ins) && !isSentAgain(one));
  // When in doubt the number gets no SMS: a late STOP counts, even if a START was sent after it.
  const lastIn = ins.find((one) => isLast(one, outs) && !isSentAgain(one));
  const firstAt = ({ plan }: SmsNotification) => plan.optOutKeyword?.commits[0]?.at ?? Infinity;
  // The STOP of a number without a lead is not stored itself: a redelivery counts again.
  const lastAt = ({ plan }: SmsNotification) => plan.optOutKeyword?.commits.at(-1)?.at ?? -Infinity;
  const isInOrder = lastIn !== undefined && outs.every((out) => lastAt(out) < firstAt(lastIn));
  const isWrong = hasOptedOut ? isInOrder && firstAt(lastIn) < Infinity && !optsOutAnyway : lastOut;
  if (isWrong) {
    throw new Violation(
      'The last keyword of a number must decide whether it gets SMS',
      words.map(({ at, plan }) => ({
        at,
        isOut: plan.optOutKeyword?.isOut,
        commits: plan.optOutKeyword?.commits,
      })),
      { phone, hasOptedOut },
    );
  }
}
