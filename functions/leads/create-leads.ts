import { summaryOf } from '../../shared/contract/batch.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { createLeadsEndpoint } from '../../shared/contract/lead-batch.ts';
import { createLeads } from '../../shared/domain/leads/create-leads.ts';
import { readCreated } from '../../shared/domain/leads/read-created.ts';
import { once } from '../../shared/http/once.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

const inOrder = (one: { index: number }, other: { index: number }) => one.index - other.index;

export const handler = serve(
  createLeadsEndpoint,
  async ({ body, principal, report }) => {
    const ledger = ledgerOf(principal);
    const before = await readCreated(ledger);
    const results = [...before, ...(await createLeads(ledger, body.leads, report))].toSorted(inOrder);
    return ok({ results, summary: summaryOf(results) });
  },
  once(({ goOn }) => goOn()),
);
