/**
 * The ranks of lists that nobody has, and the records that belong to a list and have no rank of their own there. Where there
 * are both, those ranks were most likely theirs: they get them in the order of their numbers.
 */
export class Vacancies {
  /** By the lists' partitions. */
  readonly #seekers = new Map<string, number[]>();
  readonly #ranks = new Map<string, readonly number[]>();

  /** Notes that a record has no rank of its own in a list. */
  seek(partition: string, number: number): void {
    const seekers = this.#seekers.get(partition) ?? [];
    this.#seekers.set(partition, seekers);
    if (!seekers.includes(number)) seekers.push(number);
  }

  /** Notes the ranks of a list that nobody has. */
  offer(partition: string, ranks: readonly number[]): void {
    this.#ranks.set(partition, ranks.toSorted(ascending));
  }

  /** The rank that a record gets; undefined where there is none for it. */
  rankFor(partition: string, number: number): number | undefined {
    const at = (this.#seekers.get(partition) ?? []).toSorted(ascending).indexOf(number);
    return at === -1 ? undefined : this.#ranks.get(partition)?.[at];
  }

  /** The ranks of a list that nobody gets. */
  unclaimed(partition: string): readonly number[] {
    return this.all(partition).slice(this.#seekers.get(partition)?.length ?? 0);
  }

  /** The ranks of a list that nobody has. */
  all(partition: string): readonly number[] {
    return this.#ranks.get(partition) ?? [];
  }
}

const ascending = (one: number, other: number) => one - other;
