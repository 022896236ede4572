import * as v from 'valibot';
import { expect, test } from 'vitest';
import { maxSocials } from '../../../shared/contract/fields.ts';
import { getLeadEndpoint, NewLead } from '../../../shared/contract/leads.ts';

/** The largest texts of a body: the answer is JSON within JSON, where a quote takes four bytes. */
function largest(entries: object): Record<string, unknown> {
  const texts: Record<string, unknown> = {};
  for (const [name, { wrapped }] of Object.entries(entries as Record<string, { wrapped: v.GenericSchema }>)) {
    const { maxLength } = v.getMetadata(wrapped);
    if (typeof maxLength === 'number') texts[name] = '"'.repeat(maxLength);
    else if ('entries' in wrapped) texts[name] = largest(wrapped.entries as object);
  }
  return texts;
}

test('a hundred of the largest leads fit into the 6 MB of an answer', () => {
  const { name, ...texts } = largest(NewLead.entries);
  expect(Object.keys(texts)).toEqual(
    expect.arrayContaining(['firstName', 'email', 'suburb', 'address', 'externalId']),
  );
  const profiles = Array.from({ length: maxSocials }, (_, at) => [`${at}`.padEnd(50, '"'), '"'.repeat(500)]);
  const socials = Object.fromEntries(profiles) as object;
  const lead = { ...getLeadEndpoint.example.response.lead, ...texts, socials };
  const answer = { statusCode: 200, headers: {}, body: JSON.stringify({ leads: Array(100).fill(lead) }) };
  const bytes = Buffer.byteLength(JSON.stringify(answer));
  expect(bytes).toBeGreaterThan(5 * 1024 * 1024);
  expect(bytes).toBeLessThan(6 * 1024 * 1024);
});
