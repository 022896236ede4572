import * as v from 'valibot';
import { Faq, faqLabel, type NewFaq } from '../../contract/faqs.ts';
import type { Collection, Ledger } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';

export const faqs = {
  name: 'FAQ',
  label: faqLabel,
  schema: v.object(Faq.entries),
} as const satisfies Collection;

/** One FAQ. One round trip. @throws Failure `notFound` */
export function getFaq(ledger: Ledger, faqId: number): Promise<Faq> {
  return ledger.get(ledger.ref(faqs, faqId));
}

/** Creates an FAQ. One transaction. */
export function createFaq(ledger: Ledger, { question, answer, isActive = true }: NewFaq): Promise<Faq> {
  return ledger.write({}, (write) => {
    const { record } = write.append(faqs, ({ number }) => ({ id: number, question, answer, isActive }));
    recordEvent(write, { event: 'FAQ_CREATED', about: record.id });
    return record;
  });
}
