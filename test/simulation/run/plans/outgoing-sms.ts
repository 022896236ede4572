import { isReplayed } from '../key-check.ts';
import type { Change } from '../model/change.ts';
import type { Kept, Made } from '../model/keyed.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { invalid, notFound, Refused } from '../model/refusal.ts';
import type { Window } from '../model/window.ts';
import { once, type Plan, type Progress, type Stage, type WeightedPlan } from '../plan.ts';
import { someId, someNumber, someUniqueWord, type Planner } from '../planner.ts';
import type { Report } from '../provider.ts';
import type { Fields } from '../same.ts';
import { checkOneOf, Violation } from '../violation.ts';
import {
  numbersOf,
  originOf,
  say,
  storeOutcome,
  storeToSend,
  tellSent,
  type ToSend,
} from './conversations.ts';

/** Statuses of the responses to a failed SMS, by the reason of the failure. */
const failures: Readonly<Record<string, number>> = {
  OPTED_OUT: 400,
  REFUSED: 502,
  UNREACHED: 502,
  UNKNOWN: 502,
};

/**
 * Result of an SMS's first change, for the second change and the check: what is handed over, and where a
 * client reads it.
 */
interface Stored extends ToSend {
  sent: Fields;
}

/** Statuses of a message that the provider accepted. */
const sentStatuses = ['SENT', 'DELIVERED', 'UNDELIVERED'];

const storedBy = (made: readonly Made[]) => made[0]?.response as Stored | undefined;

/** Sends an SMS to a lead: in a new thread, in an existing one, or in another lead's thread. */
export function sendSms(planner: Planner): Plan {
  const { draw, organization } = planner;
  const leadId = draw.happens(0.5) ? someId(planner, 'LEAD') : withPhone(planner);
  const lead = organization.numberOf('LEAD', leadId);
  const member = someNumber(planner, 'MEMBER');
  const userId = organization.userId(member);
  // A summary counts characters, and some of these take two UTF-16 units.
  const tail = draw.happens(0.1) ? draw.pick(['x', '\u{1F6BF}', '水']).repeat(300) : '';
  const text = `We are on our way, ${someUniqueWord(planner)} ${tail}`;
  const thread = draw.happens(0.6) ? threadFor(planner, leadId) : undefined;
  const threadId = thread !== undefined && { messageThreadId: draw.happens(0.5) ? thread : String(thread) };
  const body = { userId, leadId, message: text, ...threadId };
  const storeMessage = (change: Change) => {
    // An id that no lead can have is refused before anything is read.
    if (lead === 0) throw new Refused(notFound);
    if (!change.get('MEMBER', member)) throw new Refused(notFound);
    const before = change.get('LEAD', lead);
    if (!before) throw new Refused(notFound);
    const threadBefore = thread === undefined ? undefined : change.get('THREAD', thread);
    if (thread !== undefined && threadBefore?.['leadId'] !== leadId) throw new Refused(notFound);
    if (before['phone'] === '') throw new Refused(invalid);
    if (before['isOptedOut'] === true) throw new Refused(invalid);
    const from = originOf(change, (threadBefore?.['number'] ?? '') as string);
    const { thread: messageThreadId, inquiryId } = say(change, lead, thread, {
      message: { direction: 'OUTBOUND', text, status: 'SENDING', userId },
      number: numbersOf(change)[0]?.number ?? '',
      isRead: true,
    });
    const to = before['phone'] as string;
    const toSend = storeToSend(change, { to, text, from });
    const ids = { messageId: String(toSend.message), messageThreadId: String(messageThreadId), inquiryId };
    change.keep('MESSAGE', toSend.message);
    change.keep('THREAD', messageThreadId);
    change.keep('INQUIRY', organization.numberOf('INQUIRY', inquiryId));
    const stored: Stored = { ...toSend, sent: ids };
    return stored;
  };
  const stagesOf = (progress: Progress): Stage[] => {
    const stored = storedBy(progress.made);
    if (!stored) return [{ stage: 0, store: storeMessage }];
    const outcome = (change: Change) => {
      storeOutcome(change, stored, progress);
    };
    return progress.made.length === 1 ? [{ stage: 1, store: outcome }] : [];
  };
  /** Checks that the SMS was handed over, and that the response reports its outcome. @throws Violation */
  const expectHandedOver = ({ made, handovers }: Progress, reason: string | undefined) => {
    const [handover] = handovers;
    const outcome = handover?.outcome;
    const isRight =
      handovers.length === 1 &&
      outcome !== undefined &&
      (outcome.status === 'SENT' ? undefined : outcome.reason) === reason;
    if (!isRight) {
      throw new Violation(
        'The response to an SMS must report its outcome at the provider',
        { reason, text },
        { handovers, commits: made.map(({ version }) => version) },
      );
    }
  };
  /** Statuses of the message of an earlier request with the same key, of which one must be in `right`. @throws Violation */
  const expectStatus = (kept: Kept, window: Window, right: readonly unknown[]): unknown[] => {
    const message = storedBy(kept.made)?.message ?? 0;
    const states = window.records('MESSAGE', message).map((record) => record?.['status']);
    if (!states.some((status) => right.includes(status)))
      throw new Violation('A repeat must tell what became of the SMS', right, states);
    return states;
  };
  return {
    operation: thread === undefined ? 'sendSms new thread' : 'sendSms',
    organization,
    call: { endpoint: 'sendSms', body: JSON.stringify(body) },
    repeated: 'tellsOutcome',
    stages: stagesOf,
    check: (body, window, progress) => {
      const stored = storedBy(progress.made) ?? storedBy(progress.kept?.made ?? []);
      const expected = { message: 'SMS sent successfully', ...stored?.sent };
      checkOneOf('The response to a sent SMS must say so and name its message', [expected], body);
      if (progress.made.length === 0 && progress.kept) expectStatus(progress.kept, window, sentStatuses);
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
  };
}

/** Id of a lead, usually one with a phone number. */
function withPhone({ draw, organization }: Planner): string {
  const last = organization.lastOf('LEAD');
  const from = draw.whole(1, last + 1);
  let number = from;
  while (number > from - 40 && !organization.record('LEAD', number)?.['phone']) number--;
  return organization.idOf('LEAD', Math.max(1, number));
}

/** Number of a thread, usually one with this lead. */
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

const events: Record<string, [event: string, data: string]> = {
  DELIVERED: ['SMS_DELIVERED', 'The SMS arrived'],
  UNDELIVERED: ['SMS_UNDELIVERED', 'The SMS did not arrive'],
};

/** A delivery report for an SMS. */
export function reportDelivery(organization: OrganizationModel, report: Report): Plan {
  const { providerId, eventType, isFinal } = report;
  const status = isFinal && report.message !== undefined ? statuses[eventType] : undefined;
  const message = Number(report.message);
  /** Undefined once the message is erased. */
  const record = (): Fields | undefined => organization.record('MESSAGE', message);
  const plan: Plan = {
    operation: `report ${status ?? 'of nothing'}`,
    organization,
    call: {
      notification: {
        ...{ eventType, eventVersion: '1.0', eventTimestamp: Date.now(), isFinal, messageId: providerId },
        context: {
          organization: organization.code,
          ...(report.message !== undefined && { message: report.message }),
        },
      },
    },
  };
  if (status === undefined) return plan;
  return {
    ...plan,
    stages: once((change) => {
      const before = change.get('MESSAGE', message);
      if (!before) throw new Refused({ status: 0, message: 'the message is erased' });
      if (final.includes(before['status'] as string))
        throw new Refused({ status: 0, message: 'what became of it is known' });
      change.replace('MESSAGE', message, { ...before, status, providerId });
      // The report came before the function stored that the SMS was sent.
      if (before['status'] !== 'SENT') tellSent(change, before);
      change.event(...events[status]!, String(before['inquiryId']));
    }),
    check: () => {
      const stored = record();
      if (stored && !final.includes(stored['status'] as string)) {
        throw new Violation('A message must have the status of its processed delivery report', final, stored);
      }
    },
  };
}

export const plans: readonly WeightedPlan[] = [[sendSms, 6]];
