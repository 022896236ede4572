import { numberIn } from '../model/ids.ts';
import { notFound, Refused, type RefusalAnswer } from '../model/refusal.ts';
import type { Change } from '../model/change.ts';
import type { Made, Plan, Progress, Stage } from '../plan.ts';
import { someId, someNumber, type Planner } from '../planner.ts';
import { same } from '../same.ts';
import { Violation } from '../violation.ts';
import { addInquiry } from './inquiries.ts';
import { addMessage } from './threads.ts';

const outcomes = {
  SENT: ['SMS_ACCEPTED', 'The provider took the SMS'],
  FAILED: ['SMS_FAILED', 'The SMS was not sent'],
  UNKNOWN: ['SMS_UNKNOWN', 'The provider gave no answer for the SMS'],
} as const;

const noPhone: RefusalAnswer = { status: 400, message: 'The lead has no phone number' };

/** What the first change of an SMS tells the second: the message's number, and whom it goes to. */
interface Stored {
  message: number;
  to: string;
}

const storedBy = (made: readonly Made[]) => made[0]?.answer as Stored | undefined;

/** Sends an SMS to a lead, in a new thread or in one that is there, or is of another lead. */
export function sendSms(planner: Planner): Plan {
  const { draw, organization } = planner;
  const leadId = someId(planner, 'LEAD');
  const lead = numberIn(leadId, 'lead', organization.code);
  const member = someNumber(planner, 'MEMBER');
  const userId = organization.userId(member);
  const text = `We are on our way, ${draw.whole(1, 999_999)} ${'x'.repeat(draw.happens(0.1) ? 300 : 0)}`;
  const thread = draw.happens(0.6) ? threadFor(planner, leadId) : undefined;
  const body = {
    userId,
    leadId,
    message: text,
    ...(thread !== undefined && { messageThreadId: draw.happens(0.5) ? thread : String(thread) }),
  };
  const storeMessage = (change: Change) => {
    if (!change.get('MEMBER', member)) throw new Refused(notFound('user'));
    const before = change.get('LEAD', lead);
    if (!before) throw new Refused(notFound('lead'));
    const threadBefore = thread === undefined ? undefined : change.get('THREAD', thread);
    if (thread !== undefined && threadBefore?.['leadId'] !== leadId)
      throw new Refused(notFound('message thread'));
    if (before['phone'] === '') throw new Refused(noPhone);
    const stored: Stored = { message: change.next('MESSAGE'), to: before['phone'] as string };
    const message = { direction: 'OUTBOUND', text, status: 'SENDING', userId };
    let inquiryId = threadBefore?.['inquiryId'];
    if (thread !== undefined) addMessage(change, thread, message);
    else {
      const summary = text.slice(0, 200);
      inquiryId = addInquiry(change, lead, {
        source: 'SMS',
        summary,
        isRead: true,
        data: { messages: [message] },
      })['id'];
    }
    const now = change.get('LEAD', lead)!;
    change.replace('LEAD', lead, { ...now, activityCount: Number(now['activityCount']) + 1 });
    change.event('SMS_SENT', 'An SMS was handed over to be sent', inquiryId as string, lead);
    return stored;
  };
  const storeOutcome = (change: Change, { made, handovers }: Progress) => {
    const stored = storedBy(made);
    const outcome = handovers[0]?.outcome;
    if (!outcome || !stored)
      throw new Refused({ status: 0, message: 'no outcome of the provider is known yet' });
    const before = change.get('MESSAGE', stored.message)!;
    const providerId = outcome.status === 'SENT' ? outcome.providerId : null;
    change.replace('MESSAGE', stored.message, { ...before, status: outcome.status, providerId });
    const [event, data] = outcomes[outcome.status];
    change.event(event, data, stored.message);
    return stored;
  };
  const stagesOf = (progress: Progress): Stage[] => {
    if (progress.made.length === 0) return [{ stage: 0, store: storeMessage }];
    return progress.made.length === 1
      ? [{ stage: 1, store: (change) => storeOutcome(change, progress) }]
      : [];
  };
  const expectHandedOver = ({ made, handovers }: Progress, statuses: readonly string[], reason?: unknown) => {
    const [handover] = handovers;
    const outcome = handover?.outcome;
    const isRight =
      handovers.length === 1 &&
      handover?.to === storedBy(made)?.to &&
      outcome !== undefined &&
      statuses.includes(outcome.status) &&
      (outcome.status === 'SENT' || outcome.reason === reason);
    if (!isRight) {
      throw new Violation('The answer for an SMS must tell what became of it at the provider', {
        expected: { statuses, reason },
        seen: { handovers, commits: made.map(({ version }) => version) },
      });
    }
  };
  return {
    operation: thread === undefined ? 'sendSms new thread' : 'sendSms',
    organization,
    call: { endpoint: 'sendSms', body: JSON.stringify(body) },
    stages: stagesOf,
    refusals: (window) => [
      ...(window.canMiss('MEMBER', member) ? [notFound('user')] : []),
      ...(window.canMiss('LEAD', lead) ? [notFound('lead')] : []),
      ...(thread !== undefined && window.records('THREAD', thread).some((one) => one?.['leadId'] !== leadId)
        ? [notFound('message thread')]
        : []),
      ...(window.present('LEAD', lead).some(({ phone }) => phone === '') ? [noPhone] : []),
    ],
    check: (body, _window, progress) => {
      const expected = { message: 'SMS sent successfully' };
      if (!same(body, expected))
        throw new Violation('An SMS that was sent is told so', { expected, seen: body });
      expectHandedOver(progress, ['SENT']);
    },
    checkFailure: ({ status, body }, progress) => {
      if (status !== 502 || typeof body !== 'object' || body === null || !('message' in body)) return false;
      expectHandedOver(progress, ['FAILED', 'UNKNOWN'], body.message);
      return true;
    },
  };
}

/** A thread, mostly one with this lead. */
function threadFor({ draw, organization }: Planner, leadId: string): number {
  const last = organization.lastOf('THREAD');
  for (let number = last; number > 0 && number > last - 40; number--) {
    if (organization.record('THREAD', number)?.['leadId'] === leadId) return number;
  }
  return draw.whole(1, last + 1);
}
