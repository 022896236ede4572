import { created } from '../../shared/endpoints/endpoint.ts';
import { createService } from '../../shared/endpoints/services.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';
import * as services from '../../shared/services/services.ts';

export const handler = serve(createService, async ({ body, caller }) =>
  created({ service: await services.createService(ledgerOf(caller), body) }),
);
