import { expect, test } from 'vitest';
import { actions } from '../../infra/access.ts';
import type { Endpoint } from '../../shared/endpoints/endpoint.ts';
import * as contracts from '../../shared/endpoints/leads.ts';
import * as leads from '../../shared/leads/leads.ts';
import type { Ledger } from '../../shared/ledger/ledger.ts';
import { faultyStore } from '../support/faulty-store.ts';
import { newOrganization } from '../support/world.ts';

const page = { page: 1, limit: 50 };
const verbs: [string, Endpoint, (ledger: Ledger, leadId: string) => Promise<unknown>][] = [
  ['listLeads', contracts.listLeads, (ledger) => leads.listLeads(ledger, page)],
  [
    'createLead',
    contracts.createLead,
    (ledger) => leads.createLead(ledger, { name: 'Bo', email: 'bo@example.com' }),
  ],
  ['getLead', contracts.getLead, (ledger, leadId) => leads.getLead(ledger, leadId)],
  ['deleteLead', contracts.deleteLead, (ledger, leadId) => leads.deleteLead(ledger, leadId)],
  [
    'listLeadActivities',
    contracts.listLeadActivities,
    (ledger, leadId) => leads.listActivities(ledger, leadId, page),
  ],
];

test.each(verbs)('%s uses all that its access allows, and nothing else', async (_, endpoint, verb) => {
  const organization = await newOrganization();
  const { id } = await leads.createLead(organization.openLedger().ledger, {
    name: 'Ann',
    email: 'ann@example.com',
  });
  const recorder = faultyStore(() => 'pass');
  await verb(organization.openLedger({ store: recorder.store }).ledger, id);
  expect([...recorder.actions].sort()).toEqual(
    actions[endpoint.access].map((action) => `dynamodb:${action}`).sort(),
  );
});
