/** Lists as a client sees them: who is in each, in the order in which they joined. */
export class PlainLists {
  readonly #lists = new Map<string, Set<number>>();

  get names(): string[] {
    return [...this.#lists.keys()];
  }

  /** The members of a list, newest first. */
  of(name: string): number[] {
    return [...(this.#lists.get(name) ?? [])].reverse();
  }

  join(name: string, member: number): void {
    this.#lists.set(name, (this.#lists.get(name) ?? new Set()).add(member));
  }

  leave(name: string, member: number): void {
    this.#lists.get(name)?.delete(member);
  }

  /**
   * Lets a member stay in the lists that it was in and is in, leave the others, and join those that are new.
   */
  move(member: number, from: readonly string[], to: readonly string[]): void {
    for (const name of from) if (!to.includes(name)) this.leave(name, member);
    for (const name of to) if (!from.includes(name)) this.join(name, member);
  }
}
