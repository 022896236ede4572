import type { NewLead } from '../../../shared/contract/leads.ts';
import { addLead } from '../../../shared/domain/leads/leads.ts';
import { pipelineRead } from '../../../shared/domain/leads/pipeline-record.ts';
import type { Ledger } from '../../../shared/ledger/index.ts';

/** Creates leads, all in one transaction. */
export function addLeads(ledger: Ledger, inputs: readonly NewLead[]): Promise<void> {
  return ledger.write({ change: { pipeline: pipelineRead } }, async (write) => {
    for (const input of inputs) await addLead(write, { ...input, phone: input.phone ?? '' });
  });
}
