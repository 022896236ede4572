import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, inject } from 'vitest';
import { takeFolder } from '../../../infra/local/data-folder.ts';
import { noAddress, type Address } from '../../../shared/contract/address.ts';
import type { Lead } from '../../../shared/contract/leads.ts';
import { admin } from '../../support/admin.ts';
import { engine, type TestOrganization } from '../../support/test-organization.ts';
import { done, refused } from './command-results.ts';
import { newFolder } from '../../support/new-folder.ts';

/** Fields of a lead that a file can set, and that a person sees, of a lead without any of them. */
const nothing = {
  address: noAddress,
  firstName: '',
  lastName: '',
  email: '',
  phone: '',
  suburb: '',
  businessName: '',
  socials: {},
  externalId: '',
  status: 'pending',
  read: false,
} satisfies Partial<Lead>;
type Given = Pick<Lead, keyof typeof nothing>;
export const given = ({
  address,
  ...values
}: Partial<Omit<Given, 'address'> & { address: Partial<Address> }>): Given => {
  const suburb = values.suburb ?? '';
  return { ...nothing, ...values, address: { ...noAddress, ...address, suburb } };
};

/** A computer in an office: a folder of files, and the command line on the tests' machine, which has the tests' table or another. */
export class Office {
  readonly folder = newFolder();
  readonly #data = join(this.folder, 'data');

  /** Lets the command line find another table from now on. */
  readonly useTable: (tableName: string) => void;

  constructor(tableName = inject('tableName')) {
    const { announce, release } = takeFolder(this.#data);
    this.useTable = (name) => {
      announce({ endpoint: engine.endpoint, tableName: name });
    };
    this.useTable(tableName);
    afterAll(release);
  }

  /** Writes a file. Returns its path. */
  file(name: string, content: string | Uint8Array): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }

  admin(typed: readonly string[]) {
    return admin([...typed, '--local', '--data', this.#data]);
  }

  leads(verb: 'import' | 'export', { code }: Pick<TestOrganization, 'code'>, ...typed: string[]) {
    return this.admin(['leads', verb, ...typed, '--organization', code]);
  }

  /** Message of a command that must fail. */
  refused(...typed: Parameters<Office['leads']>): Promise<string> {
    return refused([], () => this.leads(...typed));
  }

  /** Output of a command that must succeed. */
  done(...typed: Parameters<Office['leads']>): Promise<string> {
    return done([], () => this.leads(...typed));
  }
}

/** Leads of an organization as the API returns them, the oldest first. */
export async function leadsOf({ api }: Pick<TestOrganization, 'api'>): Promise<Given[]> {
  const { leads } = await api.call('listLeads', { query: { limit: 100 } });
  const isGiven = ([field]: [string, unknown]) => field in nothing;
  return leads.toReversed().map((lead) => Object.fromEntries(Object.entries(lead).filter(isGiven)) as Given);
}
