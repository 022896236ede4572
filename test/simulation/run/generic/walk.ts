import type { MemberList } from '../model/lists.ts';
import type { Window } from '../model/window.ts';
import type { Planner } from '../planner.ts';
import type { Fields } from '../same.ts';
import { Violation } from '../violation.ts';

/** Maximum number of steps: some clients give up. */
const patience = 40;

/** A walk through a list, by one client. Other clients meanwhile create, change and delete. */
export class Walk {
  /** Query of the next step. */
  readonly query: Record<string, string>;
  readonly #list: MemberList;
  readonly #collection: string;
  readonly #shown: number[] = [];
  #begun: number | undefined;
  #steps = 0;

  constructor(
    { draw }: Planner,
    { list, collection, filters }: { list: MemberList; collection: string; filters: Record<string, string> },
  ) {
    this.#list = list;
    this.#collection = collection;
    const limit = Math.max(draw.whole(1, 3), Math.ceil((2 * list.count) / patience));
    this.query = { ...filters, limit: String(Math.min(100, limit)), order: draw.pick(['newest', 'oldest']) };
  }

  /** Takes over a step. After the last step, the walk must have shown what it promises. @throws Violation */
  check(items: readonly Fields[], nextAfter: unknown, window: Window): void {
    // The newest version that the first step must have seen.
    this.#begun ??= window.version;
    this.#shown.push(...items.map(({ id }) => window.organization.numberOf(this.#collection, id)));
    if (nextAfter !== null) return;
    for (const { number, hasStayed } of this.#list.heldSince(this.#begun, window.version)) {
      const times = this.#shown.filter((one) => one === number).length;
      if (times === 0 || (hasStayed && times > 1))
        throw new Violation(
          `A walk must show ${this.#collection} ${number} ${hasStayed ? 'exactly once' : 'again'}`,
          [hasStayed ? 1 : 'at least 1'],
          { times, shown: this.#shown },
        );
    }
  }

  /** Sets the query of the next step. Returns false at the end. */
  goesOn(nextAfter: unknown): boolean {
    if (typeof nextAfter !== 'string' || ++this.#steps > patience) return false;
    delete this.query['order'];
    this.query['after'] = nextAfter;
    return true;
  }
}
