import { expect } from 'vitest';
import { ownNumber, type Business } from './business.ts';
import type { Person } from './people.ts';

const website = 'https://torrens.example';
const thanks = `${website}/thanks`;

/** The website's form, as visitors' browsers send it. The form learns no ids, so Mia finds the inquiry. */
export class WebsiteForm {
  readonly #business: Business;
  readonly #key: string;
  readonly #mia: Person;

  private constructor(business: Business, key: string, mia: Person) {
    this.#business = business;
    this.#key = key;
    this.#mia = mia;
  }

  static async create(business: Business, mia: Person): Promise<WebsiteForm> {
    return new WebsiteForm(business, await business.issueToken('Form', ['forms:submit'], [website]), mia);
  }

  /** Sends the form. The story names the inquiry `name`, and its lead `of`. */
  async brings(name: string, of: string, fields: Record<string, string>): Promise<void> {
    await this.#send(new URLSearchParams({ ...fields, _hp: '' }));
    await this.#mia.finds(name, of);
  }

  /** Sends the form as multipart, with files. */
  async bringsParts(name: string, of: string, fields: Record<string, string | Blob>): Promise<void> {
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    await this.#send(form);
    await this.#mia.finds(name, of);
  }

  /** Sends the form as a robot that fills in the hidden field. The robot learns nothing of the outcome. */
  async sendSpam(fields: Record<string, string>): Promise<void> {
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

/** A person's mobile phone. */
export class Mobile {
  readonly #business: Business;
  /** Number in E.164. */
  readonly #number: string;

  constructor(business: Business, number: string) {
    this.#business = business;
    this.#number = number;
  }

  /** Last SMS that it received, with the provider's id. */
  get last(): { id: string; text: string } {
    const last = this.#business.sentTo(this.#number).at(-1);
    return { id: last?.id ?? '', text: last?.text ?? '' };
  }

  /** Sends an SMS to the business. `answers` is the id of the SMS that it answers, if the phone says so. */
  async texts(text: string, more: { answers?: string; isAnswered?: boolean } = {}): Promise<void> {
    const { isAnswered = false, ...named } = more;
    // The provider also reports the delivery of the service's reply.
    await this.#business.whileTold(isAnswered ? 2 : 1, () => this.#send({ text, ...named }));
  }

  /** Sends one SMS to the business, which the provider delivers twice at once. */
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
