import type { Change } from '../model/change.ts';
import type { Made } from '../model/keyed.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { Refused } from '../model/refusal.ts';
import { nothingChanges, type Plan, type Progress, type Stage, type WeightedPlan } from '../plan.ts';
import { someUniqueWord, type Planner } from '../planner.ts';
import type { Fields } from '../same.ts';
import { checkOneOf, Violation } from '../violation.ts';
import {
  leadWith,
  noteHelp,
  noteOptOut,
  originOf,
  say,
  storeOutcome,
  storeToSend,
  summaryOf,
  wasErasedSince,
  type ToSend,
} from './conversations.ts';
import { lastAfter, ofLead } from './inquiries.ts';
import { addLead, inActivities } from './leads.ts';
import { numberName, numbersFor } from './operators.ts';

type Keyword = 'STOP' | 'START' | 'HELP';

/** Keywords in the ways that people write them. */
const keywords: Record<Keyword, readonly string[]> = {
  STOP: ['STOP', ' Stop. ', 'UNSUBSCRIBE', 'opt-out'],
  START: ['START', 'start', 'Unstop\n'],
  HELP: ['HELP', 'Info'],
};

/** Other messages. A keyword within a longer message has no effect. */
const others = ['Do not stop', ''];

/** Replies to keywords, after the organization's name. */
const replies: Record<Keyword, string> = {
  STOP: 'You will get no more texts from us. Reply START to get them again.',
  START: 'You will get texts from us again. Reply STOP to get no more.',
  HELP: 'Reply STOP to get no more texts from us, START to get them again.',
};

/** An incoming SMS, as the model knows it. */
interface Incoming {
  id: string;
  from: string;
  /** Sender in E.164; `""` for a sender that is no number. */
  phone: string;
  to: string;
  text: string;
  keyword: Keyword | undefined;
  /** Provider's id of the SMS that this one answers. */
  answered: string | undefined;
}

/** Last sender to each organization. The same people write again soon. */
export const lastSenders = new WeakMap<OrganizationModel, string>();

/** Sender of an SMS: usually the last one, or a lead. */
function someSender({ draw, organization, variety }: Planner): string {
  const last = lastSenders.get(organization);
  if (last !== undefined && draw.happens(0.3)) return last;
  if (draw.happens(0.03)) return draw.pick(['Parcels', '12345']);
  const lead = organization.record('LEAD', draw.whole(1, organization.lastOf('LEAD') + 1));
  if (draw.happens(0.5) && lead?.['phone']) return lead['phone'] as string;
  const nation = organization.country === 'NZ' ? '642112' : '614915';
  return `+${nation}${String(draw.whole(0, variety)).padStart(5, '0')}`;
}

/** Provider's id of an SMS to answer: one that was sent to anybody, or one that is not stored. */
function someAnswered({ draw, organization }: Planner): string | undefined {
  if (draw.happens(0.5)) return undefined;
  const message = organization.record('MESSAGE', draw.whole(1, organization.lastOf('MESSAGE') + 1));
  return (message?.['providerId'] as string | undefined) ?? `provided-${draw.whole(1, 200)}`;
}

function someText(planner: Planner): Incoming {
  const { draw, organization } = planner;
  const from = someSender(planner);
  lastSenders.set(organization, from);
  const phone = from.startsWith('+') ? from : '';
  const keyword = draw.weighted<Keyword | undefined>([
    [undefined, 7],
    ['STOP', 1.5],
    ['START', 1],
    ['HELP', 0.5],
  ]);
  const [first, second] = numbersFor(planner);
  return {
    id: `inbound-${draw.whole(1, 2 ** 48)}`,
    from,
    phone,
    to: draw.happens(0.85) ? first : second,
    text: keyword ? draw.pick(keywords[keyword]) : draw.pick([...others, `Hello ${someUniqueWord(planner)}`]),
    keyword: phone === '' ? undefined : keyword,
    answered: someAnswered(planner),
  };
}

/** Thread that an SMS belongs to: that of the SMS which it answers, or else the newest thread of the lead. */
function threadOf(change: Change, lead: number, { answered }: Incoming): number | undefined {
  const { organization } = change;
  if (answered !== undefined) {
    const held = organization.history(organization.uniqueName('MESSAGE.providerId', answered)).last;
    const message = held && organization.record('MESSAGE', Number(held.fields['id']));
    const thread = Number(message?.['threadId']);
    const isOfLead = organization.record('THREAD', thread)?.['leadId'] === organization.idOf('LEAD', lead);
    if (message && isOfLead) return thread;
  }
  const list = organization.list(ofLead(organization, lead, 'SMS'));
  const [newest] = list.pageAt(organization.version, { page: 1, limit: 1 });
  return newest === undefined ? undefined : Number(organization.record('INQUIRY', newest)!['sourceId']);
}

/**
 * Makes a thread's inquiry the newest unread one and its lead's last one. The SMS becomes the summary unless
 * a client wrote one. The thread continues with the organization's number that received the SMS.
 */
function moveUp(change: Change, lead: number, thread: number, { to, text }: Incoming): void {
  const { organization } = change;
  const before = change.get('THREAD', thread)!;
  if (before['number'] !== to) change.replace('THREAD', thread, { ...before, number: to });
  const number = organization.numberOf('INQUIRY', before['inquiryId']);
  const inquiry = change.get('INQUIRY', number)!;
  const [now, last] = [change.now, String(inquiry['lastTextAt'] ?? inquiry['createdAt'])];
  const lastTextAt = now > last ? now : last;
  const isTold = !inquiry['isSummaryGiven'] && summaryOf(text).trim() !== '';
  const summary = isTold ? summaryOf(text) : inquiry['summary'];
  const moved = { ...inquiry, summary, isRead: false, lastTextAt, updatedAt: now };
  change.replace('INQUIRY', number, moved, 'gsi4');
  const ofThread = change.get('LEAD', lead)!;
  const unreadSMS = Number(ofThread['unreadSMS']) + Number(inquiry['isRead']);
  const arrived = lastAfter(ofThread, String(inquiry['id']), lastTextAt);
  change.replace('LEAD', lead, { ...ofThread, ...arrived, unreadSMS, updatedAt: now });
}

const isStopOrStart = (keyword: Keyword | undefined) => keyword === 'STOP' || keyword === 'START';

/** Maximum number of replies to a number in a day, and of replies to HELP among them. */
const repliesPerDay = { ANSWER: 3 };
const helpRepliesPerDay = { ...repliesPerDay, HELP: 1 };

/** Carries out a keyword. Returns true and counts the reply if there must be one. */
function obey(change: Change, { keyword, phone }: Incoming, lead: number | undefined, at: string): boolean {
  if (keyword === undefined) return false;
  const isHelp = keyword === 'HELP';
  if (!isHelp && !noteOptOut(change, { phone, lead, isOut: keyword === 'STOP', at })) return false;
  const numberHash = change.hashed(phone);
  const counts = Object.entries(isHelp ? helpRepliesPerDay : repliesPerDay).map(
    ([kind, max]) => [`${kind}#${numberHash}`, max] as const,
  );
  if (counts.some(([counted, max]) => change.countOfToday(counted) >= max)) return false;
  if (isHelp && !noteHelp(change, phone)) return false;
  for (const [counted, max] of counts) change.countToday(counted, max);
  return true;
}

/** Stores an SMS. Returns the reply to hand over, if any. @throws Refused if there is nothing to store */
function store(change: Change, incoming: Incoming, at: string): ToSend | undefined {
  const { organization } = change;
  const { id, from, phone, to, keyword } = incoming;
  const { name } = change.get('ORGANIZATION', 1)!;
  const reply = keyword && `${String(name)}: ${replies[keyword]}`;
  const answer = reply && { to: phone, text: reply, from: originOf(change, to) };
  const known = leadWith(change, 'phone', phone);
  const isErased = wasErasedSince(organization, phone, at);
  if ((known === undefined || isErased) && isStopOrStart(keyword)) {
    const isNew = obey(change, incoming, known, at);
    if (change.version === organization.version) throw new Refused(nothingChanges);
    const context = { organization: organization.code };
    return isNew && answer ? { handover: { ...answer, context }, message: undefined } : undefined;
  }
  if (isErased) throw new Refused(nothingChanges);
  const added = known === undefined && addLead(change, { firstName: '', lastName: '', email: '', phone });
  const lead = known ?? organization.numberOf('LEAD', (added as Fields)['id']);
  const before = known === undefined ? undefined : threadOf(change, known, incoming);
  const { text } = incoming;
  const message = { direction: 'INBOUND', text, status: 'RECEIVED', userId: null };
  const { thread, inquiryId } = say(change, lead, before, {
    message: { ...message, providerId: id, createdAt: at },
    number: to,
    isRead: false,
    givenPhone: phone === '' ? from : '',
  });
  if (before !== undefined) moveUp(change, lead, before, incoming);
  change.event('SMS_RECEIVED', 'An SMS came in', inquiryId, [inActivities(organization, lead)]);
  if (!obey(change, incoming, lead, at) || !answer) return undefined;
  const sent = { direction: 'OUTBOUND', text: answer.text, status: 'SENDING', userId: null };
  say(change, lead, thread, { message: sent, number: to, isRead: true });
  return storeToSend(change, answer);
}

/**
 * An incoming SMS: from a lead or an unknown number, to a number of the organization or to one that it lost.
 */
export function receiveText(planner: Planner): Plan {
  const { organization } = planner;
  const incoming = someText(planner);
  const { id, from, to, text, answered, phone, keyword } = incoming;
  const commits: Made[] = [];
  const storedName = organization.uniqueName('MESSAGE.providerId', id);
  const isStored = () => organization.history(storedName).last !== undefined;
  let wasDropped = false;
  const stagesOf = (progress: Progress): Stage[] => {
    const { made, publishedAt } = progress;
    const storeText = (change: Change) => {
      if (isStored()) throw new Refused({ status: 0, message: 'it is stored already' });
      return store(change, incoming, publishedAt);
    };
    if (made.length === 0) return [{ stage: 0, store: storeText }];
    const toSend = made.length === 1 ? (made[0]?.response as ToSend | undefined) : undefined;
    if (!toSend) return [];
    const outcome = (change: Change) => {
      storeOutcome(change, toSend, progress);
    };
    return [{ stage: 1, store: outcome }];
  };
  return {
    operation: `text ${keyword ?? ''}`.trim(),
    organization,
    call: {
      notification: {
        originationNumber: from,
        destinationNumber: to,
        messageKeyword: 'KEYWORD_1',
        messageBody: text,
        inboundMessageId: id,
        ...(answered !== undefined && { previousPublishedMessageId: answered }),
      },
    },
    commits,
    stages: stagesOf,
    canFail: (window) => window.values(numberName(to)).includes(undefined),
    check: (_, window, { made, handovers, publishedAt }) => {
      // A keyword from a number that no lead has can leave everything unchanged.
      const nobodys = window.values(organization.uniqueName('LEAD.phone', phone)).includes(undefined);
      const isLate = wasErasedSince(organization, phone, publishedAt, window);
      const isErased = organization.belongings.wasSmsRemoved(id) || isLate;
      wasDropped ||= isLate;
      if (!isStored() && !isErased && !(isStopOrStart(keyword) && nobodys)) {
        throw new Violation('An SMS whose notification is processed must be stored', incoming, 'no commit');
      }
      const expected = made[0]?.response === undefined ? 0 : 1;
      checkOneOf('A reply must be handed over once', [expected], handovers.length);
    },
    checkEnd: () => {
      checkText(organization, incoming, { commits, wasDropped });
    },
    optOutKeyword: isStopOrStart(keyword) ? { phone, isOut: keyword === 'STOP', commits } : undefined,
  };
}

/** Checks that an SMS is stored exactly once in the end, in a thread with its sender. @throws Violation */
function checkText(
  organization: OrganizationModel,
  { id, keyword, text }: Incoming,
  { commits, wasDropped }: { commits: readonly Made[]; wasDropped: boolean },
): void {
  const stored = [];
  for (let number = 1; number <= organization.lastOf('MESSAGE'); number++) {
    const message = organization.record('MESSAGE', number);
    if (message?.['providerId'] === id) stored.push(message);
  }
  const [message] = stored;
  const isMissing = stored.length === 0;
  const isRight = isMissing
    ? isStopOrStart(keyword) || wasDropped || organization.belongings.wasSmsRemoved(id)
    : stored.length === 1 &&
      commits.length > 0 &&
      message?.['direction'] === 'INBOUND' &&
      message['status'] === 'RECEIVED' &&
      message['text'] === text;
  if (!isRight) {
    throw new Violation('Each SMS that the topic accepted must be stored once', { id, text }, stored);
  }
}

export const plans: readonly WeightedPlan[] = [[receiveText, 9]];
