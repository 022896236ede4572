import type { LeadStatus } from '../../shared/contract/leads.ts';
import { limit } from './lead-list.ts';
import { middleOf, named, range, type Cost } from './pages-section.ts';
import type { Budget, Plot, Section, Table } from './section.ts';

/** Costs of the pages of a status. */
export interface MeasuredStatus {
  status: LeadStatus;
  leads: number;
  /** Number of times that a lead joined the status. */
  joined: number;
  /** Costs by page, the first and the last full one included. */
  pages: ReadonlyMap<number, Cost>;
}

/** Costs of a search. */
export interface MeasuredSearch extends Cost {
  q: string;
  what: string;
  /** Number of searchable names by which each match is found. */
  textsEach: number;
  matching: number;
  returned: number;
  /** Items in DynamoDB's replies, of all indexes together. */
  entriesRead: number;
}

/** Maximum of leads that a search returns. */
const maxFound = 100;

/** Read units of two small items, read consistently. */
const twoItems = 2;

export function pipelineSection(
  size: number,
  statuses: readonly MeasuredStatus[],
  found: readonly MeasuredSearch[],
): Section {
  return {
    title: 'Leads by status, and by the beginning of a name',
    about: about(size),
    budgets: [statusBudget(statuses), searchBudget(found)],
    tables: [statusTable(statuses), searchTable(found)],
    plots: [overStatuses(size, statuses), overSearches(found)],
  };
}

const about = (size: number) => [
  `${named(size)} leads of one organization, all created pending, of which each has then changed its status three times, one ` +
    'by one and in an order that is drawn. So a list has given out several times as many ranks as it has members, with holes ' +
    `everywhere. A page has ${limit} leads; with it comes how many have that status. What is listed lies in an index, which is ` +
    'eventually consistent and costs half. The last page is the last full one.',
  'The leads were imported, and with them the states of the lists, the holes and their counts. A load of 150 leads was ' +
    'also made by the service, request by request, and every item was the same; one of 5,000 was verified whole.',
  'A search (`q`) asks the indexes of the first, the last and the business name together. An entry is the place of a lead in one ' +
    'of them. To know which lead comes next, it must see the next entry of each index: so it can read up to a page of entries ' +
    'more than it comes to. Where several names of a lead match, an entry of each is read, and the lead is returned once.',
];

function statusBudget(statuses: readonly MeasuredStatus[]): Budget {
  const more = statuses.flatMap(({ pages }) => {
    const first = pages.get(1)?.readUnits ?? 0;
    return [...pages.values()].map(({ readUnits }) => readUnits - first);
  });
  return {
    what: 'Read units of any page of the leads of any status, at any depth',
    limit: `at most those of its page 1 and of two small items (${twoItems})`,
    measured: `at most ${Math.max(...more)} more; ${range(statuses.flatMap(unitsOf))} in all`,
    met: more.every((units) => units <= twoItems),
  };
}

const unitsOf = ({ pages }: MeasuredStatus) => [...pages.values()].map(({ readUnits }) => readUnits);

/**
 * Number of entries that a search may read: one page more than it returns, or all entries of the returned
 * leads.
 */
const allowance = ({ returned, textsEach }: MeasuredSearch) =>
  textsEach === 1 ? returned + maxFound : returned * textsEach;

function searchBudget(found: readonly MeasuredSearch[]): Budget {
  const plain = found.filter(({ textsEach }) => textsEach === 1);
  const more = plain.map(({ returned, entriesRead }) => entriesRead - returned);
  const most = Math.max(...found.map(({ entriesRead }) => entriesRead));
  return {
    what: 'Entries of indexes that a search reads',
    limit: `one of each lead that it returns, and at most one page of ${maxFound} more; all three where each name of a lead matches`,
    measured: `at most ${Math.max(...more)} more than one of each lead; where each name matches, ${most} for ${maxFound} leads`,
    met: found.every((one) => one.entriesRead <= allowance(one)),
  };
}

function statusTable(statuses: readonly MeasuredStatus[]): Table {
  return {
    caption: 'Leads of a status: calls and read units of a page',
    columns: ['Status', 'Leads', 'Ranks given out', 'Page', 'Calls', 'Read units'],
    rows: statuses.flatMap(({ status, leads, joined, pages }) => {
      const lastPage = Math.max(...pages.keys());
      return [1, middleOf(lastPage), lastPage].map((page) => {
        const { calls = 0, readUnits = 0 } = pages.get(page) ?? {};
        return [status, named(leads), named(joined), named(page), calls, readUnits];
      });
    }),
  };
}

function searchTable(found: readonly MeasuredSearch[]): Table {
  return {
    caption: 'Searches: how many leads match, how many are returned, and what was read for that',
    columns: ['Who matches', 'Match', 'Returned', 'Entries read', 'Calls', 'Read units'],
    rows: found.map(({ what, matching, returned, entriesRead, calls, readUnits }) => [
      what,
      named(matching),
      returned,
      entriesRead,
      calls,
      readUnits,
    ]),
  };
}

function overStatuses(size: number, statuses: readonly MeasuredStatus[]): Plot {
  return {
    name: 'page-units-over-statuses',
    caption: `Read units of a page of the leads of a status, by its number; ${named(size)} leads, each moved three times`,
    kind: 'line',
    x: { label: 'Page', logarithmic: true },
    y: { label: 'Read units', logarithmic: true },
    series: statuses.map(({ status, pages }) => ({
      name: status,
      points: [...pages].map(([page, { readUnits }]) => [page, readUnits]),
    })),
  };
}

function overSearches(found: readonly MeasuredSearch[]): Plot {
  const series = (name: string, of: (search: MeasuredSearch) => number) => ({
    name,
    points: found.map((one, at): [number, number] => [at, of(one)]),
  });
  return {
    name: 'search-entries',
    caption: 'Leads that a search returns, entries that it reads, and the most that it may read',
    kind: 'bar',
    x: {
      label: 'How many leads match (3 ×: each by three names)',
      categories: found.map(({ matching, textsEach }) => categoryOf(matching, textsEach)),
    },
    y: { label: 'Entries' },
    series: [
      series('Returned', ({ returned }) => returned),
      series('Read', ({ entriesRead }) => entriesRead),
      series('Allowed', allowance),
    ],
  };
}

const categoryOf = (matching: number, textsEach: number) =>
  textsEach === 1 ? named(matching) : `${textsEach} × ${named(matching)}`;
