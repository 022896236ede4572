import { ok } from '../../shared/contract/endpoint.ts';
import { updateTransfer } from '../../shared/contract/transfers.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';
import * as transfers from '../../shared/domain/transfers/transfers.ts';

export const handler = serve(updateTransfer, async ({ params, body, doubts, caller }) =>
  ok({ transfer: await transfers.updateTransfer(ledgerOf(caller), params.transferId, body, doubts) }),
);
