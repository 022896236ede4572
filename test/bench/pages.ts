import { clientOf } from '../../infra/local/engine.ts';
import { listLeads } from '../../shared/domain/leads/leads.ts';
import { LeadList, limit } from './lead-list.ts';
import { LoadedLists } from './load-lists.ts';
import {
  largestOfLibraries,
  named,
  ours,
  pagesSection,
  percent,
  sampledPages,
  type Cost,
  type Measured,
  type Timed,
} from './pages-section.ts';
import type { Measure } from './section.ts';
import { median } from './statistics.ts';
import { byElectro, byHand, byToolbox, metered, type Way } from './ways.ts';

const shares = [0, 0.01, 0.3];

/** Measures the costs of pages of leads, from the first to the last, and of three other ways to read them. */
export const measurePages: Measure = async ({ quick, progress }) => {
  const sizes = quick ? [1_000, 10_000] : [1_000, 10_000, 100_000, 1_000_000];
  /** Greatest list that is measured again after deletes. */
  const largestWithDeletes = quick ? 1_000 : 10_000;
  progress(`Loading lists of ${sizes.map(named).join(', ')} leads`);
  const lists = await LoadedLists.load(sizes, largestOfLibraries);
  try {
    const measured: Measured[] = [];
    const timed: Timed[] = [];
    for (const size of sizes) {
      for (const share of shares) {
        const list = new LeadList(size, share);
        await lists.reduceTo(list);
        progress(`Pages of ${named(size)} leads, ${percent(share)} of them deleted`);
        measured.push(await measureOurs(lists, list));
        timed.push(await timeOurs(lists, list, quick ? 5 : 15));
        if (share === 0 || size <= largestWithDeletes) measured.push(...(await walkAll(lists, list)));
      }
    }
    await lists.prove(sizes[0]!);
    return pagesSection(measured, timed, lists.loading);
  } finally {
    await lists.close();
  }
};

async function measureOurs(lists: LoadedLists, list: LeadList): Promise<Measured> {
  const pages = new Map<number, Cost>();
  for (const page of sampledPages(list)) {
    const { ledger, capacity } = lists.openLedger(list);
    const { items, totalCount } = await listLeads(ledger, { page, limit });
    check(list, page, { ids: items.map(({ id }) => id), totalCount });
    pages.set(page, { calls: capacity.calls, readUnits: capacity.readUnits });
  }
  return { way: ours, list, pages, countUnits: 0 };
}

async function timeOurs(lists: LoadedLists, list: LeadList, times: number): Promise<Timed> {
  const timeOf = async (page: number) => {
    const taken: number[] = [];
    for (let at = 0; at < times; at++) {
      const { ledger } = lists.openLedger(list);
      const began = performance.now();
      await listLeads(ledger, { page, limit });
      taken.push(performance.now() - began);
    }
    return median(taken);
  };
  return { list, first: await timeOf(1), last: await timeOf(list.lastPage) };
}

/** Walks the list in each of the other ways that store it, all at the same time. */
function walkAll({ engine }: LoadedLists, list: LeadList): Promise<Measured[]> {
  const ways = list.size > largestOfLibraries ? [byHand] : [byHand, byElectro, byToolbox];
  return Promise.all(
    ways.map(async (wayOf) => {
      const client = clientOf(engine);
      const capacity = metered(client);
      try {
        return await walk(wayOf(client), capacity, list);
      } finally {
        client.destroy();
      }
    }),
  );
}

/** Walks a list once. A page costs as much as all pages up to it, and the count of the list. */
async function walk(way: Way, capacity: Cost, list: LeadList): Promise<Measured> {
  const sampled = new Set(sampledPages(list));
  const pages = new Map<number, Cost>();
  const totalCount = await way.count(list);
  const { readUnits: countUnits } = capacity;
  let page = 0;
  for await (const ids of way.pages(list)) {
    page++;
    if (sampled.has(page)) {
      check(list, page, { ids, totalCount });
      pages.set(page, { calls: capacity.calls, readUnits: capacity.readUnits });
    }
    if (page === list.lastPage) break;
  }
  return { way: way.name, list, pages, countUnits };
}

/** @throws Error unless the answer is this page */
function check(list: LeadList, page: number, answer: { ids: string[]; totalCount: number }): void {
  const isRight = answer.totalCount === list.total && answer.ids.join() === list.idsOfPage(page).join();
  if (isRight) return;
  throw new Error(`Page ${page} of ${named(list.size)} leads, ${percent(list.share)} deleted, is wrong`);
}
