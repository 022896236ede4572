import type { Change } from '../model/change.ts';
import type { Made } from '../model/keyed.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { Refused } from '../model/refusal.ts';
import type { Window } from '../model/window.ts';
import type { Plan, WeightedPlan } from '../plan.ts';
import { someUniqueWord, type Planner } from '../planner.ts';
import { checkOneOf, Violation } from '../violation.ts';
import { numberName, numbersFor } from './operators.ts';
import { sending, toSendIn, type ToSend } from './outgoing-sms.ts';

type Keyword = 'STOP' | 'START' | 'HELP';

/** Keywords in the ways that people write them. */
const keywords: Record<Keyword, readonly string[]> = {
  STOP: ['STOP', ' Stop. ', 'UNSUBSCRIBE', 'opt-out', 'Hi, please stop texting me'],
  START: ['START', 'start', 'Unstop\n'],
  HELP: ['HELP', 'Info'],
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

/** Provider's id of an SMS to answer: an SMS that was sent to anybody, or an SMS that is not stored. */
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
    text: draw.pick(keyword ? keywords[keyword] : ['Do not stop', '', `Hello ${someUniqueWord(planner)}`]),
    keyword: phone === '' ? undefined : keyword,
    answered: someAnswered(planner),
  };
}

const isStopOrStart = (keyword: Keyword | undefined) => keyword === 'STOP' || keyword === 'START';

/** True if the person with a number was erased at a time or later, as of the window, or now. */
function wasErasedSince(
  organization: OrganizationModel,
  phone: string,
  time: string,
  window?: Window,
): boolean {
  const name = `ORG#${organization.code}#ERASED ${organization.hashed(phone)}`;
  const notes = window?.values(name) ?? [organization.history(name).last];
  return notes.some((note) => note !== undefined && String(note.fields['at']) >= time);
}

/**
 * Takes over what an SMS stores: the SMS itself, unless it was erased or is a keyword of nobody. Returns the reply to hand over, which
 * the day counts. @throws Refused
 */
function store(change: Change, incoming: Incoming, at: string): ToSend | undefined {
  const { organization } = change;
  const { id, phone, text, keyword } = incoming;
  const isErased = wasErasedSince(organization, phone, at);
  const records = change.observe({ movesUp: true });
  const texts = records.flatMap(([collection, number]) => {
    const message = collection === 'MESSAGE' ? change.get(collection, number) : undefined;
    return message?.['direction'] === 'INBOUND' ? [message] : [];
  });
  const [message] = texts;
  const isRight = message
    ? !isErased && texts.length === 1 && message['providerId'] === id && message['text'] === text
    : isStopOrStart(keyword) && !records.some(([collection]) => collection === 'INQUIRY');
  if (!isRight) throw new Refused('a text must be stored as it is, unless it is erased');
  const toSend = toSendIn(change, records);
  const isReplied = [...change.written.keys()].some((name) => name.includes('#DAY ANSWER#'));
  if (toSend ? !isReplied || toSend.handover.to !== phone : isReplied && message)
    throw new Refused('each reply must be counted');
  if (toSend || !isReplied) return toSend;
  return { handover: { to: phone, text: '', context: { organization: organization.code } }, sent: undefined };
}

/**
 * An incoming SMS: from a lead or an unknown number, to a number of the organization or to a number that it
 * lost.
 */
export function receiveText(planner: Planner): Plan {
  const { organization } = planner;
  const incoming = someText(planner);
  const { id, from, to, text, answered, phone, keyword } = incoming;
  const commits: Made[] = [];
  const isStored = () =>
    organization.history(organization.uniqueName('MESSAGE.providerId', id)).last !== undefined;
  let wasDropped = false;
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
    store: sending((change, { publishedAt }) => store(change, incoming, publishedAt)),
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
  const stored = organization
    .numbersOf('MESSAGE')
    .map((number) => organization.record('MESSAGE', number))
    .filter((message) => message?.['providerId'] === id);
  const [message] = stored;
  const isRight = message
    ? stored.length === 1 &&
      commits.length > 0 &&
      message['status'] === 'RECEIVED' &&
      message['text'] === text
    : isStopOrStart(keyword) || wasDropped || organization.belongings.wasSmsRemoved(id);
  if (!isRight)
    throw new Violation('Each SMS that the topic accepted must be stored once', { id, text }, stored);
}

export const plans: readonly WeightedPlan[] = [[receiveText, 9]];
