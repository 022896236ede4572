import { created } from '../../shared/contract/endpoint.ts';
import { createService } from '../../shared/contract/services.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';
import * as services from '../../shared/domain/services/services.ts';

export const handler = serve(createService, async ({ body, caller }) =>
  created({ service: await services.createService(ledgerOf(caller), body) }),
);
