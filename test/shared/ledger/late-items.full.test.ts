// Loaded before the first test: virtual time does not wait for the import that code makes during a request.
import '../../../shared/domain/phone/numbering-plans.ts';
import * as v from 'valibot';
import { beforeEach, expect, test } from 'vitest';
import { maxCategories } from '../../../shared/contract/categories.ts';
import { inquirySources } from '../../../shared/contract/inquiries.ts';
import { Failure, failureSentences } from '../../../shared/core/failure.ts';
import { OrganizationCode, recordId } from '../../../shared/core/ids.ts';
import { createAppointment } from '../../../shared/domain/appointments/create-appointment.ts';
import { deleteCategory } from '../../../shared/domain/catalog/change-category.ts';
import { categories, createCategory } from '../../../shared/domain/categories/categories.ts';
import { eraseLead } from '../../../shared/domain/erasure/erase-lead.ts';
import { recordEvent } from '../../../shared/domain/events/record-event.ts';
import { getInquiry, listInquiries, updateInquiry } from '../../../shared/domain/inquiries/inquiries.ts';
import { inquiries } from '../../../shared/domain/inquiries/inquiry-record.ts';
import { createInquiry } from '../../../shared/domain/inquiries/create-inquiry.ts';
import { createLead, getLead } from '../../../shared/domain/leads/leads.ts';
import { updateLead } from '../../../shared/domain/leads/update-lead.ts';
import { addPipeline } from '../../../shared/domain/leads/pipeline-record.ts';
import { receiveSms } from '../../../shared/domain/sms/receive-sms.ts';
import {
  createService,
  deleteService,
  getService,
  listServices,
} from '../../../shared/domain/services/services.ts';
import type { Ledger, Write } from '../../../shared/ledger/index.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { recordKey } from '../../../shared/ledger/internal/keys.ts';
import { everyFault } from '../../simulation/behaviour.ts';
import { never } from '../../support/filled-records.ts';
import { acceptingProvider } from '../../support/sms.ts';
import { simulatedOffice } from '../domain/appointments/simulated-office.ts';
import { SimulatedLedger } from './simulated-ledger.ts';

/** A DynamoDB that applies every second item of a transaction up to five seconds after its decision. */
let late: SimulatedLedger;
beforeEach(async () => {
  late = new SimulatedLedger();
  await late.run((ledger) =>
    ledger.found('AU', (write) => {
      addPipeline(write);
      recordEvent(write, { event: 'ORGANIZATION_CREATED', about: 'org' });
    }),
  );
  late.be({ lateApplyChance: 0.5, lateApply: 5000 });
});

test.each(inquirySources)(
  'an inquiry by %s is shown as soon as it is there, although its source is late',
  async (source) => {
    for (let number = 1; number <= 8; number++) {
      const receive = (ledger: Ledger) => createInquiry(ledger, { source, data: {}, lead: { name: 'Ann' } });
      const read = async (ledger: Ledger) => {
        const ref = { collection: inquiries, number };
        while ((await ledger.getOrUndefined(ref)) === undefined) await late.sleep(5);
        return getInquiry(ledger, ledger.idOf(inquiries, number));
      };
      const [, shown] = await late.together<unknown>([receive, read]);
      expect(shown).toMatchObject({ source, summary: '' });
    }
  },
);

test('changes of one unique value, each while the one before is late, wait for it and are all stored', async () => {
  const { result: lead } = await late.run((ledger) =>
    createLead(ledger, { name: 'Ann', email: 'a@example.com' }),
  );
  for (let round = 0; round < 2; round++) {
    const changes = [1, 2, 3, 4].map((writer) => async (ledger: Ledger) => {
      await late.sleep(20 * writer);
      return updateLead(ledger, lead.id, { email: `${round}-${writer}@example.com` });
    });
    const changed = await late.together(changes);
    expect(changed.map(({ email }) => email)).toEqual(
      [1, 2, 3, 4].map((writer) => `${round}-${writer}@example.com`),
    );
  }
});

const newestVersion = async () => (await late.run((ledger) => ledger.eventsAfter(0, 1))).result.version;

type Act = (ledger: Ledger) => Promise<unknown>;
/** Begins a write, and another as soon as the feed tells of the first. */
const oneThenOther = async (one: Act, other: Act) => {
  const before = await newestVersion();
  const [, result] = await late.together([
    one,
    async (ledger) => {
      while ((await ledger.eventsAfter(before, 1)).events.length === 0) await late.sleep(5);
      return other(ledger);
    },
  ]);
  return result;
};

test('a status is set back although the record does not show yet what the feed tells', async () => {
  const { result: lead } = await late.run((ledger) => createLead(ledger, { name: 'Ann' }));
  for (let round = 0; round < 10; round++) {
    await oneThenOther(
      (ledger) => updateLead(ledger, lead.id, { status: 'won' }),
      (ledger) => updateLead(ledger, lead.id, { status: 'pending' }),
    );
    expect((await late.run((ledger) => getLead(ledger, lead.id))).result.status).toBe('pending');
  }
});

test('a lead of which the feed tells is changed, and is not refused as it was before', async () => {
  const { result: lead } = await late.run((ledger) => createLead(ledger, { name: 'Ann' }));
  for (const [round, status] of (['won', 'lost', 'won', 'lost', 'won', 'lost'] as const).entries()) {
    const refusing = {
      refuseOutdated: (shown: unknown) => {
        if ((shown as { status: string }).status !== status) throw new Failure('outdated', 'It has changed');
      },
    };
    const changed = await oneThenOther(
      (ledger) => updateLead(ledger, lead.id, { status }),
      (ledger) => updateLead(ledger, lead.id, { suburb: `Suburb ${round}` }, refusing),
    );
    expect(changed).toMatchObject({ status, suburb: `Suburb ${round}` });
  }
});

test('an inquiry is unread after an SMS that comes in while it is being marked as read', async () => {
  const sms = (id: string) => (ledger: Ledger) =>
    receiveSms(
      { before: ledger, after: ledger },
      { ...acceptingProvider(), from: 'pool' },
      {
        from: '+61491570156',
        to: '+61480000100',
        at: '2026-11-02T13:00:00.000Z',
        id,
        text: id,
        inReplyTo: undefined,
      },
      { report: never, reportSms: never },
    );
  await late.run(sms('first'));
  const [id] = (await late.run((ledger) => listInquiries(ledger, { page: 1, limit: 1 }))).result.items.map(
    ({ id }) => id,
  );
  for (let round = 0; round < 8; round++) {
    await oneThenOther((ledger) => updateInquiry(ledger, id!, { isRead: true }), sms(`sms ${round}`));
    expect((await late.run((ledger) => getInquiry(ledger, id!))).result).toMatchObject({ isRead: false });
  }
});

test('an appointment that is erased takes no time, although its booking is still being applied', async () => {
  late = await simulatedOffice(['Mia']);
  late.be({ lateApplyChance: 0.2, lateApply: 5000 });
  const userId = recordId('user', late.code, 1);
  for (let day = 10; day <= 31; day++) {
    const { result: lead } = await late.run((ledger) => createLead(ledger, { name: 'Ann' }));
    const [start, end] = [`2030-01-${day}T01:00:00.000Z`, `2030-01-${day}T02:00:00.000Z`];
    const booking = { title: 'Drain', leadId: lead.id, start, end, attendees: [userId] };
    await oneThenOther(
      (ledger) => createAppointment(ledger, booking, { fillsContacts: false, now: Date.parse('2029-01-01') }),
      async (ledger) => {
        while (!(await eraseLead(ledger, lead.id))) await late.sleep(5);
      },
    );
    expect((await late.run((ledger) => ledger.booked(start, end))).result).toEqual([]);
  }
});

test.each([1, 7])(
  'an erasure that is done leaves nothing to be read, whoever removed it (%i inquiries)',
  async (count) => {
    for (let round = 0; round < 6; round++) {
      const { result: lead } = await late.run((ledger) => createLead(ledger, { name: 'Ann' }));
      const call = { source: 'CALL', data: {}, leadId: lead.id } as const;
      for (let one = 0; one < count; one++) await late.run((ledger) => createInquiry(ledger, call));
      const numbers = Array.from({ length: count }, (_, one) => round * count + one + 1);
      const isThere = (number: number) =>
        ['INQUIRY', 'CALL'].some((name) => late.item(recordKey(late.code, name, number)));
      const erase = (begin: number) => async (ledger: Ledger) => {
        await late.sleep(begin);
        while (!(await eraseLead(ledger, lead.id))) await late.sleep(5);
        expect(numbers.filter(isThere)).toEqual([]);
      };
      await late.together([0, 10, 500, 1000, 2000, 4000].map(erase));
    }
  },
);

/** Reads a service until an error ends that, and returns the error. */
const getServiceUntilGone = async (ledger: Ledger, id: number): Promise<unknown> => {
  for (;;)
    try {
      await getService(ledger, id);
    } catch (error) {
      return error;
    }
};

test('a list of services shows each with its scenario, although that is late', async () => {
  const { result: category } = await late.run((ledger) =>
    createCategory(ledger, { name: 'Taps', type: 'SERVICE' }),
  );
  const input = { name: 'Tap', tradeCategoryId: category.id, pricingMode: 'NONE' } as const;
  for (let round = 0; round < 12; round++) {
    const [created] = await late.together<{ id?: number }>([
      (ledger) => createService(ledger, input),
      async (ledger) => {
        let items: readonly unknown[] = [];
        while (items.length === 0) ({ items } = await listServices(ledger, { page: 1, limit: 10 }));
        return {};
      },
    ]);
    await late.together<unknown>([
      (ledger) => deleteService(ledger, created!.id!),
      async (ledger) => {
        expect(await getServiceUntilGone(ledger, created!.id!)).toMatchObject({ kind: 'notFound' });
      },
      (ledger) => listServices(ledger, { page: 1, limit: 10 }),
    ]);
  }
});

test('the last category that there may be is made again once another is gone, although the head is late', async () => {
  const make = (ledger: Ledger) => createCategory(ledger, { name: 'Taps', type: 'SERVICE' });
  late.be({ lateApplyChance: 0 });
  for (let number = 1; number <= maxCategories; number++) await late.run(make);
  late.be({ lateApplyChance: 0.5 });
  for (let number = 1; number <= 8; number++)
    await late.together<unknown>([
      (ledger) => deleteCategory(ledger, number),
      async (ledger) => {
        while (await ledger.getOrUndefined({ collection: categories, number })) await late.sleep(5);
        await make(ledger);
      },
    ]);
  expect(await late.run(make).catch((error: unknown) => error)).toMatchObject({ kind: 'invalid' });
});

test('the feed goes on after an event that is there before the head', async () => {
  for (let round = 0; round < 8; round++) {
    const next = (await newestVersion()) + 1;
    await late.together<unknown>([
      (ledger) => createLead(ledger, { name: 'Ann' }),
      async (ledger) => {
        while (!(await ledger.getOrUndefined({ collection: events, number: next }))) await late.sleep(5);
        expect((await ledger.eventsAfter(next, 10)).version).toBeGreaterThanOrEqual(next);
      },
    ]);
  }
});

test('a number of another organization is no conflict while an earlier try may still come, and store it', async () => {
  const number = '+61491500001';
  const [own, other] = [late.open(), late.open({ organization: v.parse(OrganizationCode, '6H8EV881') })];
  const change = (ledger: Ledger, build: (write: Write) => void) =>
    ledger.write({}, (write) => {
      build(write);
      recordEvent(write, { event: 'NUMBER_ADDED', about: 'org' });
    });
  late.be({ lateApplyChance: 0, requestDelay: [5000, 5000] });
  await late.together([
    async () => {
      await other.found('AU', (write) => {
        recordEvent(write, { event: 'ORGANIZATION_CREATED', about: 'org' });
      });
      await change(other, (write) => {
        write.claimPhoneNumber(number);
      });
    },
  ]);
  await late.together([
    async () => {
      const refusal = change(own, (write) => {
        write.claimPhoneNumber(number);
        late.be({ faults: { ...everyFault(0), requestDelayed: 1 } });
      }).catch((error: unknown) => error);
      await late.sleep(3);
      late.be({ faults: everyFault(0) });
      expect(await refusal).toMatchObject({ kind: 'internal', message: failureSentences.unknownOutcome });
      await change(other, (write) => {
        write.releasePhoneNumber(number);
      });
      await late.sleep(5000);
    },
  ]);
  // The first try has come, and the number was free.
  expect(late.item({ pk: `NUMBER#${number}`, sk: 'NUMBER' })).toMatchObject({
    organization: { S: late.code },
  });
});
