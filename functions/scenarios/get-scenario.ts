import { ok } from '../../shared/contract/endpoint.ts';
import { getScenarioEndpoint } from '../../shared/contract/scenarios.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';
import { getScenario } from '../../shared/domain/scenarios/scenarios.ts';

export const handler = serve(getScenarioEndpoint, async ({ params, principal }) =>
  ok({ scenario: await getScenario(ledgerOf(principal), params.scenarioId) }),
);
