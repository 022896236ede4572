import type { OrganizationCode } from '../../../shared/core/ids.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Key } from '../../../shared/ledger/internal/keys.ts';
import type { Check, Snapshot } from './snapshots.ts';

/**
 * Adds changes to a plan; adds none if the items are right by now. Like a check, a step runs several times, at first on items
 * that are not read yet, so it must have no other effect.
 */
export type RepairStep = (plan: RepairPlan) => void;

/** Repair of one finding. */
export interface Repair {
  /** Completes "Repair: …" on the terminal, such as `holds it for lead 5`. */
  sentence: string;
  addTo: RepairStep;
  /** The same repair in small steps, if it is large. A step plans one record and its lists, so many steps fit one transaction. */
  parts?: readonly RepairStep[];
  /** Organization that writes the repair, for a finding outside of every organization. */
  organization?: OrganizationCode;
}

/** Runs the check again on the plan, so that the repair follows what is stored by then. */
export const withRepairRecheck = (repair: Repair, check: Check<Repair | undefined>): Repair => ({
  ...repair,
  addTo: (plan) => {
    check(plan)?.addTo(plan);
  },
});

/** Planned change of one item; `before` is undefined for a new item, `after` for a removed one. */
export interface PlannedChange {
  readonly key: Key;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

/** Item changes planned on top of a snapshot. Each repair reads what the repairs before it planned. */
export class RepairPlan implements Snapshot {
  readonly #changes = new Map<string, PlannedChange>();
  readonly #snapshot: Snapshot;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  get(key: Key): Item | undefined {
    const change = this.#changes.get(nameOf(key));
    return change ? change.after : this.#snapshot.get(key);
  }

  /** Item as it is stored, without the planned changes. */
  before(key: Key): Item | undefined {
    return this.#snapshot.get(key);
  }

  /** Plans to store an item. The item may lack the key attributes. */
  put(key: Key, item: Item): void {
    this.#change(key, { ...item, ...key });
  }

  remove(key: Key): void {
    this.#change(key, undefined);
  }

  get changes(): readonly PlannedChange[] {
    return [...this.#changes.values()];
  }

  #change(key: Key, after: Item | undefined): void {
    this.#changes.set(nameOf(key), { key, before: this.#snapshot.get(key), after });
  }
}

const nameOf = ({ pk, sk }: Key) => `${pk} ${sk}`;
