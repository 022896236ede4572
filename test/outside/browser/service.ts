import { randomBytes } from 'node:crypto';
import type { Inquiry, InquiryListItem } from '../../../shared/contract/inquiries.ts';
import type { Lead } from '../../../shared/contract/leads.ts';
import { addToken } from '../../../shared/domain/tokens/tokens.ts';
import { foundOrganizationAt, type StoredOrganization } from '../../support/stored-organization.ts';
import { startMachineInMemory } from '../machine-in-memory.ts';

/** A stored submission. */
export interface Submitted {
  lead: Lead;
  inquiry: Inquiry;
  /** Fields of the form that are not the lead's. */
  fields: Record<string, string>;
}

/** A local machine in memory, with one organization. */
export class Service {
  readonly baseUrl: string;
  readonly #organization: StoredOrganization;
  readonly #stop: () => Promise<void>;
  readonly #known = new Set<string>();

  private constructor(baseUrl: string, organization: StoredOrganization, stop: () => Promise<void>) {
    this.baseUrl = baseUrl;
    this.#organization = organization;
    this.#stop = stop;
  }

  static async start(): Promise<Service> {
    const { machine, baseUrl, close } = await startMachineInMemory();
    const { engine, tableName } = machine;
    const organization = await foundOrganizationAt({ endpoint: engine.endpoint, tableName });
    return new Service(baseUrl, organization, close);
  }

  /** Token of the organization. */
  get token(): string {
    return this.#organization.token;
  }

  /** Issues a key for the forms of these sites. */
  async issueKey(sites: readonly string[]): Promise<string> {
    const { userId } = this.#organization;
    const input = { name: 'Website', mode: 'test', scopes: ['forms:submit'], sites, userId } as const;
    const { ledger } = this.#organization.openLedger();
    return ledger.write({}, (write) => addToken(write, { ...input, role: 'OWNER' }, randomBytes).token);
  }

  /** Returns the submissions since the last call, oldest first. */
  async submitted(): Promise<Submitted[]> {
    const { inquiries } = await this.#read<{ inquiries: InquiryListItem[] }>('/v1/inquiries?source=WEBFORM');
    const fresh = inquiries.filter(({ id }) => !this.#known.has(id)).reverse();
    return Promise.all(
      fresh.map(async ({ id, leadId }) => {
        this.#known.add(id);
        const inquiry = await this.#read<Inquiry>(`/v1/inquiries/${id}`);
        const { lead } = await this.#read<{ lead: Lead }>(`/v1/leads/${leadId}`);
        const { fields } = inquiry.data as { fields: Record<string, string> };
        return { lead, inquiry, fields };
      }),
    );
  }

  async #read<T>(path: string): Promise<T> {
    const headers = { Authorization: `Bearer ${this.token}` };
    const response = await fetch(`${this.baseUrl}${path}`, { headers });
    if (!response.ok) throw new Error(`${path} is answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }

  close(): Promise<void> {
    return this.#stop();
  }
}
