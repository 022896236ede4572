import { limit, type LeadList } from './lead-list.ts';
import type { Budget, Section, Table } from './section.ts';

export interface Cost {
  calls: number;
  readUnits: number;
}

/** Costs of the pages of one list, read in one way. */
export interface Measured {
  way: string;
  list: LeadList;
  /** Costs by page, the first and the last included. */
  pages: Map<number, Cost>;
  /** Part of each page's units that is for a count of the list. */
  countUnits: number;
}

/** Name of our own way. */
export const ours = 'Ours';

/** Number of the page half-way to the last one. */
const middleOf = (lastPage: number) => Math.ceil(lastPage / 2);

/** Twelve pages from the first to the last, each deeper by about the same factor, and the middle one. */
export function sampledPages({ lastPage }: { lastPage: number }): number[] {
  const spaced = Array.from({ length: 12 }, (_, at) => Math.round(lastPage ** (at / 11)));
  return [...new Set([...spaced, middleOf(lastPage)])].sort((a, b) => a - b);
}

export const named = (count: number) => count.toLocaleString('en');
export const percent = (share: number) => `${share * 100} %`;

/** Makes the chapter of the measurements. */
export function pagesSection(
  measured: readonly Measured[],
  loading: { leads: number; seconds: number },
): Section {
  const sizes = [...new Set(measured.map(({ list }) => list.size))];
  const mine = measured.filter(({ way }) => way === ours);
  return {
    title: 'Page cost over depth',
    about: about(loading),
    budgets: [unitsBudget(mine), callsBudget(mine)],
    tables: sizes.map((size) => costTable(size, measured)),
  };
}

const about = ({ leads, seconds }: { leads: number; seconds: number }) => [
  `A page of ${limit} leads, newest first, and how many leads there are in all: calls, and read units as DynamoDB's ` +
    'replies report them. All reads of leads are strongly consistent, as ours are; eventually consistent ones cost half, in ' +
    'each way alike. Our own way is the real listLeads; it reads at half the price who has left, and proves it otherwise.',
  "Query by hand is a Query with ExclusiveStartKey on the ledger's own items, as libraries page, too: it has a cursor " +
    'alone, so a page costs what all pages before it cost, and the count of the list (Select: COUNT). It asks for ids alone, ' +
    'which costs the same units as whole leads. Who keeps a counter beside the list pays one unit in place of the count, and ' +
    'the walk remains: so the count is told apart.',
  'Each list was walked once, and its cost noted at each page sampled. Walks of great lists after deletes were left out: they ' +
    'differ by no more than the length of the list.',
  'The last page is the last full one, since one with fewer leads costs less. Leads have names of the same length. Which ' +
    'are deleted is drawn, the same in every run. Every page measured was compared with the list: the right leads, in ' +
    'the right order, and the right total.',
  `The ${named(leads)} leads of all lists were made from one that the ledger created, and imported in ` +
    `${seconds.toFixed(0)} s into a table without indexes, in which leads are anyway not (${named(Math.round(leads / seconds))} a ` +
    'second); deletes came after. The smallest list was made a second time by creates and deletes of the ledger: head, ' +
    'leads, and the notes of who has left, were the same.',
];

function unitsBudget(mine: readonly Measured[]): Budget {
  const { whole, holed } = allOf(mine, 'readUnits');
  const [least] = whole;
  return {
    what: 'Read units of any page of any list, at any depth',
    limit: 'those of page 1; after deletes, at most those of three notes more, half a unit each',
    measured: `${range(whole)} on every page; after deletes, ${range(holed)}`,
    met: whole.every((units) => units === least) && holed.every((units) => units <= least! + 1.5),
  };
}

function callsBudget(mine: readonly Measured[]): Budget {
  const { whole, holed } = allOf(mine, 'calls');
  return {
    what: 'Calls for any page of any list, at any depth',
    limit: 'one read of the head and one query; after deletes, at most three reads of notes more',
    measured: `${range(whole)} on every page; after deletes, ${range(holed)}`,
    met: whole.every((calls) => calls === 2) && holed.every((calls) => calls <= 5),
  };
}

/** One figure of every page: of the full lists, and of those with deleted leads. */
function allOf(mine: readonly Measured[], figure: keyof Cost): { whole: number[]; holed: number[] } {
  const of = (lists: readonly Measured[]) =>
    lists.flatMap(({ pages }) => [...pages.values()].map((cost) => cost[figure]));
  return {
    whole: of(mine.filter(({ list }) => list.share === 0)),
    holed: of(mine.filter(({ list }) => list.share > 0)),
  };
}

function costTable(size: number, measured: readonly Measured[]): Table {
  const of = measured.filter(({ list }) => list.size === size);
  return {
    caption: `${named(size)} leads: calls and read units of a page, and how many times our units that is`,
    columns: ['Deleted', 'Way', 'Page', 'Calls', 'Read units', 'Of them for the count', 'Times ours'],
    rows: of.flatMap((one) => {
      const { way, list, countUnits } = one;
      const best = of.find((other) => other.way === ours && other.list === list)!;
      return [1, middleOf(list.lastPage), list.lastPage].map((page) => {
        const { calls, readUnits } = costAt(one, page);
        const times = readUnits / costAt(best, page).readUnits;
        return [percent(list.share), way, page, calls, readUnits, countUnits, rounded(times)];
      });
    }),
  };
}

function costAt({ pages, way }: Measured, page: number): Cost {
  const cost = pages.get(page);
  if (!cost) throw new Error(`Page ${page} was not measured (${way})`);
  return cost;
}

function range(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? String(least) : `${least} to ${most}`;
}

const rounded = (ratio: number) => (ratio < 10 ? ratio.toFixed(1) : named(Math.round(ratio)));
