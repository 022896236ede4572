import { beforeAll, expect, test } from 'vitest';
import { findContracts } from '../../../infra/functions.ts';
import { everyOperation, type Cost } from '../../support/operations.ts';
import { costsOfOperations } from '../../support/operation-costs.ts';
import { tableAt } from '../../support/test-organization.ts';

const { operations } = await findContracts();
// `test/infra/endpoint-parts.test.ts` names an endpoint without an entry.
const onTable = operations.filter(({ operationId }) => everyOperation.get(operationId)?.run);

let costs: Map<string, Cost>;
beforeAll(async () => {
  costs = await costsOfOperations(tableAt());
});

test.each(onTable.map(({ operationId }) => operationId))(
  '%s costs exactly the expected calls and units',
  (operationId) => {
    expect(costs.get(operationId), 'see its cost in test/support/operations.ts').toEqual(
      everyOperation.get(operationId)!.cost,
    );
  },
);
