import { describe, expect, test } from 'vitest';
import { createFaq } from '../../../../shared/domain/faqs/faqs.ts';
import { createLead } from '../../../../shared/domain/leads/leads.ts';
import type { Posted } from '../../../../shared/domain/webhooks/receiver.ts';
import { events } from '../../../../shared/ledger/index.ts';
import { verifyOrganization } from '../../../support/verify-organization.ts';
import { SendingOrganization } from './sending-organization.ts';

const second = 1000;

/** Seconds until the queue gives a message again if its function did not end well. */
const visibility = 90;

/** An organization with a webhook that is behind by four events. The webhook wants three of them. */
async function behind() {
  const at = await SendingOrganization.found();
  await at.webhook(['lead.*', 'faq.*']);
  await at.send();
  const numbers = await at.run(async (ledger) => {
    const { version } = await ledger.eventsAfter(0, 1);
    await createLead(ledger, { name: 'Ann Lee' });
    await createFaq(ledger, { question: 'Open?', answer: 'Yes' });
    await ledger.write({}, (write) => {
      write.event({ event: 'TOKEN_ISSUED', data: 'A token was issued', referenceId: '9' });
    });
    await createFaq(ledger, { question: 'Late?', answer: 'No' });
    return [version + 1, version + 2, version + 4];
  });
  return { at, numbers };
}

/** The queue gives the message again until it is done, and then the messages that the runs left. */
async function goOn(at: SendingOrganization): Promise<void> {
  await at.pass(visibility * second);
  await at.work(3600 * second);
  for (const { message } of at.queued.splice(0)) await at.send(message);
}

/** Answers of the receiver to each request in turn, the time of a run, and the end of the webhook. */
interface Story {
  answer: (request: number) => Partial<Posted>;
  milliseconds?: number;
  isDisabled?: true;
}

const stories: Record<string, Story> = {
  'that is behind': { answer: () => ({}) },
  'that has no time for all': { answer: () => ({}), milliseconds: 20_060 },
  'whose receiver is down for a while': { answer: (request) => (request < 3 ? { status: 503 } : {}) },
  'whose receiver is gone': { answer: () => ({ status: 410 }), isDisabled: true },
};

describe.each(Object.entries(stories))(
  'a process that sends to a webhook %s',
  (_, { answer, milliseconds = 58_500, isDisabled = false }) => {
    test.each(['before', 'after'] as const)('may die at each call, %s it took effect', async (when) => {
      const { at, numbers } = await behind();
      const begin = () => {
        at.got.length = 0;
        at.queued.length = 0;
        at.answer = async () => {
          await at.table.access.system.sleep(50);
          return answer(at.got.length);
        };
      };
      const image = at.table.image();
      begin();
      await at.kill(Infinity, when, {}, { milliseconds });
      const { calls } = at;
      expect(calls).toBeGreaterThan(9);
      for (let call = 1; call <= calls; call++) {
        image.restore();
        begin();
        await at.kill(call, when, {}, { milliseconds });
        await goOn(at);
        const ids = at.gotFrom().map(([, id]) => id);
        const where = `call ${call}`;
        // In order: an event is sent again only before the next one is sent.
        expect(ids, where).toEqual([...ids].sort((a, b) => a - b));
        expect([...new Set(ids)], where).toEqual(isDisabled ? numbers.slice(0, 1) : numbers);
        const records = at.got.map(({ body }) => body.data['record']);
        for (const record of records) expect(record, where).not.toBeNull();
        expect(await at.cursor(), where).toMatchObject({ leaseUntil: 0 });
        const deliveries = await at.deliveries();
        expect(
          deliveries.map(({ id }) => id),
          where,
        ).toEqual(deliveries.map((_, index) => deliveries.length - index));
        expect(new Set(deliveries.map(({ eventId }) => eventId)), where).toEqual(new Set(ids));
        const { items } = await at.run((ledger) => ledger.page(events, { page: 1, limit: 2 }));
        const disabled = items.filter(({ event }) => event === 'WEBHOOK_DISABLED');
        expect(disabled, where).toHaveLength(isDisabled ? 1 : 0);
      }
      const { findings } = await at.table.run(() => verifyOrganization(at.table.access, at.code));
      expect(findings).toEqual([]);
    });
  },
);
