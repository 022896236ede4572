import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { textOf, type Finding, type FindingKind, type Repair } from '../verify/finding.ts';
import { RepairPlan, type Items } from '../verify/organization-items.ts';
import { RepairTransaction } from './repair-transaction.ts';

export type RepairableFinding = Finding & { repair: Repair };

/** Kinds in the order of repair, each in transactions of its own, before all others: later repairs build on these. */
const repairedFirst: readonly FindingKind[] = [
  'event-beyond',
  'record-beyond',
  'queue-counter-behind',
  'hole-malformed',
  'list-malformed',
  'record-malformed',
  'record-and-hole',
  'record-missing',
  'pipeline-missing',
  'former-item-missing',
  'former-item-malformed',
  'rank-beyond',
  'rank-and-hole',
  'rank-doubled',
  'position-wrong',
  'rank-missing',
];

/** Plans the transactions of a repair, one after the other, each from the items as the earlier ones left them. */
export class RepairPlanner {
  readonly #tableName: string;
  readonly #organization: OrganizationCode;
  /** Findings whose repair writes nothing, or cannot be written yet. */
  readonly #inVain = new Set<string>();

  constructor(tableName: string, organization: OrganizationCode) {
    this.#tableName = tableName;
    this.#organization = organization;
  }

  /** Findings that are repaired next: those of the first kind, or of all kinds without an order. */
  nextOf(findings: readonly Finding[]): RepairableFinding[] {
    const left = findings.filter(isRepairable).filter((finding) => !this.isGivenUp(finding));
    const first = repairedFirst.find((kind) => left.some((finding) => finding.kind === kind));
    return left.filter(({ kind }) => (first ? kind === first : !repairedFirst.includes(kind)));
  }

  /**
   * Plans the repairs until a transaction is full. Those that change nothing, or that none can take, are in vain.
   * `now` is an ISO 8601 time.
   */
  plan(items: Items, findings: readonly RepairableFinding[], now: string) {
    let plan = new RepairPlan(items);
    const included: RepairableFinding[] = [];
    let transaction: RepairTransaction | undefined;
    for (const finding of findings) {
      const after = new RepairPlan(items, plan);
      finding.repair.addTo(after);
      const all = { plan: after, findings: [...included, finding], now };
      const larger = new RepairTransaction(this.#tableName, this.#organization, all);
      const isRefused = larger.isTooLarge || larger.isForeign;
      if (isRefused && included.length > 0 && larger.isTooLarge) break;
      if (isRefused || larger.isEmpty) this.giveUp([finding]);
      else {
        included.push(finding);
        [plan, transaction] = [after, larger];
      }
    }
    return { transaction, included };
  }

  /** Leaves out these findings until another repair is stored. */
  giveUp(findings: readonly Finding[]): void {
    for (const finding of findings) this.#inVain.add(textOf(finding));
  }

  isGivenUp(finding: Finding): boolean {
    return this.#inVain.has(textOf(finding));
  }

  /** Takes up again the findings that were given up: what was stored may have changed what their repairs write. */
  onStored(): void {
    this.#inVain.clear();
  }
}

export const isRepairable = (finding: Finding): finding is RepairableFinding => finding.repair !== undefined;
