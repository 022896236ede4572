import { keyScopes } from '../../../shared/contract/scopes.ts';
import { everyCall, keyedPaths, type ClientCall, type Description } from './client-calls.ts';
import { inviteMember } from '../../../shared/domain/tokens/invitations.ts';
import { asOwner, fill } from '../../support/filled-records.ts';
import { foundOrganizationAt, type StoredOrganization } from '../../support/stored-organization.ts';
import { unthrottled } from '../../support/machine/unthrottled.ts';
import { startMachineInMemory, type ServedMachine } from '../machine-in-memory.ts';

/** Tokens of a client: for the header, for the path that accepts an invitation, and a key for the query of certain paths. */
export interface ClientTokens {
  token: string;
  invitationToken: string;
  key: string;
  keyedPaths: readonly string[];
}

/** Input of a client: a server, its own organization, and the calls to make. */
export interface Task {
  baseUrl: string;
  description: Description & object;
  tokens: ClientTokens;
  calls: ClientCall[];
}

/** Makes the calls of every operation of an API, in a new organization. */
export async function newTask(baseUrl: string, organization: StoredOrganization): Promise<Task> {
  const response = await fetch(`${baseUrl}/openapi`);
  const description = (await response.json()) as Description & object;
  const records = await fill(organization);
  const { ledger } = organization.openLedger();
  const other = await inviteMember(ledger, { email: 'other@example.com', role: 'USER' }, asOwner(ledger));
  const calls = everyCall(description, { ...records, otherInvitationId: other.id });
  const key = await organization.issueToken({ scopes: keyScopes, sites: ['https://www.example.com'] });
  const { invitationToken } = records;
  const tokens = { token: organization.token, invitationToken, key, keyedPaths: keyedPaths(description) };
  return { baseUrl, description, tokens, calls };
}

/** Name of a field that no description has. */
export const addedLater = 'addedLater';

/** Adds a field to each object of a body, as a later version of the API may. */
function grown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(grown);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([name, part]) => [name, grown(part)]);
  return { ...(Object.fromEntries(parts) as object), [addedLater]: 'new' };
}

/** A local machine in memory. Adds a field to each object of an answer, and keeps the bodies. */
export class WatchedMachine {
  readonly #served: ServedMachine;
  readonly #bodies: string[];

  private constructor(served: ServedMachine, bodies: string[]) {
    this.#served = served;
    this.#bodies = bodies;
  }

  static async start(): Promise<WatchedMachine> {
    const bodies: string[] = [];
    const served = await startMachineInMemory({ settings: unthrottled }, (machine) => async (request) => {
      const answer = await machine.answer(request);
      const body =
        request.target === '/openapi' ? answer.body : JSON.stringify(grown(JSON.parse(answer.body)));
      bodies.push(body);
      return { ...answer, body };
    });
    return new WatchedMachine(served, bodies);
  }

  /** Makes a task in a new organization. */
  async newTask(): Promise<Task> {
    const { machine, baseUrl } = this.#served;
    const { engine, tableName } = machine;
    return newTask(baseUrl, await foundOrganizationAt({ endpoint: engine.endpoint, tableName }));
  }

  /** Returns the bodies of the answers since the last call, in their order. */
  takeBodies(): unknown[] {
    return this.#bodies.splice(0).map((body) => JSON.parse(body) as unknown);
  }

  close(): Promise<void> {
    return this.#served.close();
  }
}
