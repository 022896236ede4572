import type { NewLead } from '../../../shared/contract/leads.ts';
import { addLead } from '../../../shared/domain/leads/leads.ts';
import { PipelineChange, pipelineIn } from '../../../shared/domain/leads/pipeline.ts';
import type { Ledger } from '../../../shared/ledger/index.ts';

/** Creates leads, all in one transaction. */
export function addLeads(ledger: Ledger, inputs: readonly NewLead[]): Promise<void> {
  const pipeline = pipelineIn(ledger);
  return ledger.write({ change: { pipeline } }, async (write, { pipeline: record }) => {
    const change = new PipelineChange(write, pipeline.ref, record);
    for (const input of inputs) await addLead(write, change, input);
  });
}
