import { foundOrganizationAt } from '../../support/stored-organization.ts';
import { unthrottled } from '../../support/machine/unthrottled.ts';
import { startMachineInMemory } from '../machine-in-memory.ts';
import { recordHistory, type HistoryEntry, type LeadAnswer, type LeadRequest } from './history.ts';

/** Records a history of clients that send HTTP requests to a local machine of their own. */
export async function recordOverHttp(): Promise<HistoryEntry[]> {
  const { machine, baseUrl, close } = await startMachineInMemory({ settings: unthrottled });
  try {
    const { engine, tableName } = machine;
    const { token } = await foundOrganizationAt({ endpoint: engine.endpoint, tableName });
    return await recordHistory({
      clients: Array.from({ length: 8 }, () => (request) => send(`${baseUrl}/v1/leads`, token, request)),
      requests: 25,
      random: Math.random,
      now: () => performance.now(),
    });
  } finally {
    await close();
  }
}

const methods = { read: 'GET', update: 'PUT', upsert: 'PUT', delete: 'DELETE' } as const;

async function send(
  leads: string,
  token: string,
  { kind, id, suburb, ifMatch }: LeadRequest,
): Promise<LeadAnswer> {
  const body = { ...(suburb !== undefined && { suburb }), ...(kind === 'upsert' && who) };
  const response = await fetch(kind === 'upsert' ? `${leads}?match=externalId` : `${leads}/${id}`, {
    method: methods[kind],
    headers: {
      Authorization: `Bearer ${token}`,
      ...(ifMatch !== '' && { 'If-Match': ifMatch }),
      ...(methods[kind] === 'PUT' && { 'Content-Type': 'application/json' }),
    },
    ...(methods[kind] === 'PUT' && { body: JSON.stringify(body) }),
  });
  const { lead = nobody } = (await response.json()) as { lead?: Pick<LeadAnswer, 'id' | 'suburb'> };
  const tag = response.headers.get('etag') ?? '';
  return { status: response.status, id: lead.id, suburb: lead.suburb, tag };
}

/** Fields that let an upsert find the lead, or create it. */
export const who = { name: 'Ann Lee', externalId: 'ann' };
const nobody = { id: '', suburb: '' };
