import { ok } from '../../shared/contract/endpoint.ts';
import { getPipelineEndpoint } from '../../shared/contract/pipeline.ts';
import { realSystem } from '../../shared/core/system.ts';
import { getPipeline } from '../../shared/domain/leads/pipeline.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(getPipelineEndpoint, async ({ principal }) =>
  ok(await getPipeline(ledgerOf(principal), realSystem.now())),
);
