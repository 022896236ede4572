import { beforeAll, expect, test } from 'vitest';
import { createLead } from '../../../../shared/domain/leads/leads.ts';
import { updateLead } from '../../../../shared/domain/leads/update-lead.ts';
import { sendSms } from '../../../../shared/domain/sms/sms.ts';
import { newConsumedCapacity, type Ledger } from '../../../../shared/ledger/index.ts';
import { callCosts } from '../../../support/call-costs.ts';
import { leaveSending } from '../../../support/leave-sending.ts';
import type { Cost } from '../../../support/operations.ts';
import { recordedStore } from '../../../support/store/recorded-store.ts';
import { never } from '../../../support/filled-records.ts';
import {
  deliver,
  newNumber,
  deliveryReport,
  stored,
  acceptingProvider,
  smsNotification,
} from '../../../support/sms.ts';
import { twoOrganizations, tableAt, type TestOrganization } from '../../../support/test-organization.ts';

let organization: TestOrganization;
let number: string;
let seen: ReturnType<typeof stored>;
beforeAll(async () => {
  organization = (await twoOrganizations()).ours;
  ({ number } = await newNumber(organization));
  seen = stored(organization);
});

/** Cost of carrying out a notification. */
async function costOf(body: string): Promise<Cost> {
  const recorded = recordedStore(tableAt());
  const capacity = newConsumedCapacity();
  await deliver(body, { store: recorded.store, capacity });
  return [recorded.roundTrips(), capacity.readUnits, capacity.writeUnits];
}

/** Cost of a verb. */
async function costIn(run: (ledger: Ledger) => Promise<unknown>): Promise<Cost> {
  const { store, roundTrips } = recordedStore(tableAt());
  const { ledger, capacity } = organization.openLedger({ store });
  await run(ledger);
  return [roundTrips(), capacity.readUnits, capacity.writeUnits];
}

const sendIn = (messageThreadId: string, leadId: string): Promise<Cost> =>
  costIn((ledger) =>
    sendSms(
      { before: ledger, after: ledger },
      { ...acceptingProvider(), from: 'pool' },
      { userId: organization.userId, leadId, message: 'Bye', messageThreadId: Number(messageThreadId) },
      never,
    ),
  );

const ann = '+61491570156';
const text = (words: string, more: object = {}) =>
  smsNotification({ from: ann, to: number, text: words, ...more });

test('an SMS, a delivery report and a new lead cost what they must, and no more', async () => {
  const newLead = (phone: string) => costIn((ledger) => createLead(ledger, { firstName: 'Bo', phone }));
  const costs: Record<string, Cost> = {};
  costs['a lead with a number, no opt-outs'] = await newLead('+61491570157');
  costs['of an unknown number'] = await costOf(text('One', { id: 'one' }));
  costs['twice'] = await costOf(text('One', { id: 'one' }));
  costs['in an unread thread'] = await costOf(text('Two'));
  const { id } = await seen.leadOf(ann);
  const { providerId, messageId, messageThreadId } = await seen.send(id, 'Hi');
  costs['in a thread that was read'] = await costOf(text('Three'));
  costs['in the thread that it answers'] = await costOf(text('Four', { answers: providerId }));
  costs['a message in a thread'] = await sendIn(messageThreadId, id);
  const context = { organization: organization.code, message: messageId };
  const report = deliveryReport('TEXT_DELIVERED', { messageId: providerId, context });
  costs['a report'] = await costOf(report);
  costs['a report twice'] = await costOf(report);
  const left = await leaveSending(organization);
  const lost = { organization: organization.code, message: left.messageId };
  costs['a report before the outcome'] = await costOf(
    deliveryReport('TEXT_DELIVERED', { messageId: 'lost', context: lost }),
  );
  costs['STOP'] = await costOf(text('STOP'));
  costs['START'] = await costOf(text('START', { at: new Date(Date.now() + 1000).toISOString() }));
  costs['STOP again'] = await costOf(text('STOP', { at: new Date(Date.now() + 2000).toISOString() }));
  costs['a lead with a number, opt-outs'] = await newLead('+61491570158');
  const bo = await seen.leadOf('+61491570158');
  costs['a message in a thread, opt-outs'] = await sendIn(
    (await seen.send(bo.id, 'Hi')).messageThreadId,
    bo.id,
  );
  costs['a lead without a number, opt-outs'] = await costIn((ledger) =>
    createLead(ledger, { firstName: 'Cy' }),
  );
  costs['another status, opt-outs'] = await costIn((ledger) => updateLead(ledger, id, { status: 'won' }));
  expect(costs).toEqual({
    // No more than without the feature of opt-outs.
    'a lead with a number, no opt-outs': [2, 2, 16],
    'of an unknown number': [3, 8, 33],
    twice: [3, 10, 0],
    // The inquiry takes a new place among the unread ones: 2 units, 3 for lists, 2 for the new place, 2 for
    // its hole.
    'in an unread thread': callCosts.textIn,
    'in a thread that was read': [6, 11, 21],
    'in the thread that it answers': [7, 14, 24],
    // The cost of a message that begins a thread is tested with the operations.
    'a message in a thread': [4, 10, 26],
    'a report': callCosts.report,
    'a report twice': [2, 4, 0],
    // Stores the thread and the lead, one after the other, because the report says that the message was sent.
    'a report before the outcome': [4, 4, 16],
    // Including the answers.
    STOP: [8, 16, 55],
    // Since the first STOP, includes the serializable read of a possible note of the number's erasure.
    START: [10, 21, 57],
    'STOP again': [8, 18, 55],
    // Includes the serializable read of the opt-out of the number's hash.
    'a lead with a number, opt-outs': [3, 4, 16],
    'a message in a thread, opt-outs': [5, 12, 26],
    'a lead without a number, opt-outs': [2, 2, 12],
    'another status, opt-outs': [2, 3, 13],
  });
});
