import { inquirySources, type InquirySource } from '../../../../shared/contract/inquiries.ts';
import { Refused } from '../model/refusal.ts';
import type { Window } from '../model/window.ts';
import type { Hint } from '../plan.ts';
import { inSomeCase, someId, someUniqueWord, uniqueWordsIn, type Planner } from '../planner.ts';
import { messagesAt, shownMessage } from '../records-at.ts';
import { without, type Fields } from '../same.ts';
import { checkOneOf } from '../violation.ts';
import { someEmail, someFirstName, someLastName, somePhone } from './contacts.ts';

const createdAt = '2026-01-05T08:00:00.000Z';

/** Data of a source, with a word that no other inquiry contains. */
const dataWith = {
  CALL: (word) => ({ summary: word, transcripts: [], startedAt: createdAt, fields: { Problem: 'Leak' } }),
  EMAIL: (word) => ({ subject: 'A quote', from: 'ann@example.com', body: word, receivedAt: createdAt }),
  CHATBOT: (word) => ({ messages: [{ id: '1', user: 'user', text: word, createdAt }] }),
  SMS: (word) => ({ messages: [{ direction: 'INBOUND', text: word, createdAt }] }),
  WEBFORM: (word) => ({ formName: 'Contact', fields: { Note: word }, submittedAt: createdAt }),
} satisfies Record<InquirySource, (word: string) => Fields>;

/** Email of a sender with so much data that an erasure takes several requests. */
export const greatWriter = 'ann1@example.com';

/** An inquiry by SMS with the maximum number of messages. */
const longInquiry = (word: string): Fields => ({
  source: 'SMS',
  lead: { firstName: 'Ann', email: greatWriter },
  data: {
    messages: Array.from({ length: 50 }, (_, at) => ({
      direction: 'INBOUND',
      text: `${word} ${at}`,
      createdAt,
    })),
  },
});

/** Sender of an inquiry: a known sender, a hidden number, or a sender with hardly any data. */
export function someSender(planner: Planner): Fields {
  const { draw } = planner;
  return {
    ...(draw.happens(0.3) && { lastName: someLastName(planner), suburb: 'Newtown', businessName: 'Annex' }),
    ...(draw.happens(0.5) && { email: someEmail(planner) }),
    ...draw.pick<Fields>([
      { phone: draw.happens(0.1) ? 'anonymous' : somePhone(planner) },
      { firstName: someFirstName(planner) },
      { name: `${someFirstName(planner)} Lee`, phone: somePhone(planner) },
    ]),
  };
}

/** Tags of inquiries. The name of a list may look like part of a key. */
const tags = ['Hot water', 'hot water', 'Quote', 'a#000000000001', '水'];

/**
 * Checks that an SMS inquiry shows its thread at one version: the newest messages, the oldest first, each with a value of the window.
 * @throws Violation
 */
function checkThread({ data }: Fields, states: readonly Fields[], window: Window): void {
  const { organization } = window;
  if (data === undefined || states[0]?.['source'] !== 'SMS') return;
  const { messages } = data as { messages: Fields[] };
  const thread = Number(states[0]['sourceId']);
  const list = organization.list(organization.partitionOf('gsi1', 'MESSAGE', { owner: ['THREAD', thread] }));
  const inOrder = messages.map(({ id }) => Number(id));
  if (!window.isSlow)
    checkOneOf(
      'An inquiry must show its thread at one version',
      window
        .statesByOwner(list)
        .map(({ version }) => messagesAt(organization, version, thread).sort((a, b) => a - b)),
      inOrder.toSorted((a, b) => a - b),
    );
  for (const message of messages) {
    const values = window.present('MESSAGE', Number(message['id']), { fromIndex: true }).map(shownMessage);
    checkOneOf('A message must have a value of the window', values, message);
  }
  const times = messages.map((message) => Date.parse(String(message['createdAt'])));
  checkOneOf('A thread must be in the order of time', [times.toSorted((a, b) => a - b)], times);
}

/** Hints about inquiries: of a lead that is named, or found or made. */
export const inquiries: Readonly<Record<string, Hint>> = {
  createInquiry: {
    wholeBody: (planner) => {
      const { draw, variety } = planner;
      const word = someUniqueWord(planner);
      if (draw.happens(0.06)) return longInquiry(word);
      const source = draw.pick(inquirySources);
      return {
        source,
        data: dataWith[source](word),
        ...(draw.happens(0.4) ? { leadId: someId(planner, 'LEAD') } : { lead: someSender(planner) }),
        ...(draw.happens(0.6) && { summary: `About ${someUniqueWord(planner)}` }),
        ...(draw.happens(0.5) && { tag: draw.pick(tags) }),
        ...(draw.happens(0.2) && { isRead: draw.happens(0.8) }),
        ...(draw.happens(0.4) && {
          externalInquiryId: inSomeCase(planner, `mail-${draw.whole(1, 4 * variety)}`),
        }),
      };
    },
    query: () => ({}),
    // An inquiry that came before with its id is stored already.
    judge: (change, body) => {
      const stored = JSON.stringify([...change.written.values()]);
      const lost = uniqueWordsIn(JSON.stringify(without(body, 'lead'))).filter(
        (word) => !stored.includes(word),
      );
      if (lost.length > 0) throw new Refused(`${lost.join()} must be stored`);
      return {};
    },
    check: checkThread,
  },
  getInquiry: { check: checkThread },
  updateInquiry: {
    check: checkThread,
    wholeBody: (planner) => ({
      ...(planner.draw.happens(0.5) && { isRead: planner.draw.happens(0.6) }),
      ...(planner.draw.happens(0.4) && { isFlagged: planner.draw.happens(0.6) }),
      ...(planner.draw.happens(0.3) && { tag: planner.draw.pick(['', ...tags]) }),
      ...(planner.draw.happens(0.2) && { summary: someUniqueWord(planner) }),
    }),
  },
};
