import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';

/** Milliseconds between two requests. A slower answer delays the next request. */
export const rhythm = 25;

export const kinds = ['list', 'read', 'create'] as const;
/** Kind of a request. A user sends the kinds in turn. */
export type Kind = (typeof kinds)[number];

/** Durations of requests, in milliseconds. */
export type Times = Record<Kind, number[]>;

const NewLead = v.object({ lead: v.object({ id: v.string() }) });

/** A user of one organization, who sends one request at a time. */
export class SteadyUser {
  readonly #baseUrl: string;
  readonly #headers: Record<string, string>;
  readonly #agent = new Agent({ keepAlive: true });
  /** Id of the lead that the user reads. */
  #leadId = '';
  #created = 0;

  constructor(baseUrl: string, token: string) {
    this.#baseUrl = baseUrl;
    this.#headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  }

  /** Creates a full page of leads, and lets the machine start every thread that answers this user. */
  async warmUp(): Promise<void> {
    let last = '';
    for (let at = 0; at < 60; at++) last = await this.#send('create');
    this.#leadId = v.parse(v.pipe(v.string(), v.parseJson(), NewLead), last).lead.id;
    for (let at = 0; at < 100; at++) for (const kind of kinds) await this.#send(kind);
  }

  /** Sends requests of all kinds in turn for a number of milliseconds. @throws Error if one fails */
  async goOn(milliseconds: number): Promise<Times> {
    const times: Times = { list: [], read: [], create: [] };
    const end = performance.now() + milliseconds;
    let next = performance.now();
    while (next < end) {
      for (const kind of kinds) {
        await sleep(Math.max(0, next - performance.now()));
        const begun = performance.now();
        await this.#send(kind);
        times[kind].push(performance.now() - begun);
        next = Math.max(next + rhythm, performance.now());
      }
    }
    return times;
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(kind: Kind): Promise<string> {
    if (kind === 'list') return this.#ask('GET', '/v1/leads?limit=50');
    if (kind === 'read') return this.#ask('GET', `/v1/leads/${this.#leadId}`);
    const email = `bob.${++this.#created}@steady.example`;
    return this.#ask('POST', '/v1/leads', JSON.stringify({ name: 'Bob Lee', email }));
  }

  async #ask(method: string, path: string, body?: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    request(`${this.#baseUrl}${path}`, { agent: this.#agent, headers: this.#headers, method }, (response) => {
      text(response).then((answer) => {
        const { statusCode = 0 } = response;
        if (statusCode >= 200 && statusCode < 300) resolve(answer);
        else reject(new Error(`${method} ${path} was answered ${statusCode} ${answer}`));
      }, reject);
    })
      .once('error', reject)
      .end(body);
    return promise;
  }
}
