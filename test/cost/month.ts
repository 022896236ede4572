import { dollarsFor, prices } from '../../infra/prices.ts';
import { assumed, storedBytes, type Customer } from './assumptions.ts';
import { gigabyte, otherCalls, sumOf, totalOf, type Parts } from './price.ts';

export interface Month extends Parts {
  authorizer: number;
  /** Incoming SMS, and reports of sent ones. */
  received: number;
  storage: number;
  webAcl: number;
  total: number;
  requests: number;
  /** Gigabytes in the table and its indexes after a year. */
  gigabytes: number;
}

/** Cost of a customer in a month, with the data that a year has stored. `priceOf` prices an operation. */
export function monthOf(customer: Customer, priceOf: (operationId: string) => Parts): Month {
  const { leads, inquiries, forms, texts, textsIn, pages, records, changes, tokens, hours } = customer;
  const days = assumed.daysInMonth;
  const other = (name: keyof typeof otherCalls) => otherCalls[name][1].parts;
  const calls: [Parts, number][] = [
    [priceOf('createLead'), leads],
    [other('inquiry'), inquiries],
    [priceOf('createFormSubmission'), forms],
    [priceOf('sendSms'), texts],
    [other('pageOfLeads'), pages / 2],
    [other('pageOfInquiries'), pages / 2],
    [priceOf('getLead'), records / 2],
    [priceOf('getInquiry'), records / 2],
    [priceOf('updateProduct'), changes],
  ];
  const requests = calls.reduce((sum, [, times]) => sum + times, 0) * days;
  const parts = sumOf(calls.map(([one, times]) => [one, times * days]));
  const received = totalOf(
    sumOf([
      [other('textIn'), textsIn * days],
      [other('report'), texts * days],
    ]),
  );
  // API Gateway caches a token's answer for a minute, and no request asks more than once.
  const authorizations = Math.min(requests, tokens * hours * 60 * days);
  const authorizer = totalOf(other('authorize')) * authorizations;
  const yearOf = ({ lead, inquiry }: { lead: number; inquiry: number }) =>
    ((leads * lead + (inquiries + forms + texts + textsIn) * inquiry) * 365) / gigabyte;
  const inTable = yearOf(storedBytes.table);
  const gigabytes = inTable + yearOf(storedBytes.indexes);
  const { storage: stored, pointInTimeRecovery } = prices.dynamodb;
  const storage = dollarsFor(stored, gigabytes) + dollarsFor(pointInTimeRecovery, inTable);
  const webAcl = dollarsFor(prices.waf.requests, requests);
  const total = totalOf(parts) + authorizer + received + storage + webAcl;
  return { ...parts, authorizer, received, storage, webAcl, total, requests, gigabytes };
}
