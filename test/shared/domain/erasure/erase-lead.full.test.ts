import { beforeAll, describe, expect, test } from 'vitest';
import { eraseLead } from '../../../../shared/domain/erasure/erase-lead.ts';
import { getInquiry, updateInquiry } from '../../../../shared/domain/inquiries/inquiries.ts';
import { createInquiry } from '../../../../shared/domain/inquiries/create-inquiry.ts';
import { createLead } from '../../../../shared/domain/leads/leads.ts';
import { setOptOut } from '../../../../shared/domain/sms/set-opt-out.ts';
import type { Ledger } from '../../../../shared/ledger/index.ts';
import { recordKey } from '../../../../shared/ledger/internal/keys.ts';
import { ErasedOrganization } from './erased-organization.ts';

const sofia = { name: 'Sofia Rossi', email: 'sofia@example.com', phone: '+61491570110' };
/** Sofia's data: her name is in each text of her inquiries. */
const ofSofia = /sofia|rossi|491570110/i;

test('only the hash of an opt-out is left of an erased lead', async () => {
  const organization = await ErasedOrganization.found();
  const { id } = await organization.leadWithAll(sofia);
  const { phone } = sofia;
  await organization.run((ledger) =>
    ledger.write({}, (write) =>
      setOptOut(write, { phone, lead: undefined, isOptedOut: true, at: write.now }),
    ),
  );
  expect(ofSofia.test(await organization.everything())).toBe(true);
  expect(await organization.erase(id)).toBe(true);
  expect(await organization.findings()).toEqual([]);
  expect(ofSofia.test(await organization.everything())).toBe(false);
  const next = await organization.run((ledger) => createLead(ledger, { name: 'Sofia', phone }));
  expect(next.isOptedOut).toBe(true);
});

test('the inquiries of a lead are erased even if the lead does not show any', async () => {
  const organization = await ErasedOrganization.found();
  const { id, inquiryIds } = await organization.leadWithAll(sofia);
  const { items } = organization.table;
  const lead = await items.get(recordKey(organization.code, 'LEAD', 1));
  await items.put({ ...lead, lastInquiryId: null, lastInquiryDate: null });
  expect(await organization.erase(id)).toBe(true);
  expect(ofSofia.test(await organization.everything())).toBe(false);
  expect(await organization.findings()).toEqual([]);
  const recorded = (await organization.events()).filter((event) => /^(LEAD|INQUIRY)_ERASED /.test(event));
  expect(recorded.sort()).toEqual([...inquiryIds.map((one) => `INQUIRY_ERASED ${one}`), `LEAD_ERASED ${id}`]);
});

describe('an erasure that is too long for one request', () => {
  test('goes on with the next request if time runs out, and claims that nothing changed only if so', async () => {
    const organization = await ErasedOrganization.found();
    const bo = await organization.leadWithThread(60);
    const late = { kind: 'unavailable' };
    const { table } = organization;
    await expect(table.run(() => eraseLead(organization.ledger(-1), bo.id))).rejects.toMatchObject(late);
    // Each call takes time, so that some writes meet the erasure.
    table.beReal();
    const outcomes = new Set<unknown>();
    for (let milliseconds = 10; !outcomes.has(true); milliseconds += 30) {
      const erasing = () => eraseLead(organization.ledger(milliseconds), bo.id);
      outcomes.add(await table.run(erasing).catch((error: unknown) => (error as { kind: string }).kind));
    }
    expect([...outcomes].filter((outcome) => outcome !== 'unavailable')).toEqual([false, true]);
    expect(await organization.findings()).toEqual([]);
  });
});

describe('at the same time', () => {
  test('an SMS that is being stored in the thread is erased as well, whichever call sees it first', async () => {
    const organization = await ErasedOrganization.found();
    const { items } = organization.table;
    const bo = await organization.leadWithThread(1);
    const key = recordKey(organization.code, 'THREAD', bo.threadId);
    const early = await items.get(key);
    await organization.addText(bo.threadId, 'Bo wrote late');
    const late = await items.get(key);
    await items.put(early);
    const image = organization.table.image();
    for (let at = 1; ; at++) {
      image.restore();
      const thread = { isThere: false };
      const arriving = async () => {
        // No message can come after the transaction that removes the thread.
        thread.isThere = Boolean(await items.get(key));
        if (thread.isThere) await items.put(late);
      };
      const { outcome } = await organization.meet(at, (ledger) => eraseLead(ledger, bo.id), arriving);
      if (!thread.isThere) {
        expect(at).toBeGreaterThan(10);
        break;
      }
      expect(outcome, `call ${at}`).toBe(true);
      expect((await organization.everything()).includes('Bo wrote'), `call ${at}`).toBe(false);
      const recorded = await organization.events();
      expect(recorded.filter((event) => event.startsWith('LEAD_ERASED'))).toHaveLength(1);
    }
  });
});

describe('a request that meets an erasure before any of its calls to DynamoDB', () => {
  let organization: ErasedOrganization;
  let image: ReturnType<ErasedOrganization['table']['image']>;
  let ann: Awaited<ReturnType<ErasedOrganization['leadWithAll']>>;
  beforeAll(async () => {
    organization = await ErasedOrganization.found();
    ann = await organization.leadWithAll(sofia);
    image = organization.table.image();
  });

  /** Outcomes of `act`, with Ann erased before a different one of its calls each time. */
  async function outcomes(act: (ledger: Ledger) => Promise<unknown>): Promise<unknown[]> {
    const found: unknown[] = [];
    for (let at = 1; ; at++) {
      image.restore();
      const { outcome, isMet } = await organization.meet(at, act, () =>
        eraseLead(organization.ledger(), ann.id),
      );
      if (!isMet) return found;
      expect(await organization.findings(), `call ${at}`).toEqual([]);
      found.push(outcome);
    }
  }

  test.each([0, 3])('that reads or changes an inquiry finds it or answers 404 (inquiry %i)', async (nth) => {
    const id = ann.inquiryIds[nth]!;
    const acts = [
      (ledger: Ledger) => getInquiry(ledger, id),
      (ledger: Ledger) => updateInquiry(ledger, id, { isRead: true, tag: 'Late' }),
    ];
    for (const act of acts) {
      const found = await outcomes(act);
      expect(found.length).toBeGreaterThan(1);
      for (const each of found.filter((one) => one instanceof Error))
        expect(each).toMatchObject({ kind: 'notFound', message: 'There is no such inquiry' });
    }
  });

  test('that erases the lead, too, ends as the other does, and nothing is left', async () => {
    for (const each of await outcomes((ledger) => eraseLead(ledger, ann.id))) expect(each).toBe(true);
    expect(ofSofia.test(await organization.everything())).toBe(false);
  });

  test('that repeats an inquiry is answered with the stored one, or stored as new', async () => {
    const again = {
      source: 'CALL',
      lead: { email: sofia.email },
      externalInquiryId: `${sofia.email} CALL`,
      data: {},
    } as const;
    const found = await outcomes((ledger) => createInquiry(ledger, again));
    for (const each of found) expect(each).toMatchObject({ inquiry: { source: 'CALL' } });
    const areNew = found.map((each) => (each as { isNew: boolean }).isNew);
    expect(areNew).toContain(true);
  });
});
