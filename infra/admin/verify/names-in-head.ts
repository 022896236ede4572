import { namedIn, parseHead, withNamed } from '../../../shared/ledger/internal/head.ts';
import { headKey } from '../../../shared/ledger/internal/keys.ts';
import { itemRepair } from './finding.ts';
import { type ReadRecord, Rule } from './judgement.ts';

/**
 * Judges that the head names the records that it must name. The filter of the table's stream relies on these
 * names.
 */
export class NamesInHead extends Rule {
  readonly #named = new Map<string, number[]>();

  observe({ collection, number, record }: ReadRecord): void {
    if (!collection.isNamedInHead?.(record)) return;
    this.#named.set(collection.name, [...(this.#named.get(collection.name) ?? []), number]);
  }

  finish(): void {
    const { organization, collections, head, headName } = this.judgement;
    for (const collection of collections.values()) {
      const { name, label } = collection;
      // A missing or malformed record has its own finding. The head may rightly name it.
      if (!collection.isNamedInHead || !this.judgement.isWhole(name)) continue;
      const right = (this.#named.get(name) ?? []).sort((a, b) => a - b);
      const stated = namedIn(head, name);
      if (stated.join(' ') === right.join(' ')) continue;
      const say = (numbers: readonly number[]) =>
        numbers.length === 0 ? `no ${label}` : `${label} ${numbers.join(', ')}`;
      const sentence = `${headName} names ${say(stated)}, and must name ${say(right)}.`;
      const repair = itemRepair(`names ${say(right)}`, headKey(organization), (item) =>
        withNamed(parseHead(item), name, right),
      );
      this.judgement.add('names-in-head', headName, sentence, { repair });
    }
  }
}
