import { beforeAll, beforeEach } from 'vitest';
import { createLead } from '../../shared/domain/leads/leads.ts';
import type { Ledger } from '../../shared/ledger/index.ts';
import type { Lead } from '../../shared/contract/leads.ts';
import { newNumber, stored } from './sms.ts';
import { twoOrganizations, type TestOrganization } from './test-organization.ts';

/** Organization of a test file, its phone number with the number's ARN, and its stored leads and SMS. */
export let organization: TestOrganization;
export let number: string;
export let arn: string;
export let seen: ReturnType<typeof stored>;
/** Ann's phone number, different in each test. */
export let ann: string;

/** Founds the organization of the file that calls it, before its tests. */
export function useOrganizationWithNumber(): void {
  let tests = 0;
  beforeAll(async () => {
    organization = (await twoOrganizations()).ours;
    ({ number, arn } = await newNumber(organization));
    seen = stored(organization);
  });
  beforeEach(() => {
    ann = `+614915711${String(++tests).padStart(2, '0')}`;
  });
}

export const ledger = (): Ledger => organization.openLedger().ledger;

/** Creates a lead for Ann. */
export const newLead = (): Promise<Lead> => createLead(ledger(), { firstName: 'Ann', phone: ann });
