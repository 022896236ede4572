import { deepStrictEqual } from 'node:assert';
import { listAt, partAt, textAt } from '../../../shared/core/json-parts.ts';
import { eventsOfCall, spokenInCall, voiceEvent } from '../../support/voice/events.ts';
import type { Organization } from './service.ts';

/** Every order of events, also of a part of them. */
const ordersOf = (events: readonly string[]): string[][] => [
  [],
  ...events.flatMap((one) => ordersOf(events.filter((other) => other !== one)).map((rest) => [one, ...rest])),
];

/**
 * Sends the events of one call in every order, also with the first one sent twice, and with any but the last one left out.
 *
 * @throws AssertionError if an organization then has anything else than one call with its transcript
 */
export async function sendInEveryOrder(newOrganization: () => Promise<Organization>): Promise<void> {
  const orders = Object.values(eventsOfCall).flatMap((events) =>
    ordersOf(events).filter((order) => order.includes(events.at(-1)!)),
  );
  const ways = orders.flatMap((order) => [order, [...order, order[0]!]]);
  for (const way of ways) {
    const { newKey, get, post } = await newOrganization();
    const path = `/v1/calls/events?key=${await newKey('calls:submit')}`;
    for (const name of way) {
      const answer = await post(path, JSON.stringify(voiceEvent(name)));
      deepStrictEqual(answer, { status: 200, body: { stored: true } }, name);
    }
    const { body: page } = await get('/v1/inquiries');
    const inquiries = await Promise.all(
      listAt(page, 'inquiries').map((one) => get(`/v1/inquiries/${textAt(one, 'id')}`)),
    );
    const told = inquiries.map(({ body }) => [
      textAt(body, 'source'),
      listAt(body, 'data', 'transcripts').map((turn) => [partAt(turn, 'user'), partAt(turn, 'text')]),
    ]);
    deepStrictEqual(told, [['CALL', spokenInCall]], `Not one call with its transcript: ${way.join(', ')}`);
  }
}
