import { created } from '../../shared/contract/endpoint.ts';
import { createTransfer } from '../../shared/contract/transfers.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';
import * as transfers from '../../shared/domain/transfers/transfers.ts';

export const handler = serve(createTransfer, async ({ body, caller }) =>
  created({ transfer: await transfers.createTransfer(ledgerOf(caller), body) }),
);
