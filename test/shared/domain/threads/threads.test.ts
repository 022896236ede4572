import { expect, test } from 'vitest';
import { storeInquiry } from '../../../../shared/domain/inquiries/inquiries.ts';
import { createLead } from '../../../../shared/domain/leads/leads.ts';
import {
  addMessage,
  readThread,
  threads,
  type NewMessage,
} from '../../../../shared/domain/threads/threads.ts';
import { faultyStore } from '../../../support/store/faulty-store.ts';
import { newOrganization } from '../../../support/test-organization.ts';

const texts = Array.from({ length: 104 }, (_, at) => `Message ${at + 1}`);
const messages = texts.map((text): NewMessage => ({
  direction: 'INBOUND',
  text,
  status: 'RECEIVED',
  userId: null,
}));

test.each([
  ['in a short thread, the newest message', 5, [0]],
  ['in a short thread, the oldest', 5, [4]],
  ['in a short thread, all', 5, [0, 1, 2, 3, 4]],
  ['in a long thread, one in the middle', 104, [50]],
])('while the index lacks messages, %s, a thread is read again', async (_, length, lacking) => {
  const organization = await newOrganization();
  const { ledger } = organization.openLedger();
  const { id } = await createLead(ledger, { firstName: 'Ann' });
  const { sourceId } = await storeInquiry(ledger, id, {
    source: 'SMS',
    summary: '',
    data: { messages: messages.slice(0, Math.min(length, 60)) },
  });
  const ref = ledger.ref(threads, sourceId);
  const more = messages.slice(60, length);
  await ledger.write({ change: { thread: ref } }, (write, { thread }) => {
    if (more.length === 0) return;
    for (const message of more) addMessage(write, thread, message);
    write.event({ event: 'TEST', data: 'Messages were added', referenceId: sourceId });
  });

  let reads = 0;
  const { store } = faultyStore(
    () => 'pass',
    { sleep: () => Promise.resolve() },
    (name, output) => {
      if (name !== 'QueryCommand' || reads++ > 0) return output;
      // Drops messages from the first page of the query.
      const { Items } = output as { Items: object[] };
      return { ...output, Items: Items.filter((_, at) => !lacking.includes(at)) };
    },
  );
  const thread = await readThread(organization.openLedger({ store }).ledger, sourceId);
  expect(thread.messages.map(({ text }) => text)).toEqual(texts.slice(0, length).slice(-100));
});
