import { foldedWords, searchTerms } from '../../../shared/core/search-terms.ts';
import type { Window } from './model/window.ts';
import { shownLead } from './records-at.ts';
import { same, type Fields } from './same.ts';
import { checkOneOf, Violation } from './violation.ts';

/** Maximum number of leads that a search finds. */
const maxFound = 100;

/** True if a search by words finds a lead with these fields. */
function isFoundBy(q: string, lead: Fields | undefined): boolean {
  if (!lead) return false;
  const words = ['firstName', 'lastName', 'businessName'].flatMap((name) => foldedWords(String(lead[name])));
  const isByEmail = !q.includes(' ') && String(lead['email']).toLowerCase().startsWith(q.toLowerCase());
  return isByEmail || searchTerms(q).every(({ text }) => words.some((word) => word.startsWith(text)));
}

/**
 * Checks a page of a search. Each lead matched at some time in the window, and is found once. No lead is missing that
 * did not change in the window and matched. @throws Violation
 */
export function checkSearch(
  body: unknown,
  window: Window,
  { q, query }: { q: string; query: { page: number; limit: number } },
): void {
  const { organization } = window;
  const { leads: found, totalCount, hasMore, ...page } = body as Fields;
  const items = found as Fields[];
  const total = Number(totalCount);
  const numbers = organization.numbersOf('LEAD');
  const states = numbers.map((number) => window.records('LEAD', number));
  const most = states.filter((fields) => fields.some((one) => isFoundBy(q, one))).length;
  // A lead whose words change can be missed.
  const sure = numbers.filter((_, at) => states[at]!.length === 1 && isFoundBy(q, states[at]![0]));
  const changing = states.filter((fields) => fields.length > 1).length;
  const length = Math.min(query.limit, Math.max(0, total - (query.page - 1) * query.limit));
  const isCounted = total >= Math.min(sure.length, maxFound) && total <= Math.min(most, maxFound);
  if (!isCounted || items.length > length || items.length < length - changing)
    throw new Violation(
      'A search must count its matches, up to 100',
      { sure: sure.length, most, length },
      body,
    );
  if (hasMore === true && most <= maxFound)
    throw new Violation('A search must say whether there are more matches', false, hasMore);
  const pages = { totalPages: Math.ceil(total / query.limit), currentPage: query.page };
  checkOneOf('The page fields must fit the total and the query', [pages], page);
  for (const item of items) {
    const values = window.present('LEAD', organization.numberOf('LEAD', item['id']));
    if (!values.some((value) => isFoundBy(q, value) && same(shownLead(value), item)))
      throw new Violation('A found lead must have a matching value of the window', values, item);
  }
  const ids = items.map(({ id }) => organization.numberOf('LEAD', id));
  const missing = sure.filter((number) => !ids.includes(number));
  if (new Set(ids).size < ids.length || (length === total && total < maxFound && missing.length > 0))
    throw new Violation('A search must find every lead that matched all the time, once', missing, ids);
}
