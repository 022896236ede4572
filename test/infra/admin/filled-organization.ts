import { randomBytes } from 'node:crypto';
import { addNote } from '../../../shared/domain/companies/companies.ts';
import { createFaq } from '../../../shared/domain/faqs/faqs.ts';
import { createLead, deleteLead } from '../../../shared/domain/leads/leads.ts';
import { inviteMember } from '../../../shared/domain/members/members.ts';
import { hashToken } from '../../../shared/domain/tokens/token.ts';
import { revokeToken, rotateToken } from '../../../shared/domain/tokens/tokens.ts';
import { fill, type Records } from '../../support/records.ts';
import { newOrganization, type TestOrganization } from '../../support/world.ts';

export interface FilledOrganization {
  organization: TestOrganization;
  records: Records;
  /** Of the first three tokens. */
  hashes: string[];
}

/** An organization with a record of every kind, leads that were deleted, and tokens in every state. */
export async function newFilledOrganization(tableName: string): Promise<FilledOrganization> {
  const organization = await newOrganization('AU', tableName);
  const { ledger } = organization.openLedger();
  const records = await fill(ledger);
  for (const name of ['Bo', 'Cy', 'Di']) {
    const { id } = await createLead(ledger, { name, email: `${name}@example.com` });
    if (name !== 'Di') await deleteLead(ledger, id);
  }
  await createFaq(ledger, { question: 'Open today?', answer: 'Yes' });
  await inviteMember(ledger, { email: 'new@example.com' });
  await addNote(ledger, records.companyId, { value: 'Shut on Sundays', userId: records.userId });
  const ended = await organization.issueToken({ expiresAt: '2020-01-01T00:00:00.000Z' });
  const rotated = await organization.issueToken({});
  const hashes = [organization.token, ended, rotated].map(hashToken);
  await rotateToken(ledger, 3, { overlap: 3_600_000 }, randomBytes);
  await rotateToken(ledger, 4, { overlap: 0 }, randomBytes);
  await revokeToken(ledger, 5);
  return { organization, records, hashes };
}
