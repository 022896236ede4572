import { nextRepairs, planTransaction } from '../../../infra/admin/repair/repair-planner.ts';
import { textOf, type Finding } from '../../../infra/admin/verify/finding.ts';
import { judge } from '../../../infra/admin/verify/judge.ts';
import type { JudgeOptions } from '../../../infra/admin/verify/judgement.ts';
import { OrganizationItems } from '../../../infra/admin/verify/organization-items.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { keyOfItem } from '../../../shared/ledger/internal/keys.ts';
import type { Attributes } from './stored-items.ts';

/** Transactions after which a repair is taken to go on for ever. */
const maxTransactions = 50;

export interface RepairedInMemory {
  found: readonly Finding[];
  left: readonly Finding[];
  /** Items of the last state. */
  items: Attributes[];
  /** True if an event of the repair says that something was lost, or perhaps lost. */
  saysLost: boolean;
}

/** Judges the items of an organization and repairs them, without a database. */
export function repairedInMemory(
  code: OrganizationCode,
  all: readonly Attributes[],
  options: JudgeOptions,
): RepairedInMemory {
  const items = organizationItems(all);
  const inVain = new Set<string>();
  const now = new Date(options.now).toISOString();
  const { findings: found } = judge(code, items, options);
  let left = found;
  let saysLost = false;
  for (let count = 0, next = nextRepairs(found, inVain); next.length > 0; next = nextRepairs(left, inVain)) {
    const target = { tableName: 'table', organization: code };
    const transaction = planTransaction(target, items, next, { now });
    if (!transaction) {
      for (const finding of next) inVain.add(textOf(finding));
      continue;
    }
    if (++count > maxTransactions) throw new Error('The repair does not end');
    for (const { key, after } of transaction.changes) {
      items.set(key, after);
      saysLost ||= after?.['event'] === 'ORGANIZATION_REPAIRED' && String(after['data']).includes('lost');
    }
    inVain.clear();
    left = judge(code, items, options).findings;
  }
  return { found, left, items: [...items.partitions()].flatMap((pk) => [...items.partition(pk)]), saysLost };
}

export function organizationItems(all: readonly Attributes[]): OrganizationItems {
  const items = new OrganizationItems();
  items.isComplete = true;
  for (const item of all) items.set(keyOfItem(item), item);
  return items;
}
