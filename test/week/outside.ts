import { expect } from 'vitest';
import { ownNumber, type Business } from './business.ts';
import type { Person } from './people.ts';

const website = 'https://torrens.example';
const thanks = `${website}/thanks`;

/** The form on the business's website, as the browsers of visitors send it. Who it is from, Mia sees. */
export class WebsiteForm {
  readonly #business: Business;
  readonly #key: string;
  readonly #mia: Person;

  private constructor(business: Business, key: string, mia: Person) {
    this.#business = business;
    this.#key = key;
    this.#mia = mia;
  }

  static async pasted(business: Business, mia: Person): Promise<WebsiteForm> {
    return new WebsiteForm(business, await business.issueToken('Form', ['forms:submit'], [website]), mia);
  }

  /** Is filled in by somebody; `name` is what the story then calls the inquiry, `of` its lead. */
  async brings(name: string, of: string, fields: Record<string, string>): Promise<void> {
    await this.#send(new URLSearchParams({ ...fields, _hp: '' }));
    await this.#mia.finds(name, of);
  }

  /** The same with what else a form can have: it is sent in parts. */
  async bringsParts(name: string, of: string, fields: Record<string, string | Blob>): Promise<void> {
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    await this.#send(form);
    await this.#mia.finds(name, of);
  }

  /** Is filled in by a robot, which sees what people do not; it learns nothing of what becomes of that. */
  async isSpammed(fields: Record<string, string>): Promise<void> {
    const before = await this.#mia.counts();
    await this.#send(new URLSearchParams({ ...fields, _hp: 'https://spam.example' }));
    expect(await this.#mia.counts()).toEqual(before);
  }

  async #send(form: URLSearchParams | FormData): Promise<void> {
    form.set('_next', thanks);
    form.set('_form', 'Book a visit');
    const headers = { Origin: website, Accept: 'text/html,*/*;q=0.8' };
    const path = `/v1/forms/submissions?key=${this.#key}`;
    const answer = await this.#business.request(path, { method: 'POST', headers, body: form });
    expect([answer.status, answer.headers.get('location')], await answer.text()).toEqual([303, thanks]);
  }
}

/** Somebody's mobile phone. */
export class Mobile {
  readonly #business: Business;
  /** In E.164. */
  readonly #number: string;

  constructor(business: Business, number: string) {
    this.#business = business;
    this.#number = number;
  }

  /** The text that came to it last: its words, and the id by which the provider knows it. */
  get last(): { id: string; text: string } {
    const last = this.#business.sentTo(this.#number).at(-1);
    return { id: last?.id ?? '', text: last?.text ?? '' };
  }

  /** Texts the business; `answers` is the id of the text that it answers, where the phone says so. */
  async texts(text: string, more: { answers?: string; isAnswered?: boolean } = {}): Promise<void> {
    const { isAnswered = false, ...named } = more;
    // Of what the service answers, the provider reports what became of it.
    await this.#business.whileTold(isAnswered ? 2 : 1, () => this.#send({ text, ...named }));
  }

  /** Texts the business once, and the provider hands it over twice at once. */
  async textsTwice(text: string, id: string): Promise<void> {
    const send = () => this.#send({ text, id });
    await this.#business.whileTold(2, () => Promise.all([send(), send()]));
  }

  async #send(fields: Record<string, string>): Promise<void> {
    const body = new URLSearchParams({ from: this.#number, to: ownNumber, ...fields });
    const answer = await this.#business.request('/local/texts', { method: 'POST', body });
    expect(answer.status, await answer.text()).toBe(202);
  }
}
