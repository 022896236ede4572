import { randomBytes } from 'node:crypto';
import { createCompanyNote } from '../../../shared/domain/companies/companies.ts';
import { createFaq } from '../../../shared/domain/faqs/faqs.ts';
import { createLead, deleteLead } from '../../../shared/domain/leads/leads.ts';
import { addNumber } from '../../../shared/domain/numbers/numbers.ts';
import { setOptOut } from '../../../shared/domain/sms/set-opt-out.ts';
import { addMessage, threads } from '../../../shared/domain/threads/threads.ts';
import { hashToken } from '../../../shared/domain/tokens/token.ts';
import { revokeToken, rotateToken } from '../../../shared/domain/tokens/tokens.ts';
import { fill, type Records } from '../../support/filled-records.ts';
import type { StoredOrganization } from '../../support/stored-organization.ts';
import { newOrganization } from '../../support/test-organization.ts';

/** Phone number of the organization, and the opted-out number of the lead Di. */
export const ownPhone = '+61480000100';
const optedOutPhone = '+61491570158';
const received = { direction: 'INBOUND', text: 'Here', status: 'RECEIVED', userId: null } as const;

export interface FilledOrganization {
  organization: StoredOrganization;
  records: Records;
  /** Hashes of the first three tokens. */
  hashes: string[];
}

export const newFilledOrganization = async (tableName: string): Promise<FilledOrganization> =>
  fillOrganization(await newOrganization({ tableName: tableName }));

/** Fills a new organization with a record of every kind, deleted leads, and tokens in every state. */
export async function fillOrganization(
  organization: StoredOrganization,
  phone = ownPhone,
): Promise<FilledOrganization> {
  const { ledger } = organization.openLedger();
  const records = await fill(organization);
  await ledger.write({}, (write) =>
    setOptOut(write, { phone: optedOutPhone, lead: undefined, isOptedOut: true, at: write.now }),
  );
  for (const name of ['Bo', 'Cy', 'Di']) {
    const phone = name === 'Di' ? optedOutPhone : '';
    const { id } = await createLead(ledger, { name, email: `${name}@example.com`, phone });
    if (name !== 'Di') await deleteLead(ledger, id);
  }
  await addNumber(ledger, { number: phone, arn: 'arn:aws:sms-voice:us-east-1:1:phone-number/1' });
  const thread = ledger.ref(threads, 1);
  await ledger.write({ change: { thread } }, (write, { thread }) => {
    const { id } = addMessage(write, thread, { ...received, providerId: 'sms-1' });
    write.event({ event: 'TEST', data: 'A test.', referenceId: String(id) });
  });
  await createFaq(ledger, { question: 'Open today?', answer: 'Yes' });
  await createCompanyNote(ledger, records.companyId, { value: 'Shut on Sundays', userId: records.userId });
  const ended = await organization.issueToken({ expiresAt: '2020-01-01T00:00:00.000Z' });
  const rotated = await organization.issueToken({});
  const hashes = [organization.token, ended, rotated].map(hashToken);
  await rotateToken(ledger, 5, { overlap: 3_600_000 }, randomBytes);
  await rotateToken(ledger, 6, { overlap: 0 }, randomBytes);
  await revokeToken(ledger, 7);
  return { organization, records, hashes };
}
