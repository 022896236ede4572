import { ok } from '../../shared/endpoints/endpoint.ts';
import { updateTransfer } from '../../shared/endpoints/transfers.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/ledger/environment.ts';
import * as transfers from '../../shared/transfers/transfers.ts';

export const handler = serve(updateTransfer, async ({ params, body, doubts, caller }) =>
  ok({ transfer: await transfers.updateTransfer(ledgerOf(caller), params.transferId, body, doubts) }),
);
