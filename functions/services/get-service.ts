import { ok } from '../../shared/endpoints/endpoint.ts';
import { getService } from '../../shared/endpoints/services.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';
import * as services from '../../shared/services/services.ts';

export const handler = serve(getService, async ({ params, caller }) =>
  ok({ service: await services.getService(ledgerOf(caller), params.serviceId) }),
);
