import { describe, expect, test } from 'vitest';
import { eraseLead } from '../../../../shared/domain/erasure/erase-lead.ts';
import { storeInquiry } from '../../../../shared/domain/inquiries/inquiries.ts';
import { createLead } from '../../../../shared/domain/leads/leads.ts';
import { sampleSources } from '../../../support/inquiries.ts';
import { SendingOrganization } from '../sending/sending-organization.ts';

const second = 1000;
const sofia = { name: 'Sofia Rossi', email: 'sofia@example.com' };

/** A lead, an inquiry of hers, and a webhook that is to be told of both. */
async function withSofia() {
  const at = await SendingOrganization.found();
  await at.webhook(['lead.*', 'inquiry.*']);
  const { id } = await at.run((ledger) => createLead(ledger, sofia));
  await at.run((ledger) => storeInquiry(ledger, id, { ...sampleSources.EMAIL, summary: 'Sofia asks' }));
  at.answer = () => ({ body: 'Thanks, Sofia' });
  return { at, id };
}

const everything = async (at: SendingOrganization) => JSON.stringify(await at.table.items.all());
const erase = (at: SendingOrganization, id: string, milliseconds = 13_500) =>
  eraseLead(at.organization.openLedger({ milliseconds }).ledger, id);

describe('an erasure while a webhook sends', () => {
  test('ends once the receiver has answered, and nothing of the person is sent after that', async () => {
    const { at, id } = await withSofia();
    at.answer = async () => {
      await at.table.access.system.sleep(3 * second);
      return { body: 'Thanks, Sofia' };
    };
    let endedAt = 0;
    const [sent, isDone] = await at.table.run(() =>
      Promise.all([
        at.carryOut(),
        at.table.access.system.sleep(second).then(async () => {
          const done = await erase(at, id);
          endedAt = at.now;
          return done;
        }),
      ]),
    );
    expect(isDone).toBe(true);
    expect(sent).toEqual({ sent: 2 });
    await at.send();
    const [first, ...others] = at.got;
    expect(first!.text).toContain('Sofia');
    expect(endedAt).toBeGreaterThanOrEqual(first!.at + 3 * second);
    // The erasure waits for the event that was being sent, not for the others.
    expect(endedAt).toBeLessThan(first!.at + 4 * second);
    expect(JSON.stringify(others)).not.toMatch(/sofia/i);
    expect(others).toHaveLength(4);
    expect(await everything(at)).not.toMatch(/sofia/i);
  });

  test('is not done while a run that was cut off may still send, and then is', async () => {
    const { at, id } = await withSofia();
    at.answer = () => {
      throw new Error('The process ended');
    };
    await expect(at.send()).rejects.toThrow('The process ended');
    const { leaseUntil } = await at.cursor();
    // The time of the run, and ten seconds for its last writes to arrive.
    expect(leaseUntil).toBe(at.now + 70 * second);
    expect(await at.table.run(() => erase(at, id))).toBe(false);
    expect(at.now).toBeLessThan(leaseUntil);
    // Nothing was lost by the first answer.
    await at.pass(leaseUntil - at.now);
    expect(await at.table.run(() => erase(at, id))).toBe(true);
    at.answer = () => ({});
    await at.send();
    expect(JSON.stringify(at.got.slice(1))).not.toMatch(/sofia/i);
  });
});
