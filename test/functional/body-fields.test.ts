import { describe, expect, inject, test } from 'vitest';
import { createAppointmentEndpoint } from '../../shared/contract/appointments.ts';
import { twoOrganizations } from '../support/test-organization.ts';

/* Sentences about a body. Rows that people have reported are marked. */

const { ours } = await twoOrganizations();
const { api } = ours;

describe('the first sentence of a 400', () => {
  const times = '2026-11-02T13:06:00Z or 2026-11-03T00:06:00+11:00';
  const noZone = `start has no zone; send a time such as ${times}`;
  const noTime = `start must be a time with its zone, such as ${times}`;
  test.each<[start: unknown, sentence: string]>([
    // reported
    ['07/12/2026 9:00 am', noTime],
    ['2026-12-07T09:00:00', noZone],
    [1_796_634_000, 'start must be a string such as "2026-11-02T13:06:00Z"'],
    // made up
    ['2026-12-07T09:00', noZone],
    ['2026-12-07 09:00:00.000', noZone],
    ['2026-12-07', noTime],
    ['1796634000', noTime],
    ['tomorrow at nine', noTime],
    [null, 'start is required'],
  ])('of an appointment at %j says how to send a time', async (start, sentence) => {
    await api.refuses(
      createAppointmentEndpoint,
      { body: { title: 'T', end: times.slice(0, 20), start } },
      sentence,
    );
  });

  test('has times that are accepted', async () => {
    for (const start of [...times.split(' or '), '2026-11-02T13:06Z'])
      await api.call(createAppointmentEndpoint, { body: { title: 'T', start, end: '2026-11-02T14:00:00Z' } });
  });

  test.each([
    ['UTF-16 with its mark', Buffer.from('\uFEFF{"name":"Ann"}', 'utf16le')], // reported
    ['UTF-16 without its mark', Buffer.from('{"name":"Ann"}', 'utf16le')], // made up
    ['UTF-16 in the other order', Buffer.from('\uFEFF{"name":"Ann"}', 'utf16le').swap16()], // made up
  ])('of a body in %s names the encoding', async (_, body) => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${ours.token}` };
    const response = await fetch(`${inject('baseUrl')}/v1/leads`, { method: 'POST', headers, body });
    const message = 'The body looks like UTF-16; send it as UTF-8';
    expect(await response.json()).toMatchObject({ error: { status: 400, message } });
  });
});
