import { createCompanyNote } from '../../../shared/domain/companies/companies.ts';
import { storeInquiry, updateInquiry } from '../../../shared/domain/inquiries/inquiries.ts';
import { createLead, deleteLead } from '../../../shared/domain/leads/leads.ts';
import { updateLead } from '../../../shared/domain/leads/update-lead.ts';
import { createProduct, updateProduct } from '../../../shared/domain/products/products.ts';
import { Inconsistent, type Ledger } from '../../../shared/ledger/index.ts';
import type { FilledOrganization } from './filled-organization.ts';

/** Starts writers that write without pause until `end`. */
export function startWriters(
  { organization, records }: FilledOrganization,
  count = 20,
): { stored: () => number; end: () => Promise<unknown> } {
  let isOver = false;
  let stored = 0;
  const write = async (writer: number) => {
    const { ledger } = organization.openLedger();
    const input = { name: `P${writer}`, tradeCategoryId: 2, pricingType: 'NONE' } as const;
    const product = await attempt(() => createProduct(ledger, input));
    const ids: string[] = [];
    const inquiryIds: string[] = [];
    const steps: ((ledger: Ledger, at: number) => Promise<unknown>)[] = [
      async (mine, at) => {
        const lead = { name: 'W', email: `w${writer}-${at}@example.com` };
        ids.push((await createLead(mine, lead)).id);
      },
      (mine) => createCompanyNote(mine, records.companyId, { value: 'N', userId: records.userId }),
      async (mine) => {
        const form = { formName: 'F', fields: {}, submittedAt: '2026-11-02T13:00:00.000Z' };
        const input = { source: 'WEBFORM', summary: 'F', tag: `T${writer % 3}`, data: form } as const;
        for (const id of ids.slice(0, 1)) inquiryIds.unshift((await storeInquiry(mine, id, input)).id);
      },
      async (mine, at) => product && updateProduct(mine, product.id, { name: `P${writer}-${at}` }),
      async (mine, at) => {
        for (const id of inquiryIds.slice(0, 1))
          await updateInquiry(mine, id, { isRead: at % 3 > 0, isFlagged: true, tag: '' });
      },
      async (mine) => {
        for (const id of ids.slice(0, 1)) await updateLead(mine, id, { status: 'won', businessName: 'B' });
      },
      async (mine) => {
        for (const id of ids.slice(0, 1)) await deleteLead(mine, id);
        ids.shift();
      },
    ];
    const writeOnce = (at: number) => steps[at % steps.length]!(organization.openLedger().ledger, at);
    for (let at = 0; !isOver; at++) {
      if (await attempt(() => writeOnce(at).then(() => true))) stored++;
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

/** Undefined if damaged data makes the write fail, until it is repaired. */
const attempt = <T>(write: () => Promise<T>): Promise<T | undefined> =>
  write().catch((error: unknown) => {
    if (!(error instanceof Inconsistent)) throw error;
    return undefined;
  });
