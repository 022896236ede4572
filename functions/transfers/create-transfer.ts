import { created } from '../../shared/endpoints/endpoint.ts';
import { createTransfer } from '../../shared/endpoints/transfers.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';
import * as transfers from '../../shared/transfers/transfers.ts';

export const handler = serve(createTransfer, async ({ body, caller }) =>
  created({ transfer: await transfers.createTransfer(ledgerOf(caller), body) }),
);
