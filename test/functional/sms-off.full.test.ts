import { afterAll, expect, test } from 'vitest';
import { sentences } from '../../shared/contract/errors.ts';
import { ApiClient } from '../support/api-client.ts';
import { foundOrganizationAt } from '../support/stored-organization.ts';
import { ownMachine } from '../support/own-machine.ts';
import { servedApi } from '../support/machine/served-api.ts';
import { newNumber } from '../support/sms.ts';

const { machine, table } = await ownMachine({ settings: { sms: 'false' } });
const served = await servedApi((request) => machine.answer(request));
const organization = await foundOrganizationAt(table);
const api = new ApiClient(served.baseUrl, organization.token);
afterAll(() => served.close());

test('with sms off no SMS is sent, not even from a number that the organization has, and nothing is stored', async () => {
  await newNumber(organization);
  const { lead } = await api.call('createLead', { body: { name: 'Ann', phone: '0491 570 156' } });
  const body = { userId: organization.userId, leadId: lead.id, message: 'Hello' };
  expect(await api.bareFailure('sendSms', 502, { body })).toBe(sentences.smsNotSetUp);
  const { activities } = await api.call('listLeadActivities', { params: { leadId: lead.id } });
  expect(activities.map(({ event }) => event)).toEqual(['LEAD_CREATED']);
  expect(machine.textsTopicArn).toBeUndefined();
});
