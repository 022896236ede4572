import { pageOf } from '../../../../shared/contract/pagination.ts';
import { bestMatches } from '../../../../shared/core/best-matches.ts';
import { listByState, listOf } from '../pages.ts';
import type { Plan, WeightedPlan } from '../plan.ts';
import { asQuery, somePage, type Planner } from '../planner.ts';
import type { Fields } from '../same.ts';
import { checkOneOf } from '../violation.ts';
import { combinations, distinct, maxStates } from './availability.ts';

/** Reads a page of the FAQs, or finds those that have a word of a text. */
export function listFaqs(planner: Planner): Plan {
  const { draw, organization } = planner;
  const of = { collection: 'FAQ', key: 'faqs' };
  if (draw.happens(0.3)) return listOf(planner, 'listFaqs', of);
  if (draw.happens(0.4)) return listByState(planner, 'listFaqs', { ...of, flag: 'isActive' });
  const q = draw.pick([`question ${draw.whole(1, 99)}`, 'emergency', 'rhubarb']);
  const { page, limit } = somePage(planner, organization.lastOf('FAQ'));
  const isSaid = draw.happens(0.4);
  return {
    operation: 'listFaqs q',
    organization,
    call: { endpoint: 'listFaqs', query: { q, ...(isSaid ? { format: 'say' } : asQuery({ page, limit })) } },
    check: (body, window) => {
      const states = Array.from({ length: organization.lastOf('FAQ') }, (_, number) =>
        distinct(window.records('FAQ', number + 1)),
      );
      if (states.reduce((count, values) => count * values.length, 1) > maxStates) return;
      const expected = (combinations(states) as (Fields | undefined)[][]).map((records) => {
        const inUse = records.flatMap((one) => (one?.['isActive'] === true ? [one] : [])).toReversed();
        const matches = bestMatches(inUse, q, ({ question, answer }) => ({
          ...{ title: String(question), body: String(answer) },
        })).map(({ one }) => one);
        const unknown = 'I do not know that. I can take a message.';
        return isSaid
          ? { say: matches[0]?.['answer'] ?? unknown, faqs: matches.slice(0, 3) }
          : pageOf(
              'faqs',
              { items: pageIn(matches, page, limit), totalCount: matches.length },
              { page, limit },
            );
      });
      checkOneOf('A search must find the FAQs that have a word of it', expected, body);
    },
  };
}

const pageIn = (all: readonly Fields[], page: number, limit: number): Fields[] =>
  all.slice((page - 1) * limit, page * limit);

export const plans: readonly WeightedPlan[] = [[listFaqs, 4]];
