import { expect } from 'vitest';
import { voiceEvent } from '../support/voice/events.ts';
import type { Business } from './business.ts';
import { timeOf, type Day } from './calendar.ts';
import type { Person } from './people.ts';

/** A call of the story, which the platform's example events are rewritten for. */
export interface Call {
  /** Name of its lead in the story. */
  of: string;
  /** Id on the platform. */
  id: string;
  /** Number as the platform writes it. */
  phone: string;
  began: readonly [day: Day, time: string];
  /** Findings of the platform's analysis. What it did not find out is left out. */
  name?: string;
  email?: string;
  suburb?: string;
}

/** Beginning of the calls in the examples, in milliseconds; they write it in seconds, too. */
const beganInExamples = 1_772_463_845_000;

/** Words of the examples that each call has of its own. */
const inExamples = {
  ids: [
    'call_0f3c9a7be2d14c6f8a5b1d7e9c204a36',
    '0198f3aa-7c1e-7bb2-9d0e-4b6c2f5a8e11',
    'conv_8701kexampleconversation00001',
  ],
  phone: '+14155550123',
  name: 'Jane Doe',
  email: 'jane@example.com',
  suburb: 'Glebe',
  greeting: 'Hi Jane',
  business: 'Northwind Dental',
};

/**
 * A voice platform that answers calls, and reports each by several events, in no certain order. It learns no ids, so Mia finds the
 * inquiry.
 */
export class VoicePlatform {
  readonly #business: Business;
  readonly #key: string;
  readonly #mia: Person;
  readonly #calls = new Map<string, Call>();

  private constructor(business: Business, key: string, mia: Person) {
    this.#business = business;
    this.#key = key;
    this.#mia = mia;
  }

  static async connected(business: Business, mia: Person): Promise<VoicePlatform> {
    return new VoicePlatform(business, await business.issueToken('Voice', ['calls:submit']), mia);
  }

  /** Reports a call for the first time, by an event of `test/support/voice`. The story names the inquiry `name`. */
  async reports(name: string, event: string, call: Call): Promise<void> {
    const before = await this.#mia.counts();
    this.#calls.set(name, call);
    await this.#send(event, call);
    expect((await this.#mia.counts()).inquiries).toBe(before.inquiries + 1);
    await this.#mia.finds(name, call.of);
  }

  /** Reports more of a call, by events one after the other. It stays one inquiry, and one lead. */
  reportsMore(name: string, ...events: readonly string[]): Promise<void> {
    return this.#goesOn(name, async (call) => {
      for (const event of events) await this.#send(event, call);
    });
  }

  /** Reports more of a call, by events that all come at once. */
  reportsMoreAtOnce(name: string, ...events: readonly string[]): Promise<void> {
    return this.#goesOn(name, async (call) => {
      await Promise.all(events.map((event) => this.#send(event, call)));
    });
  }

  async #goesOn(name: string, send: (call: Call) => Promise<void>): Promise<void> {
    const call = this.#calls.get(name);
    if (!call) throw new Error(`Nothing of ${name} was reported`);
    const before = await this.#mia.counts();
    await send(call);
    expect(await this.#mia.counts()).toEqual(before);
  }

  async #send(event: string, call: Call): Promise<void> {
    const answer = await this.#business.request(`/v1/calls/events?key=${this.#key}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(eventOf(event, call)),
    });
    expect([answer.status, await answer.json()]).toEqual([200, { stored: true }]);
  }
}

/** An example event, rewritten for a call: its id, its times, who called, and what was said to them. */
function eventOf(example: string, { id, phone, began, name = '', email = '', suburb = '' }: Call): unknown {
  const later = timeOf(...began) - beganInExamples;
  const words: readonly (readonly [string, string])[] = [
    ...inExamples.ids.map((one) => [one, id] as const),
    [inExamples.phone, phone],
    [inExamples.greeting, 'Hi'],
    [inExamples.business, 'Torrens Plumbing'],
    [inExamples.name, name],
    [inExamples.email, email],
    [inExamples.suburb, suburb],
  ];
  return JSON.parse(JSON.stringify(voiceEvent(example)), (_, value: unknown) => {
    if (typeof value === 'number') return moved(value, later);
    if (typeof value !== 'string') return value;
    if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return new Date(Date.parse(value) + later).toISOString();
    return words.reduce((text, [from, to]) => text.replaceAll(from, to), value);
  }) as unknown;
}

/** A time of the examples, so much later; any other number as it is. */
function moved(value: number, milliseconds: number): number {
  const isNear = (time: number) => Math.abs(time - beganInExamples) < 3_600_000;
  if (isNear(value)) return value + milliseconds;
  return isNear(value * 1000) ? value + milliseconds / 1000 : value;
}
