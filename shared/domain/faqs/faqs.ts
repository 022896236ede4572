import * as v from 'valibot';
import { Faq, type NewFaq } from '../../contract/faqs.ts';
import type { Collection } from '../../ledger/internal/collection.ts';
import type { Ledger } from '../../ledger/internal/ledger.ts';

export const faqs = {
  name: 'FAQ',
  label: 'FAQ',
  schema: v.object(Faq.entries),
} as const satisfies Collection;

/** Creates an FAQ. One transaction. */
export function createFaq(ledger: Ledger, { question, answer, isActive = true }: NewFaq): Promise<Faq> {
  return ledger.write({}, (write) => {
    const { record } = write.append(faqs, ({ number }) => ({ id: number, question, answer, isActive }));
    write.event({ event: 'FAQ_CREATED', data: 'The FAQ was created', referenceId: String(record.id) });
    return record;
  });
}
