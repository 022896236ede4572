import type { Change } from './change.ts';
import type { OrganizationModel } from './organization-model.ts';
import type { Fields } from '../same.ts';

/** A word that nobody else writes: see `someUniqueWord`. */
const uniqueWordPattern = /~[0-9a-z]+~/g;

/** What is, or was, of one lead. */
interface Belonging {
  /** The names of the items of its records: its own, its inquiries' and those of their sources, its threads' and messages'. */
  readonly items: Set<string>;
  /** The marks that it was stored with. */
  readonly uniqueWords: Set<string>;
}

/** What belongs to each lead of an organization, by all that was ever stored: also what is gone. */
export class Belongings {
  readonly #organization: OrganizationModel;
  readonly #byLead = new Map<number, Belonging>();
  readonly #leadOfItem = new Map<string, number>();
  readonly #leadsOfWord = new Map<string, Set<number>>();
  readonly #removedSms = new Set<unknown>();

  constructor(organization: OrganizationModel) {
    this.#organization = organization;
  }

  of(lead: number): Belonging {
    const belonging = this.#byLead.get(lead) ?? { items: new Set(), uniqueWords: new Set() };
    this.#byLead.set(lead, belonging);
    return belonging;
  }

  /** The marks that no other lead was stored with. */
  wordsOfNoOtherLead(lead: number): string[] {
    return [...this.of(lead).uniqueWords].filter((mark) => this.#leadsOfWord.get(mark)?.size === 1);
  }

  /** Whether a text was stored, by the provider's id, and removed again. */
  wasSmsRemoved(providerId: string): boolean {
    return this.#removedSms.has(providerId);
  }

  /** Notes what a change stores and removes; called before it is accepted. */
  note({ items }: Change): void {
    for (const [name, { stored, record }] of items) {
      if (!record) continue;
      const { collection, number } = record;
      if (stored) this.#noteOwner(collection, number, stored.fields);
      else if (collection === 'MESSAGE')
        this.#removedSms.add(this.#organization.history(name).last?.fields['providerId']);
    }
    // The record of a source names nobody: its inquiry does, in the same change.
    for (const [name, { stored }] of items) {
      const lead = this.#leadOfItem.get(name);
      if (lead !== undefined && stored) this.#noteUniqueWords(lead, stored.fields);
    }
  }

  #noteOwner(collection: string, number: number, fields: Fields): void {
    const organization = this.#organization;
    const own = (lead: number, name: string) => {
      this.#leadOfItem.set(name, lead);
      this.of(lead).items.add(name);
    };
    const name = organization.nameOf(collection, number);
    if (collection === 'LEAD') own(number, name);
    if (collection === 'INQUIRY' || collection === 'THREAD') {
      const lead = organization.numberOf('LEAD', fields['leadId']);
      own(lead, name);
      const source = String(fields['source']);
      if (collection === 'INQUIRY' && source !== 'SMS')
        own(lead, organization.nameOf(source, organization.numberOf(source, fields['sourceId'])));
    }
    if (collection === 'MESSAGE') {
      const lead = this.#leadOfItem.get(organization.nameOf('THREAD', Number(fields['threadId'])));
      if (lead !== undefined) own(lead, name);
    }
  }

  #noteUniqueWords(lead: number, fields: Fields): void {
    for (const [mark] of JSON.stringify(fields).matchAll(uniqueWordPattern)) {
      this.of(lead).uniqueWords.add(mark);
      const leads = this.#leadsOfWord.get(mark) ?? new Set();
      this.#leadsOfWord.set(mark, leads.add(lead));
    }
  }
}
