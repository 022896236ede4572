import { ok } from '../../shared/contract/endpoint.ts';
import { updateScenarioEndpoint } from '../../shared/contract/scenarios.ts';
import { updateScenario } from '../../shared/domain/scenarios/scenarios.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(updateScenarioEndpoint, async ({ params, body, refuseOutdated, principal }) =>
  ok({ scenario: await updateScenario(ledgerOf(principal), params.scenarioId, body, { refuseOutdated }) }),
);
