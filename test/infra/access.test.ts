import { expect, test } from 'vitest';
import { actions } from '../../infra/access.ts';
import { findContracts } from '../../infra/endpoints.ts';
import { everyOperation, fill } from '../support/every-operation.ts';
import { faultyStore } from '../support/faulty-store.ts';
import { newOrganization } from '../support/world.ts';

const { operations } = await findContracts();
const onTable = operations.filter(({ endpoint }) => endpoint.access !== 'none');

test('every operation on the table is here', () => {
  expect(Object.keys(everyOperation).sort()).toEqual(onTable.map(({ operationId }) => operationId).sort());
});

test.each(onTable.map(({ operationId, endpoint }) => [operationId, endpoint.access] as const))(
  '%s uses all that its access (%s) allows, and nothing else',
  async (operationId, access) => {
    const organization = await newOrganization();
    const records = await fill(organization.openLedger().ledger);
    const recorder = faultyStore(() => 'pass');
    await everyOperation[operationId]!(organization.openLedger({ store: recorder.store }).ledger, records);
    expect([...recorder.actions].sort()).toEqual(
      actions[access].map((action) => `dynamodb:${action}`).sort(),
    );
  },
);
