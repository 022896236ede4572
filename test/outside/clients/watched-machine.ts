import { temporaryFolder } from '../../../infra/local/data-folder.ts';
import { Machine } from '../../../infra/local/machine.ts';
import { servedApi } from '../../support/served-api.ts';
import { everyCall, type ClientCall, type Description } from '../../support/client-calls.ts';
import { fill } from '../../support/records.ts';
import { foundOrganizationAt } from '../../support/organizations.ts';
import type { ClientTokens } from '../../support/typescript-clients.ts';
import { unthrottled } from '../../support/unthrottled.ts';

/** Input of a client: a server, an organization of its own, and the calls to make. */
export interface Task {
  baseUrl: string;
  description: Description & object;
  tokens: ClientTokens;
  calls: ClientCall[];
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

/** A local machine in memory. It adds a field to each object of an answer, and keeps the bodies. */
export class WatchedMachine {
  readonly #machine: Machine;
  readonly #bodies: string[];
  readonly #baseUrl: string;
  readonly #stop: () => Promise<void>;

  private constructor(machine: Machine, bodies: string[], baseUrl: string, stop: () => Promise<void>) {
    this.#machine = machine;
    this.#bodies = bodies;
    this.#baseUrl = baseUrl;
    this.#stop = stop;
  }

  static async start(): Promise<WatchedMachine> {
    const folder = temporaryFolder();
    const machine = await Machine.start({
      ...folder,
      settings: unthrottled,
      watch: false,
      keepSms: () => undefined,
    });
    const bodies: string[] = [];
    const { baseUrl, close } = await servedApi(async (request) => {
      const answer = await machine.answer(request);
      const body =
        request.target === '/openapi' ? answer.body : JSON.stringify(grown(JSON.parse(answer.body)));
      bodies.push(body);
      return { ...answer, body };
    });
    return new WatchedMachine(machine, bodies, baseUrl, async () => {
      await close();
      await machine.close();
      folder.release();
    });
  }

  /** Makes a task in a new organization. */
  async newTask(): Promise<Task> {
    const { engine, tableName } = this.#machine;
    const organization = await foundOrganizationAt({ endpoint: engine.endpoint, tableName });
    const response = await fetch(`${this.#baseUrl}/openapi`);
    const description = (await response.json()) as Description & object;
    const calls = everyCall(description, await fill(organization.openLedger().ledger));
    const key = await organization.issueToken({
      scopes: ['forms:submit'],
      sites: ['https://www.example.com'],
    });
    return { baseUrl: this.#baseUrl, description, tokens: { token: organization.token, key }, calls };
  }

  /** Returns the bodies of the answers since the last call, in their order. */
  takeBodies(): unknown[] {
    return this.#bodies.splice(0).map((body) => JSON.parse(body) as unknown);
  }

  close(): Promise<void> {
    return this.#stop();
  }
}
