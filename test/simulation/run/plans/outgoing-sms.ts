import type { OutgoingSms } from '../../../../shared/domain/sms/sms-provider.ts';
import { isReplayed } from '../key-check.ts';
import type { Change } from '../model/change.ts';
import type { Kept, Made } from '../model/keyed.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { Refused } from '../model/refusal.ts';
import type { Window } from '../model/window.ts';
import { once, type Plan, type Progress, type WeightedPlan } from '../plan.ts';
import { someId, someNumber, someUniqueWord, type Planner } from '../planner.ts';
import type { Report } from '../provider.ts';
import type { Fields } from '../same.ts';
import { checkOneOf, Violation } from '../violation.ts';

/** An SMS to hand over, as the change that stores it determines it. */
export interface ToSend {
  handover: Omit<OutgoingSms, 'from'>;
  /** Ids of the message and of where it is; undefined for a reply that is not stored. */
  sent: Record<'messageId' | 'messageThreadId' | 'inquiryId', string> | undefined;
}

/** The new message of a change that is to be sent; undefined if there is none. @throws Refused for one without a receiver */
export function toSendIn(
  change: Change,
  records: readonly (readonly [string, number])[],
): ToSend | undefined {
  const { organization } = change;
  const isNew = ([collection, number]: readonly [string, number]) =>
    collection === 'MESSAGE' && change.get(collection, number)?.['status'] === 'SENDING';
  const [, number] = records.find(isNew) ?? [];
  if (number === undefined) return undefined;
  const { text, threadId, inquiryId } = change.get('MESSAGE', number)!;
  const { leadId } = change.get('THREAD', Number(threadId))!;
  const lead = change.get('LEAD', organization.numberOf('LEAD', leadId));
  if (!lead?.['phone']) throw new Refused('an SMS must have a receiver');
  const context = { organization: organization.code, message: String(number) };
  return {
    handover: { to: lead['phone'] as string, text: String(text), context },
    sent: { messageId: String(number), messageThreadId: String(threadId), inquiryId: String(inquiryId) },
  };
}

/**
 * Judges the changes of an SMS. `store` judges the change that stores the SMS. A second change stores the outcome at
 * the provider.
 */
export const sending =
  (store: (change: Change, progress: Progress) => ToSend | undefined): NonNullable<Plan['store']> =>
  (change, progress) => {
    const { made, handovers } = progress;
    if (made.length === 0) return store(change, progress);
    const outcome = handovers[0]?.outcome;
    if (!outcome || made.length > 1) throw new Refused('no outcome of the provider is to be stored');
    const number = Number(storedBy(made)?.sent?.messageId);
    const before = change.get('MESSAGE', number);
    change.observe();
    const after = change.get('MESSAGE', number);
    if (before !== after && after?.['status'] !== outcome.status)
      throw new Refused('the outcome must be stored as it is');
    return undefined;
  };

const storedBy = (made: readonly Made[] = []) => made[0]?.response as ToSend | undefined;

/** Statuses of the responses to a failed SMS, by the reason of the failure. */
const failures: Readonly<Record<string, number>> = {
  OPTED_OUT: 400,
  REFUSED: 502,
  UNREACHED: 502,
  UNKNOWN: 502,
};

/** Statuses of a message that the provider accepted. */
const sentStatuses = ['SENT', 'DELIVERED', 'UNDELIVERED'];

/** Checks that the SMS was handed over, and that the response reports its outcome. @throws Violation */
function expectHandedOver({ made, handovers }: Progress, reason: string | undefined): void {
  const outcomes = handovers.map(({ outcome }) => (outcome?.status === 'SENT' ? 'SENT' : outcome?.reason));
  const rule = 'The response to an SMS must report its outcome at the provider';
  checkOneOf(rule, [{ stored: true, outcomes: [reason ?? 'SENT'] }], { stored: made.length > 0, outcomes });
}

/**
 * Statuses of the message of an earlier request with the same key. One of them must be in `right`. @throws Violation
 */
function expectStatus({ made }: Kept, window: Window, right: readonly unknown[]): unknown[] {
  const number = Number(storedBy(made)?.sent?.messageId);
  const states = window.records('MESSAGE', number).map((record) => record?.['status']);
  if (!states.some((status) => right.includes(status)))
    throw new Violation('A repeat must tell what became of the SMS', right, states);
  return states;
}

/** Sends an SMS to a lead: in a new thread, in an existing one, or in another lead's thread. */
export function sendSms(planner: Planner): Plan {
  const { draw, organization } = planner;
  const leadId = draw.happens(0.5) ? someId(planner, 'LEAD') : withPhone(planner);
  const userId = organization.userId(someNumber(planner, 'MEMBER'));
  const text = `We are on our way, ${someUniqueWord(planner)}`;
  const thread = draw.happens(0.6) ? threadFor(planner, leadId) : undefined;
  return {
    operation: thread === undefined ? 'sendSms new thread' : 'sendSms',
    organization,
    call: {
      endpoint: 'sendSms',
      body: JSON.stringify({
        userId,
        leadId,
        message: text,
        ...(thread !== undefined && { messageThreadId: thread }),
      }),
    },
    repeated: 'tellsOutcome',
    store: sending((change) => {
      const toSend = toSendIn(change, change.observe());
      const { leadId: receiver } = change.get('THREAD', Number(toSend?.sent?.messageThreadId)) ?? {};
      const isOptedOut = change.get('LEAD', organization.numberOf('LEAD', leadId))?.['isOptedOut'];
      if (toSend?.handover.text !== text || receiver !== leadId || isOptedOut === true)
        throw new Refused('the text must be stored with its lead, who wants SMS');
      return toSend;
    }),
    check: (body, window, progress) => {
      const { made, kept } = progress;
      const { sent } = storedBy(made) ?? storedBy(kept?.made) ?? {};
      const expected = { message: 'SMS sent successfully', ...sent };
      checkOneOf('The response to a sent SMS must say so and name its message', [expected], body);
      if (made.length === 0 && kept) expectStatus(kept, window, sentStatuses);
      else expectHandedOver(progress, undefined);
    },
    checkFailure: (answer, progress, window) => {
      const { status, headers } = answer;
      const reason = headers['X-Failure-Reason'];
      const { kept } = progress;
      const isRepeat = kept !== undefined && isReplayed(answer);
      if (isRepeat && status === 409) {
        expectStatus(kept, window, ['SENDING']);
        return true;
      }
      // The service may know of the opt-out before the provider reports it.
      const isRefused = progress.handovers.length === 0 && reason === 'OPTED_OUT';
      if (reason === undefined || (!isRepeat && (reason === 'NO_PHONE' || isRefused))) return false;
      checkOneOf('The response to a failed SMS must fit the reason', [failures[reason]], status);
      if (isRepeat) {
        const states = expectStatus(kept, window, ['FAILED', 'UNKNOWN', undefined]);
        const isUnknown = kept.note === '' || states.some((one) => one === 'UNKNOWN' || one === undefined);
        const reasons = [kept.note, ...(isUnknown ? ['UNKNOWN'] : [])];
        checkOneOf('A repeat must tell why the SMS failed', reasons, reason);
      } else expectHandedOver(progress, reason);
      return true;
    },
    refusals: () => [400, 404],
  };
}

/** Id of a lead, usually of a lead with a phone number. */
function withPhone({ draw, organization }: Planner): string {
  const last = organization.lastOf('LEAD');
  const from = draw.whole(1, last + 1);
  let number = from;
  while (number > from - 40 && !organization.record('LEAD', number)?.['phone']) number--;
  return organization.idOf('LEAD', Math.max(1, number));
}

/** Number of a thread, usually of a thread with this lead. */
function threadFor({ draw, organization }: Planner, leadId: string): number {
  const last = organization.lastOf('THREAD');
  for (let number = last; number > 0 && number > last - 40; number--) {
    if (organization.record('THREAD', number)?.['leadId'] === leadId) return number;
  }
  return draw.whole(1, last + 1);
}

/** Message status for each type of report; undefined for a type that changes nothing. */
const statuses: Record<string, string | undefined> = {
  TEXT_DELIVERED: 'DELIVERED',
  TEXT_SUCCESSFUL: 'DELIVERED',
  TEXT_CARRIER_UNREACHABLE: 'UNDELIVERED',
  TEXT_BLOCKED: 'UNDELIVERED',
};

/** Statuses that never change again. */
const final = ['DELIVERED', 'UNDELIVERED', 'FAILED', 'RECEIVED'];

/** A delivery report for an SMS. */
export function reportDelivery(organization: OrganizationModel, report: Report): Plan {
  const { providerId, eventType, isFinal } = report;
  const status = isFinal && report.message !== undefined ? statuses[eventType] : undefined;
  const number = Number(report.message);
  const isOpen = (message: Fields | undefined) => message && !final.includes(String(message['status']));
  return {
    operation: `report ${status ?? 'of nothing'}`,
    organization,
    call: {
      notification: {
        eventType,
        eventVersion: '1.0',
        eventTimestamp: Date.now(),
        isFinal,
        messageId: providerId,
        context: {
          organization: organization.code,
          ...(report.message !== undefined && { message: report.message }),
        },
      },
    },
    store: once((change) => {
      const before = change.get('MESSAGE', number);
      change.observe();
      const after = change.get('MESSAGE', number);
      if (!isOpen(before) || after?.['status'] !== status || after?.['providerId'] !== providerId)
        throw new Refused('a report must tell once what became of an SMS');
    }),
    check: () => {
      const stored = organization.record('MESSAGE', number);
      if (status !== undefined && isOpen(stored))
        throw new Violation('A message must have the status of its processed delivery report', final, stored);
    },
  };
}

export const plans: readonly WeightedPlan[] = [[sendSms, 6]];
