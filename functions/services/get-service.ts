import { ok } from '../../shared/contract/endpoint.ts';
import { getService } from '../../shared/contract/services.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';
import * as services from '../../shared/domain/services/services.ts';

export const handler = serve(getService, async ({ params, caller }) =>
  ok({ service: await services.getService(ledgerOf(caller), params.serviceId) }),
);
