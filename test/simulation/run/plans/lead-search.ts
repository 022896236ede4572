import { leadMatches, type LeadMatch } from '../../../../shared/contract/leads.ts';
import { foldCase } from '../../../../shared/core/fold-case.ts';
import { searchProblem } from '../../../../shared/core/search-terms.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { checkPage } from '../pages.ts';
import type { Plan, WeightedPlan } from '../plan.ts';
import { asQuery, someNumber, somePage, type Planner } from '../planner.ts';
import { checkSearch } from '../search-check.ts';
import { shows } from '../same.ts';
import { checkOneOf, Violation } from '../violation.ts';
import { someEmail, someExternalId, somePhone, storedNumber } from './contacts.ts';
import { shownLead } from '../records-at.ts';

/** Name of the item that holds a unique value of a lead. */
export const leadValue = (organization: OrganizationModel, field: LeadMatch, value: string): string =>
  organization.uniqueName(`LEAD.${field}`, field === 'externalId' ? value : foldCase(value));

/** Reads what happened to a lead. */
export function listLeadActivities(planner: Planner): Plan {
  const { organization } = planner;
  const number = someNumber(planner, 'LEAD');
  const leadId = organization.idOf('LEAD', number);
  const list = organization.list(organization.partitionOf('gsi1', 'EVENT', { owner: ['LEAD', number] }));
  const query = somePage(planner, list.count);
  return {
    operation: 'listLeadActivities',
    organization,
    call: { endpoint: 'listLeadActivities', params: { leadId }, query: asQuery(query) },
    check: (body, window) => {
      checkPage(body, window, {
        list,
        query,
        states: () => window.statesByOwner(list),
        collection: 'EVENT',
        key: 'activities',
        fromIndex: true,
        shows,
      });
    },
    refusals: (window) => (window.canMiss('LEAD', number) ? [404] : []),
  };
}

/** Finds the lead with an email, a phone number or an `externalId`. */
export function findLead(planner: Planner): Plan {
  const { draw, organization } = planner;
  const field = draw.pick(leadMatches);
  const value = { email: someEmail, phone: somePhone, externalId: someExternalId }[field](planner);
  const query = somePage(planner, 1);
  const stored = field === 'phone' ? storedNumber(value, organization.country) : value;

  return {
    operation: `listLeads by ${field}`,
    organization,
    call: { endpoint: 'listLeads', query: { ...asQuery(query), [field]: value } },
    check: (body, window) => {
      const name = leadValue(organization, field, stored ?? '');
      const holders = window
        .values(name)
        .map((held) => (held ? organization.numberOf('LEAD', held.fields['id']) : undefined));
      const found = holders.flatMap((number) =>
        number === undefined
          ? [[]]
          : window
              .present('LEAD', number)
              .filter((lead) => leadValue(organization, field, String(lead[field])) === name)
              .map((lead) => [shownLead(lead)]),
      );
      const expected = found.map((leads) => ({
        leads: query.page === 1 ? leads : [],
        totalCount: leads.length,
        totalPages: leads.length,
        nextAfter: null,
        currentPage: query.page,
      }));
      checkOneOf('A lead found by a unique value must have had it in the window', expected, body);
    },
    refusals: () => (stored === undefined ? [400] : []),
  };
}

/** Start of a lead's name, as somebody types it. */
function someBeginning(planner: Planner): string {
  const { draw, organization } = planner;
  const lead = organization.record('LEAD', someNumber(planner, 'LEAD'));
  const text = (lead?.[draw.pick(['firstName', 'firstName', 'lastName', 'businessName'])] ?? '') as string;
  const characters = Array.from(text || draw.pick(['an', 'Ann', 'JOSE', 'strass', 'ŁUĐ', 'Zz']));
  const beginning = characters.slice(0, draw.whole(2, Math.max(2, characters.length))).join('');
  return draw.happens(0.3) && /^[\x20-\x7e]*$/.test(beginning) ? beginning.toUpperCase() : beginning;
}

/** Finds leads by the beginnings of names. */
function searchLeads(planner: Planner): Plan {
  const { draw, organization } = planner;
  const some = () => someBeginning(planner).trim();
  const q = draw.happens(0.3) ? `${some()} ${some()}` : some();
  const isLongEnough = searchProblem(q) === undefined;
  const query = draw.happens(0.5) ? { page: 1, limit: 100 } : somePage(planner, 20);
  return {
    operation: 'listLeads by name',
    organization,
    call: { endpoint: 'listLeads', query: { ...asQuery(query), q } },
    check: (body, window) => {
      if (!isLongEnough) throw new Violation('A search needs two characters', 400, body);
      checkSearch(body, window, { q, query });
    },
    refusals: () => (isLongEnough ? [] : [400]),
  };
}

export const plans: readonly WeightedPlan[] = [
  [findLead, 5],
  [listLeadActivities, 6],
  [searchLeads, 4],
];
