import { expect, test } from 'vitest';
import { seededRandom } from '../../../../infra/local/demo/seeded-random.ts';
import { eraseLead } from '../../../../shared/domain/erasure/erase-lead.ts';
import { createInquiry } from '../../../../shared/domain/inquiries/inquiries.ts';
import { createLead } from '../../../../shared/domain/leads/leads.ts';
import { updateLead } from '../../../../shared/domain/leads/update-lead.ts';
import { sampleSources } from '../../../support/inquiries.ts';
import { SendingOrganization } from './sending-organization.ts';

const second = 1000;

test.each([1, 2, 3, 4, 5, 6])(
  'while people come, change and are erased, two senders lose nothing, and send nothing of the erased (seed %i)',
  async (seed) => {
    const { random } = seededRandom(seed);
    const at = await SendingOrganization.found();
    // Calls take time, and a transaction is seen item by item.
    at.table.beReal();
    const { system } = at.table.access;
    const pause = (longest: number) => system.sleep(longest * second * random());
    await at.webhook();
    const people = Array.from({ length: 8 }, (_, number) => `Person${number}`);
    const erasedAt = new Map<string, number>();
    /** Requests during which an erasure said that it was done. */
    const late: string[] = [];
    at.answer = async ({ text }) => {
      await pause(1);
      late.push(...[...erasedAt.keys()].filter((name) => text.includes(name)));
      return { status: random() < 0.05 ? 500 : 200, body: text.slice(0, 1000) };
    };
    const openLedger = (milliseconds: number) => at.organization.openLedger({ milliseconds }).ledger;
    const live = async (name: string) => {
      await pause(4);
      const { id } = await createLead(openLedger(60 * second), { name });
      const asked = { ...sampleSources.EMAIL, summary: `${name} asks` };
      await createInquiry(openLedger(60 * second), id, asked);
      await pause(3);
      await updateLead(openLedger(60 * second), id, { suburb: name });
      await pause(3);
      let isDone = false;
      while (!isDone) isDone = await eraseLead(openLedger(13.5 * second), id);
      erasedAt.set(name, at.now);
    };
    let isOver = false;
    const keepSending = async () => {
      while (!isOver) {
        const { retryIn = random() } = await at.carryOut();
        await system.sleep(retryIn * second);
      }
    };
    await at.table.run(() =>
      Promise.all([
        Promise.all(people.map(live)).finally(() => (isOver = true)),
        keepSending(),
        keepSending(),
      ]),
    );
    await at.work(3600 * second);
    expect(late).toEqual([]);
    const stored = JSON.stringify(await at.table.items.all());
    expect(people.filter((name) => stored.includes(name))).toEqual([]);
    const ids = at.gotFrom().map(([, id]) => id);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    const { version } = await at.run((ledger) => ledger.eventsAfter(0, 1));
    expect(new Set(ids).size).toBe(version - ids[0]! + 1);
    expect(JSON.stringify(at.got)).toContain('Person');
  },
);
