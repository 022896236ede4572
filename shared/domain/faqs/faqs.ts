import * as v from 'valibot';
import {
  Faq,
  faqLabel,
  maxSaidFaqs,
  type FaqChanges,
  type FaqQuery,
  type NewFaq,
  type SaidFaqs,
} from '../../contract/faqs.ts';
import { bestMatches } from '../../core/best-matches.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { merge } from '../../core/merge.ts';
import { pageIn, type Page } from '../../core/page.ts';
import type { Collection, Ledger, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { byState, pageByState } from '../lists/by-state.ts';
import { changeRecord, deleteRecord } from '../records/change-record.ts';

export const faqs = {
  name: 'FAQ',
  label: faqLabel,
  schema: v.object(Faq.entries),
  isConfiguration: true,
  lists: { state: byState },
} as const satisfies Collection;

/**
 * Page of the organization's FAQs, newest first: all, or only FAQs with this `isActive`. With `q`, the FAQs in use that
 * match a text, best first. One query; a search also reads the head once an FAQ was deleted.
 */
export async function listFaqs(
  ledger: Ledger,
  { q, ...query }: Omit<FaqQuery, 'format'>,
): Promise<Page<Faq>> {
  if (q === undefined) return pageByState(ledger, faqs, query);
  const found = await searchFaqs(ledger, q);
  return pageIn(found, query);
}

/** Answer to a question: the answer of the FAQ that matches best. As many reads as `listFaqs` with `q`. */
export async function answerQuestion(ledger: Ledger, q: string): Promise<SaidFaqs> {
  const [best, ...others] = (await searchFaqs(ledger, q)).slice(0, maxSaidFaqs);
  if (!best) return { say: 'I do not know that. I can take a message.', faqs: [] };
  return { say: best.answer, faqs: [best, ...others] };
}

/** FAQs in use that have a word of a text, best first; among equals, newest first. */
async function searchFaqs(ledger: Ledger, q: string): Promise<Faq[]> {
  const inUse = (await ledger.all(faqs)).filter(({ isActive }) => isActive).toReversed();
  const found = bestMatches(inUse, q, ({ question, answer }) => ({ title: question, body: answer }));
  return found.map(({ one }) => one);
}

/** One FAQ. One round trip. @throws Failure `notFound` */
export function getFaq(ledger: Ledger, faqId: number): Promise<Faq> {
  return ledger.get(ledger.ref(faqs, faqId));
}

/** Creates an FAQ. One transaction. */
export function createFaq(ledger: Ledger, input: NewFaq): Promise<Faq> {
  return ledger.write({}, (write) => {
    const faq = addFaq(write, input);
    recordEvent(write, { event: 'FAQ_CREATED', about: faq.id });
    return faq;
  });
}

/** Creates an FAQ, as part of a write. */
export function addFaq(write: Write, { question, answer, isActive = true }: NewFaq): Faq {
  return write.append(faqs, ({ number }) => ({ id: number, question, answer, isActive })).record;
}

/**
 * Changes an FAQ. One transaction, or none if nothing changes.
 * @throws Failure `notFound`; as `refuseOutdated` does
 */
export function updateFaq(
  ledger: Ledger,
  faqId: number,
  changes: FaqChanges,
  conditions: ChangeConditions<Faq> = {},
): Promise<Faq> {
  return changeRecord(ledger, ledger.ref(faqs, faqId), (faq) => merge(faq, changes), {
    event: 'FAQ_UPDATED',
    about: faqId,
    ...conditions,
  });
}

/** Deletes an FAQ. One transaction. @throws Failure `notFound`; as `refuseOutdated` does */
export function deleteFaq(
  ledger: Ledger,
  faqId: number,
  conditions: ChangeConditions<Faq> = {},
): Promise<void> {
  return deleteRecord(ledger, ledger.ref(faqs, faqId), { event: 'FAQ_DELETED', about: faqId, ...conditions });
}
