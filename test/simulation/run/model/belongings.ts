import type { Change } from './change.ts';
import type { OrganizationModel } from './organization-model.ts';
import type { Fields } from '../same.ts';

/** Word of `someUniqueWord`, which occurs in one place only. */
const uniqueWordPattern = /~[0-9a-z]+~/g;

/** Items of one lead, past and present. */
interface Belonging {
  /**
   * Names of its records' items: the lead, its inquiries with their sources, its threads and their messages.
   */
  readonly items: Set<string>;
  /** Unique words that were stored with it. */
  readonly uniqueWords: Set<string>;
}

/** Items of each lead of an organization, by everything ever stored, removed items included. */
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

  /** Unique words that were stored with no other lead. */
  wordsOfNoOtherLead(lead: number): string[] {
    return [...this.of(lead).uniqueWords].filter((mark) => this.#leadsOfWord.get(mark)?.size === 1);
  }

  /** True if an SMS, by the provider's id, was stored and removed again. */
  wasSmsRemoved(providerId: string): boolean {
    return this.#removedSms.has(providerId);
  }

  /** Records the items of a change. Called before the change is applied. */
  note({ items }: Change): void {
    for (const [name, { stored, record }] of items) {
      if (!record) continue;
      const { collection, number } = record;
      if (stored) this.#noteOwner(collection, number, stored.fields);
      else if (collection === 'MESSAGE')
        this.#removedSms.add(this.#organization.history(name).last?.fields['providerId']);
    }
    // A source's record names no lead: its inquiry does, in the same change.
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
