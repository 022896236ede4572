import { ok } from '../../shared/contract/endpoint.ts';
import { listScenariosEndpoint } from '../../shared/contract/scenarios.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { listScenarios } from '../../shared/domain/scenarios/scenarios.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(listScenariosEndpoint, async ({ query, principal }) =>
  ok(pageOf('scenarios', await listScenarios(ledgerOf(principal), query), query)),
);
