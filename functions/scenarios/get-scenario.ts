import { ok } from '../../shared/endpoints/endpoint.ts';
import { getScenario } from '../../shared/endpoints/scenarios.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';
import * as scenarios from '../../shared/scenarios/scenarios.ts';

export const handler = serve(getScenario, async ({ params, caller }) =>
  ok({ scenario: await scenarios.getScenario(ledgerOf(caller), params.scenarioId) }),
);
