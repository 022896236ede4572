import { ok } from '../../shared/contract/endpoint.ts';
import { getPipelineEndpoint } from '../../shared/contract/pipeline.ts';
import { system } from '../../shared/http/outside/system.ts';
import { getPipeline } from '../../shared/domain/leads/pipeline.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(getPipelineEndpoint, async ({ principal }) =>
  ok(await getPipeline(ledgerOf(principal), system.now())),
);
