import { ok } from '../../shared/contract/endpoint.ts';
import { getScenario } from '../../shared/contract/scenarios.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';
import * as scenarios from '../../shared/domain/scenarios/scenarios.ts';

export const handler = serve(getScenario, async ({ params, caller }) =>
  ok({ scenario: await scenarios.getScenario(ledgerOf(caller), params.scenarioId) }),
);
