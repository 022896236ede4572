import { seededRandom } from '../../../infra/local/demo/seeded-random.ts';
import type { Lead } from '../../../shared/contract/leads.ts';
import { Failure } from '../../../shared/core/failure.ts';
import type { System } from '../../../shared/core/system.ts';
import { deleteLead, getLead } from '../../../shared/domain/leads/leads.ts';
import { updateLead } from '../../../shared/domain/leads/update-lead.ts';
import { upsertLead } from '../../../shared/domain/leads/upsert-lead.ts';
import { newConsumedCapacity, openStore, type Ledger } from '../../../shared/ledger/index.ts';
import { everyFault } from '../../simulation/behaviour.ts';
import { newSimulatedTable, ledgerTable } from '../../simulation/simulated-table.ts';
import { foundOrganizationBy } from '../../support/stored-organization.ts';
import { recordHistory, type HistoryEntry, type LeadAnswer, type LeadRequest } from './history.ts';
import { who } from './over-http.ts';

/**
 * Records a history of clients on a simulated DynamoDB that has faults, and applies transactions late. The tag of a lead is
 * its JSON. With `ignoresIfMatch` no request is refused for its tag, as if the service were broken.
 */
export async function recordInSimulation({ ignoresIfMatch = false } = {}): Promise<HistoryEntry[]> {
  const { time, engine } = newSimulatedTable({
    lateApplyChance: 0.2,
    senderTimeout: 200,
    requestDelay: [200, 400],
    faults: everyFault(0.01),
  });
  const { random, randomBytes } = seededRandom(2);
  const system: System = { now: () => time.now, random, randomBytes, sleep: (wait) => time.sleep(wait) };
  const open = (name = 'founder') =>
    openStore(engine.connect({ name, dead: false }), ledgerTable.name, system);
  const limits = () => ({ deadline: time.now + 13_500, capacity: newConsumedCapacity() });
  const organization = await time.run(foundOrganizationBy({ open: () => open(), limits }));
  const clients = Array.from({ length: 8 }, (_, client) => {
    const store = open(`client ${client}`);
    return (request: LeadRequest) => {
      const { ledger } = organization.openLedger({ store });
      return carryOut(ledger, ignoresIfMatch ? { ...request, ifMatch: '' } : request);
    };
  });
  return time.run(recordHistory({ clients, requests: 100, random, now: () => time.now }));
}

const tagOf = (lead: Lead | undefined) => (lead ? JSON.stringify(Object.entries(lead).sort()) : '');

/** Carries out a request as its function does. */
async function carryOut(ledger: Ledger, request: LeadRequest): Promise<LeadAnswer> {
  let present = '';
  const refuseOutdated = (lead: Lead | undefined) => {
    present = tagOf(lead);
    if (request.ifMatch !== '' && request.ifMatch !== present) throw new Failure('outdated', 'Another tag');
  };
  try {
    const { status, lead } = await resultOf(ledger, request, refuseOutdated);
    return { status, id: lead?.id ?? '', suburb: lead?.suburb ?? '', tag: tagOf(lead) };
  } catch (error) {
    const status = error instanceof Failure ? statuses.get(error.kind) : undefined;
    if (status === undefined) throw error;
    return { status, id: '', suburb: '', tag: status === 412 ? present : '' };
  }
}

const statuses = new Map<string, number>([
  ['notFound', 404],
  ['outdated', 412],
  ['unavailable', 503],
]);

async function resultOf(
  ledger: Ledger,
  { kind, id, suburb }: LeadRequest,
  refuseOutdated: (lead: Lead | undefined) => void,
): Promise<{ status: number; lead?: Lead }> {
  const changes = suburb === undefined ? {} : { suburb };
  switch (kind) {
    case 'read':
      return { status: 200, lead: await getLead(ledger, id) };
    case 'update':
      return { status: 200, lead: await updateLead(ledger, id, changes, { refuseOutdated }) };
    case 'delete':
      await deleteLead(ledger, id, { refuseOutdated });
      return { status: 200 };
    case 'upsert': {
      const { lead, isNew } = await upsertLead(
        ledger,
        'externalId',
        { ...who, ...changes },
        { refuseOutdated },
      );
      return { status: isNew ? 201 : 200, lead };
    }
  }
}
