/**
 * The ranks of lists that nobody has, and the records that belong to a list and have no rank of their own there. They get
 * those ranks in the order of their numbers. Nothing tells whose each of them was: where several records were taken out,
 * some can get each other's.
 */
export class FreeRanks {
  /** By the lists' partitions. */
  readonly #requests = new Map<string, Set<number>>();
  /** At which of the ranks each seeker is, made when it is asked for. */
  readonly #positions = new Map<string, ReadonlyMap<number, number>>();
  readonly #free = new Map<string, readonly number[]>();
  /** The lists of which no rank that nobody has is given to a record. */
  readonly #withheld = new Set<string>();
  readonly #kept = new Map<string, Set<number>>();

  /** HoleItems that a record has no rank of its own in a list. */
  request(partition: string, number: number): void {
    const requests = this.#requests.get(partition) ?? new Set();
    this.#requests.set(partition, requests.add(number));
    this.#positions.delete(partition);
  }

  /** HoleItems the ranks of a list that nobody has. Where records are lost, they may be those of the lost ones: nobody gets them. */
  offer(partition: string, ranks: readonly number[], areRecordsLost: boolean): void {
    this.#free.set(partition, ranks.toSorted(ascending));
    if (areRecordsLost) this.#withheld.add(partition);
    this.#positions.delete(partition);
  }

  /** HoleItems that a member of a list has a rank that a record has too which belongs elsewhere. */
  keep(partition: string, rank: number): void {
    const kept = this.#kept.get(partition) ?? new Set();
    this.#kept.set(partition, kept.add(rank));
  }

  /** Whether a rank stays a member's when a record leaves it that belongs elsewhere. */
  isKept(partition: string, rank: number): boolean {
    return this.#kept.get(partition)?.has(rank) ?? false;
  }

  /** The rank that a record gets; undefined where there is none for it. */
  rankFor(partition: string, number: number): number | undefined {
    const ranks = this.all(partition);
    const at = ranks.length === 0 ? undefined : this.#positionsIn(partition).get(number);
    return at === undefined ? undefined : ranks[at];
  }

  /** The ranks of a list that nobody gets. */
  unclaimed(partition: string): readonly number[] {
    return this.all(partition).slice(this.#requestsOf(partition).size);
  }

  /** The ranks of a list that nobody has. */
  all(partition: string): readonly number[] {
    return this.#free.get(partition) ?? [];
  }

  /** The records that get the ranks of a list that nobody has. */
  #requestsOf(partition: string): ReadonlySet<number> {
    return (this.#withheld.has(partition) ? undefined : this.#requests.get(partition)) ?? new Set();
  }

  #positionsIn(partition: string): ReadonlyMap<number, number> {
    let positions = this.#positions.get(partition);
    if (positions === undefined) {
      const sorted = [...this.#requestsOf(partition)].sort(ascending);
      this.#positions.set(partition, (positions = new Map(sorted.map((number, at) => [number, at]))));
    }
    return positions;
  }
}

const ascending = (one: number, other: number) => one - other;
