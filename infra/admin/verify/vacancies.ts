/**
 * The ranks of lists that nobody has, and the records that belong to a list and have no rank of their own there. They get
 * those ranks in the order of their numbers. Nothing tells whose each of them was: where several records were taken out,
 * some can get each other's.
 */
export class Vacancies {
  /** By the lists' partitions. */
  readonly #seekers = new Map<string, Set<number>>();
  /** At which of the ranks each seeker is, made when it is asked for. */
  readonly #turns = new Map<string, ReadonlyMap<number, number>>();
  readonly #ranks = new Map<string, readonly number[]>();
  /** The lists of which no rank that nobody has is given to a record. */
  readonly #withheld = new Set<string>();
  readonly #held = new Map<string, Set<number>>();

  /** Notes that a record has no rank of its own in a list. */
  seek(partition: string, number: number): void {
    const seekers = this.#seekers.get(partition) ?? new Set();
    this.#seekers.set(partition, seekers.add(number));
    this.#turns.delete(partition);
  }

  /** Notes the ranks of a list that nobody has. Where records are lost, they may be those of the lost ones: nobody gets them. */
  offer(partition: string, ranks: readonly number[], areRecordsLost: boolean): void {
    this.#ranks.set(partition, ranks.toSorted(ascending));
    if (areRecordsLost) this.#withheld.add(partition);
    this.#turns.delete(partition);
  }

  /** Notes that a member of a list has a rank that a record has too which belongs elsewhere. */
  hold(partition: string, rank: number): void {
    const held = this.#held.get(partition) ?? new Set();
    this.#held.set(partition, held.add(rank));
  }

  /** Whether a rank stays a member's when a record leaves it that belongs elsewhere. */
  isHeld(partition: string, rank: number): boolean {
    return this.#held.get(partition)?.has(rank) ?? false;
  }

  /** The rank that a record gets; undefined where there is none for it. */
  rankFor(partition: string, number: number): number | undefined {
    const ranks = this.all(partition);
    const at = ranks.length === 0 ? undefined : this.#turnsIn(partition).get(number);
    return at === undefined ? undefined : ranks[at];
  }

  /** The ranks of a list that nobody gets. */
  unclaimed(partition: string): readonly number[] {
    return this.all(partition).slice(this.#seekersOf(partition).size);
  }

  /** The ranks of a list that nobody has. */
  all(partition: string): readonly number[] {
    return this.#ranks.get(partition) ?? [];
  }

  /** The records that get the ranks of a list that nobody has. */
  #seekersOf(partition: string): ReadonlySet<number> {
    return (this.#withheld.has(partition) ? undefined : this.#seekers.get(partition)) ?? new Set();
  }

  #turnsIn(partition: string): ReadonlyMap<number, number> {
    let turns = this.#turns.get(partition);
    if (turns === undefined) {
      const sorted = [...this.#seekersOf(partition)].sort(ascending);
      this.#turns.set(partition, (turns = new Map(sorted.map((number, at) => [number, at]))));
    }
    return turns;
  }
}

const ascending = (one: number, other: number) => one - other;
