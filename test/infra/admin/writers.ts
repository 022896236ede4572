import { addNote } from '../../../shared/domain/companies/companies.ts';
import { createLead, deleteLead } from '../../../shared/domain/leads/leads.ts';
import { createProduct, updateProduct } from '../../../shared/domain/products/products.ts';
import { Inconsistent } from '../../../shared/ledger/index.ts';
import type { FilledOrganization } from './filled-organization.ts';

/** Writes without pause, as twenty, until it is ended. */
export function startWriters(
  { organization, records }: FilledOrganization,
  count = 20,
): { stored: () => number; end: () => Promise<unknown> } {
  let isOver = false;
  let stored = 0;
  const write = async (writer: number) => {
    const { ledger } = organization.openLedger();
    const input = { name: `P${writer}`, tradeCategoryId: 2, pricingType: 'NONE' } as const;
    const product = await createProduct(ledger, input);
    const ids: string[] = [];
    const writeOnce = async (at: number) => {
      const { ledger: mine } = organization.openLedger();
      const [id] = ids;
      if (at % 4 === 0) {
        const lead = { name: 'W', email: `w${writer}-${at}@example.com` };
        ids.push((await createLead(mine, lead)).id);
      } else if (at % 4 === 1) {
        await addNote(mine, records.companyId, { value: 'N', userId: records.userId });
      } else if (at % 4 === 2) {
        await updateProduct(mine, product.id, { name: `P${writer}-${at}` });
      } else if (id !== undefined) {
        await deleteLead(mine, id);
        ids.shift();
      }
    };
    for (let at = 0; !isOver; at++) {
      // While what is stored contradicts itself, nothing can be written.
      const isStored = await writeOnce(at).then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof Inconsistent)) throw error;
          return false;
        },
      );
      if (isStored) stored++;
    }
  };
  const all = Promise.all(Array.from({ length: count }, (_, writer) => write(writer)));
  return {
    stored: () => stored,
    end: () => {
      isOver = true;
      return all;
    },
  };
}
