import * as v from 'valibot';
import { Faq, faqLabel, type FaqChanges, type NewFaq } from '../../contract/faqs.ts';
import type { ActivePageQuery } from '../../contract/pagination.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { merge } from '../../core/merge.ts';
import type { Page } from '../../core/page.ts';
import type { Collection, Ledger, Write } from '../../ledger/index.ts';
import { changeRecord, deleteRecord, recordEvent } from '../events/record-event.ts';
import { byState, pageByState } from '../lists/by-state.ts';

export const faqs = {
  name: 'FAQ',
  label: faqLabel,
  schema: v.object(Faq.entries),
  lists: { state: byState },
} as const satisfies Collection;

/** Page of the organization's FAQs, newest first: all, those in use, or the others. */
export function listFaqs(ledger: Ledger, query: ActivePageQuery): Promise<Page<Faq>> {
  return pageByState(ledger, faqs, query);
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
