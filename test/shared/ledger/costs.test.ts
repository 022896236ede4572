import { beforeAll, describe, expect, test } from 'vitest';
import { accesses } from '../../../shared/ledger/index.ts';
import { findContracts } from '../../../infra/functions.ts';
import { everyOperation } from '../../support/operations.ts';
import { costsOfOperations, type OperationCost } from '../../support/operation-costs.ts';
import { tableAt } from '../../support/world.ts';

const { operations } = await findContracts();
// `test/infra/endpoint-parts.test.ts` names an endpoint without an entry.
const onTable = operations.filter(({ operationId }) => everyOperation.get(operationId)?.run);

let asked: Map<string, OperationCost>;
beforeAll(async () => {
  asked = await costsOfOperations(tableAt());
});

describe.each(onTable.map(({ operationId, endpoint }) => [operationId, endpoint.access] as const))(
  '%s',
  (operationId, access) => {
    test('costs exactly the expected calls and units', () => {
      const { cost } = asked.get(operationId)!;
      expect(cost, 'see its cost in test/support/operations.ts').toEqual(
        everyOperation.get(operationId)!.cost,
      );
    });

    test(`uses all that its access, ${access}, allows, and nothing else`, () => {
      const allowed = accesses[access];
      expect(
        asked.get(operationId)!.actions,
        `see ${operationId}Endpoint in shared/contract, and accesses in shared/ledger/internal/access.ts`,
      ).toEqual(allowed.map((action) => `dynamodb:${action}`).sort());
    });
  },
);
