import { clientOf } from '../../infra/local/engine.ts';
import { listLeads } from '../../shared/domain/leads/leads.ts';
import { countByHand, pagesByHand } from './by-hand.ts';
import { LeadList, limit } from './lead-list.ts';
import { LoadedLists } from './load-lists.ts';
import {
  named,
  ours,
  pagesSection,
  percent,
  sampledPages,
  type Cost,
  type Measured,
} from './pages-section.ts';
import type { Measure } from './section.ts';

const shares = [0, 0.01, 0.3];

/** Measures the costs of pages of leads, from the first to the last, and of a walk from page to page. */
export const measurePages: Measure = async ({ quick, progress }) => {
  const sizes = quick ? [1_000, 10_000] : [1_000, 10_000, 100_000, 1_000_000];
  /** Greatest list that is walked again after deletes. */
  const largestWithDeletes = quick ? 1_000 : 10_000;
  progress(`Loading lists of ${sizes.map(named).join(', ')} leads`);
  const lists = await LoadedLists.load(sizes);
  try {
    const measured: Measured[] = [];
    for (const size of sizes) {
      for (const share of shares) {
        const list = new LeadList(size, share);
        await lists.reduceTo(list);
        progress(`Pages of ${named(size)} leads, ${percent(share)} of them deleted`);
        measured.push(await measureOurs(lists, list));
        if (share === 0 || size <= largestWithDeletes) measured.push(await walk(lists, list));
      }
    }
    await lists.prove(sizes[0]!);
    return pagesSection(measured, lists.loading);
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

/** Walks a list by cursors. A page costs as much as all pages up to it, and the count of the list. */
async function walk({ engine }: LoadedLists, list: LeadList): Promise<Measured> {
  const client = clientOf(engine);
  try {
    const sampled = new Set(sampledPages(list));
    const pages = new Map<number, Cost>();
    const { totalCount, units: countUnits, ...counted } = await countByHand(client, list);
    let [page, calls, readUnits] = [0, counted.calls, countUnits];
    for await (const { ids, units } of pagesByHand(client, list)) {
      page++;
      calls++;
      readUnits += units;
      if (sampled.has(page)) {
        check(list, page, { ids, totalCount });
        pages.set(page, { calls, readUnits });
      }
      if (page === list.lastPage) break;
    }
    return { way: 'Query by hand', list, pages, countUnits };
  } finally {
    client.destroy();
  }
}

/** @throws Error unless the answer is this page */
function check(list: LeadList, page: number, answer: { ids: string[]; totalCount: number }): void {
  const isRight = answer.totalCount === list.total && answer.ids.join() === list.idsOfPage(page).join();
  if (isRight) return;
  throw new Error(`Page ${page} of ${named(list.size)} leads, ${percent(list.share)} deleted, is wrong`);
}
