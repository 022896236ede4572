import { beforeEach, describe, expect, test } from 'vitest';
import { eraseLead } from '../../../../shared/domain/erasure/erase-lead.ts';
import { createLead, getLead } from '../../../../shared/domain/leads/leads.ts';
import { reportDelivery } from '../../../../shared/domain/sms/report-delivery.ts';
import { resolveSending } from '../../../../shared/domain/sms/resolve-sending.ts';
import type { SmsOutcome } from '../../../../shared/domain/sms/sms-provider.ts';
import { sendSms } from '../../../../shared/domain/sms/sms.ts';
import { messages } from '../../../../shared/domain/threads/threads.ts';
import { realSystem } from '../../../../shared/core/system.ts';
import { ErasedOrganization } from './erased-organization.ts';
import { patience } from '../../../support/patience.ts';

const phone = '+61491570110';
const from = 'arn:aws:sms-voice:us-east-1:000000000000:pool/pool-1';

let organization: ErasedOrganization;
let leadId: string;
let reported: unknown[];
const report = (error: unknown) => reported.push(error);
beforeEach(async () => {
  organization = await ErasedOrganization.found();
  reported = [];
  leadId = (await organization.run((ledger) => createLead(ledger, { name: 'Ann', phone }))).id;
});

/** Sends Ann an SMS, and erases her before the provider answers. */
const sendWhileErased = (outcome: SmsOutcome, meanwhile: () => Promise<unknown> = () => Promise.resolve()) =>
  organization.run((ledger) =>
    sendSms(
      { before: ledger, after: organization.ledger() },
      {
        from,
        send: async () => {
          expect(await eraseLead(organization.ledger(), leadId)).toBe(true);
          await meanwhile();
          return outcome;
        },
      },
      { userId: organization.userId, leadId, message: 'We come at 3' },
      report,
    ).catch((error: unknown) => error),
  );

const optedOut = { status: 'FAILED', reason: 'OPTED_OUT', cause: new Error('Refused') } as const;

describe('a message that is handed over while its lead is erased', () => {
  test('is sent, and nothing is stored of it, whatever is reported later', async () => {
    const sent = await sendWhileErased({ status: 'SENT', providerId: 'provider-1' });
    expect(sent).toMatchObject({ messageId: '1' });
    const recorded = await organization.events();
    expect(recorded[0]).toBe(`LEAD_ERASED ${leadId}`);
    const delivered = { message: '1', providerId: 'provider-1', status: 'DELIVERED' } as const;
    expect(await organization.run((ledger) => reportDelivery(ledger, delivered))).toBe(false);
    const { code } = organization;
    async function* due() {
      yield await Promise.resolve({ organization: code, ref: { collection: messages, number: 1 } });
    }
    const run = { system: realSystem, deadline: Date.now() + patience, report };
    expect(await organization.run((ledger) => resolveSending(due(), () => ledger, run))).toBe(0);
    expect(await organization.events()).toEqual(recorded);
    expect(reported).toEqual([]);
    const everything = await organization.everything();
    expect(['We come at 3', 'DUE#', 'provider-1', phone].filter((text) => everything.includes(text))).toEqual(
      [],
    );
    expect(await organization.findings()).toEqual([]);
  });

  test('opts the number out if the provider says so, also if a new lead has it', async () => {
    await sendWhileErased(optedOut);
    expect((await organization.events())[0]).toBe('NUMBER_OPTED_OUT 1');
    const next = await organization.run((ledger) => createLead(ledger, { name: 'Ann', phone }));
    expect(next.isOptedOut).toBe(true);
    expect(await organization.run((ledger) => eraseLead(ledger, next.id))).toBe(true);
    expect(reported).toEqual([]);
    expect(await organization.findings()).toEqual([]);
  });

  test('opts out a new lead with the number only once', async () => {
    let next = '';
    const comeBack = async () => {
      next = (await createLead(organization.ledger(), { name: 'Ann', phone })).id;
    };
    await sendWhileErased(optedOut, comeBack);
    expect(await organization.run((ledger) => getLead(ledger, next))).toMatchObject({ isOptedOut: true });
    expect((await organization.events())[0]).toBe(`LEAD_OPTED_OUT ${next}`);
    expect(reported).toEqual([]);
  });
});
