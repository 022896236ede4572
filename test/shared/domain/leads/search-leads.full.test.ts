import { beforeAll, expect, test } from 'vitest';
import { searchLeads } from '../../../../shared/domain/leads/search-leads.ts';
import { leads, searchedValues } from '../../../../shared/domain/leads/lead-record.ts';
import { formOf } from '../../../../shared/ledger/internal/unique-values.ts';
import { recordKey, uniqueKey } from '../../../../shared/ledger/internal/keys.ts';
import { recordId } from '../../../../shared/core/ids.ts';
import { SimulatedLedger } from '../../ledger/simulated-ledger.ts';

/* Leads with one first name, ten times as many as a search reads. The documented maximum of a search is 170 read units. */

const total = 10_000;
let simulated: SimulatedLedger;

/** Stores the words of a lead past all conditions, and the record of a lead that is shown. */
function put(number: number, firstName: string, lastName: string): void {
  const id = recordId('lead', simulated.code, number);
  const names = { firstName, lastName, businessName: '', phone: '' };
  for (const { field, value } of searchedValues(names, String(number).padStart(12, '0'))) {
    const folded = formOf({ value, isSearched: true });
    simulated.put({ ...uniqueKey(simulated.code, { kind: `LEAD.${field}`, folded }), id });
  }
  if (number > 1000 && number <= total) return;
  const at = '2026-01-01T00:00:00.000Z';
  simulated.put({
    ...recordKey(simulated.code, leads.name, number),
    ...{ id, ...names, email: '', suburb: '', socials: {}, externalId: '', status: 'pending', read: false },
    address: { line1: '', line2: '', state: '', postcode: '', country: '', access: '' },
    ...{ createdAt: at, updatedAt: at, lastInquiryId: null, lastInquiryDate: null, isOptedOut: false },
    ...{
      unreadEmails: 0,
      unreadCalls: 0,
      unreadChatbotThreads: 0,
      unreadSMS: 0,
      unreadWebformSubmissions: 0,
    },
    ...{ hasFlaggedInquiry: false, flaggedInquiries: 0, revision: 1 },
  });
}

beforeAll(async () => {
  simulated = await SimulatedLedger.found();
  // Every fourth is a Smith. One Liu, and one Zed among them.
  for (let number = 1; number <= total; number++)
    put(number, 'Grace', number % 4 === 0 ? 'Smith' : `Name${String(number).padStart(6, '0')}`);
  put(total + 1, 'Grace', 'Liu');
  put(total + 2, 'Gracie', 'Smithers');
  put(total + 3, 'Zed', 'Smith');
});

test.each<[string, { totalCount: number; hasMore: boolean }, string?]>([
  ['grace', { totalCount: 100, hasMore: true }],
  ['grace liu', { totalCount: 1, hasMore: false }, 'Liu'],
  ['li gra', { totalCount: 1, hasMore: false }, 'Liu'],
  ['gracie smithers', { totalCount: 1, hasMore: false }, 'Smithers'],
  ['zed smith', { totalCount: 1, hasMore: false }, 'Smith'],
  ['smith grace', { totalCount: 100, hasMore: true }],
  // A thousand values of each word were read, and none matched: the answer says that there may be more.
  ['gra smit name', { totalCount: 0, hasMore: true }],
  ['nobody grace', { totalCount: 0, hasMore: false }],
])('"%s" among ten thousand stays within the units', async (q, expected, lastName) => {
  const { result, cost } = await simulated.run((ledger) => searchLeads(ledger, q, { page: 1, limit: 50 }));
  const { totalCount, hasMore, items } = result;
  expect({ totalCount, hasMore }).toEqual(expected);
  if (lastName !== undefined) expect(items.map((lead) => lead.lastName)).toEqual([lastName]);
  expect(cost.readUnits).toBeLessThanOrEqual(170);
});
