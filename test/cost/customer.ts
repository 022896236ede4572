import { dollarsFor, prices } from '../../infra/prices.ts';
import { assumed, type Customer } from './assumptions.ts';
import { storedBytes } from './measured.ts';
import { gigabyte, messageDollars, sumOf, totalOf, type Parts } from './price.ts';

/** Cost of one call of each kind that a customer's day consists of. */
export interface CallCosts {
  operation: (operationId: string) => Parts;
  pageOfLeads: Parts;
  pageOfInquiries: Parts;
  inquiry: Parts;
  textIn: Parts;
  report: Parts;
  authorize: Parts;
}

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

/** Cost of a customer in a month, with the data that a year has stored. */
export function monthOf(customer: Customer, costs: CallCosts): Month {
  const { leads, inquiries, forms, texts, textsIn, pages, records, changes, tokens, hours } = customer;
  const days = assumed.daysInMonth;
  const calls: [Parts, number][] = [
    [costs.operation('createLead'), leads],
    [costs.inquiry, inquiries],
    [costs.operation('createFormSubmission'), forms],
    [costs.operation('sendSms'), texts],
    [costs.pageOfLeads, pages / 2],
    [costs.pageOfInquiries, pages / 2],
    [costs.operation('getLead'), records / 2],
    [costs.operation('getInquiry'), records / 2],
    [costs.operation('updateProduct'), changes],
  ];
  const requests = calls.reduce((sum, [, times]) => sum + times, 0) * days;
  const parts = sumOf(calls.map(([one, times]) => [one, times * days]));
  const notifications: [Parts, number][] = [
    [costs.textIn, textsIn],
    [costs.report, texts],
  ];
  const received = (totalOf(sumOf(notifications)) + messageDollars * (textsIn + texts)) * days;
  // API Gateway caches a token's answer for a minute, and no request asks more than once.
  const authorizations = Math.min(requests, tokens * hours * 60 * days);
  const authorizer = totalOf(sumOf([[costs.authorize, authorizations]]));
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
