import { expect, test } from 'vitest';
import { createLead } from '../../../shared/domain/leads/leads.ts';
import { timeToSend } from '../../../shared/domain/sms/sms-provider.ts';
import { sendSms } from '../../../shared/domain/sms/sms.ts';
import { smsLedgers } from '../../../shared/http/sms-ledgers.ts';
import { stored, acceptingProvider } from '../../support/sms.ts';
import { newStore, twoOrganizations } from '../../support/test-organization.ts';
import { limits } from '../../support/stored-organization.ts';
import { patience } from '../../support/patience.ts';

/** Sends an SMS with this much time left. Returns how many were handed to the provider. */
async function sendWith(
  milliseconds: number,
): Promise<{ problem: unknown; handed: number; texts: string[][] }> {
  const { ours } = await twoOrganizations();
  const phone = '+61491570156';
  const { id: leadId } = await createLead(ours.openLedger().ledger, { firstName: 'Ann', phone });
  const { send, handed } = acceptingProvider();
  const principal = { organization: ours.code, userId: ours.userId, ...limits(milliseconds) };
  const { ledgerOf } = newStore();
  const problem = await sendSms(
    smsLedgers(ledgerOf, principal),
    { send, from: 'pool' },
    { userId: ours.userId, leadId, message: 'Hello' },
    () => undefined,
  ).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { problem, handed: handed.length, texts: await stored(ours).textsOf(leadId) };
}

test('an SMS is neither stored nor sent if there is no time to send it and to store its outcome', async () => {
  const { problem, ...rest } = await sendWith(timeToSend + 900);
  expect(problem).toMatchObject({ kind: 'unavailable' });
  expect(rest).toEqual({ handed: 0, texts: [] });
  expect(await sendWith(patience)).toEqual({ problem: undefined, handed: 1, texts: [['Hello']] });
});
