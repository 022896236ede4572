/**
 * Ranks of lists that neither a member nor a hole has, and records that need a rank there. The records get
 * the ranks in the order of their numbers. Nothing tells which record had which rank: if several records lost
 * their ranks, they may get each other's.
 */
export class FreeRanks {
  /** Record numbers that need a rank, by list partition. */
  readonly #requests = new Map<string, Set<number>>();
  /** Index of each record in the ascending order of those numbers, computed on demand. */
  readonly #order = new Map<string, ReadonlyMap<number, number>>();
  readonly #free = new Map<string, readonly number[]>();
  /** Lists whose free ranks no record gets. */
  readonly #withheld = new Set<string>();
  readonly #kept = new Map<string, Set<number>>();

  request(partition: string, number: number): void {
    const requests = this.#requests.get(partition) ?? new Set();
    this.#requests.set(partition, requests.add(number));
    this.#order.delete(partition);
  }

  /**
   * Sets the free ranks of a list. If records are lost, the ranks may be theirs, so no other record gets
   * them.
   */
  offer(partition: string, ranks: readonly number[], areRecordsLost: boolean): void {
    this.#free.set(partition, ranks.toSorted(ascending));
    if (areRecordsLost) this.#withheld.add(partition);
    this.#order.delete(partition);
  }

  /** Marks a rank that both a member and a misplaced record have. */
  keep(partition: string, rank: number): void {
    const kept = this.#kept.get(partition) ?? new Set();
    this.#kept.set(partition, kept.add(rank));
  }

  /** True if a member keeps the rank when the misplaced record is moved to its own list. */
  isKept(partition: string, rank: number): boolean {
    return this.#kept.get(partition)?.has(rank) ?? false;
  }

  /** Undefined if there is no free rank for the record. */
  rankFor(partition: string, number: number): number | undefined {
    const ranks = this.all(partition);
    const at = ranks.length === 0 ? undefined : this.#orderIn(partition).get(number);
    return at === undefined ? undefined : ranks[at];
  }

  /** Free ranks that no record gets. */
  unclaimed(partition: string): readonly number[] {
    return this.all(partition).slice(this.#requestsOf(partition).size);
  }

  all(partition: string): readonly number[] {
    return this.#free.get(partition) ?? [];
  }

  #requestsOf(partition: string): ReadonlySet<number> {
    return (this.#withheld.has(partition) ? undefined : this.#requests.get(partition)) ?? new Set();
  }

  #orderIn(partition: string): ReadonlyMap<number, number> {
    let order = this.#order.get(partition);
    if (order === undefined) {
      const sorted = [...this.#requestsOf(partition)].sort(ascending);
      this.#order.set(partition, (order = new Map(sorted.map((number, at) => [number, at]))));
    }
    return order;
  }
}

const ascending = (one: number, other: number) => one - other;
