import { expect, test } from 'vitest';
import { findContracts } from '../../../infra/functions.ts';
import { created, ok } from '../../../shared/contract/endpoint.ts';
import { summaryOf } from '../../../shared/contract/batch.ts';
import { createLeadsEndpoint } from '../../../shared/contract/lead-batch.ts';
import { createLeadEndpoint } from '../../../shared/contract/leads.ts';
import { updateProductsEndpoint } from '../../../shared/contract/products.ts';
import { sendSmsEndpoint } from '../../../shared/contract/sms.ts';
import { leads } from '../../../shared/domain/leads/lead-record.ts';
import { createLeads } from '../../../shared/domain/leads/create-leads.ts';
import { createLead, deleteLead, getLead } from '../../../shared/domain/leads/leads.ts';
import { listLeads } from '../../../shared/domain/leads/list-leads.ts';
import { readCreated } from '../../../shared/domain/leads/read-created.ts';
import { updateProducts } from '../../../shared/domain/products/batch.ts';
import type { SmsProvider } from '../../../shared/domain/sms/sms-provider.ts';
import { readSent, sendSms } from '../../../shared/domain/sms/sms.ts';
import type { ServedEvent } from '../../../shared/http/event.ts';
import { carryOutOnce, unlessChanged } from '../../../shared/http/idempotency.ts';
import { serve } from '../../../shared/http/serve.ts';
import { smsLedgers } from '../../../shared/http/sms-ledgers.ts';
import type { FunctionPrincipal, Store } from '../../../shared/ledger/index.ts';
import { faults } from '../../support/store/faults.ts';
import { faultyStore, inOrder } from '../../support/store/faulty-store.ts';
import { eventFor } from '../../support/event-for.ts';
import { fill } from '../../support/filled-records.ts';
import { recordedStore } from '../../support/store/recorded-store.ts';
import { stoppedClock } from '../../support/stopped-clock.ts';
import {
  newOrganization,
  newStore,
  tableAt,
  type TestOrganization,
} from '../../support/test-organization.ts';
import { contextWith, linesOf } from './invocation.ts';

const { operations } = await findContracts();

const provider: SmsProvider = {
  from: 'arn:from',
  send: () => Promise.resolve({ status: 'SENT', providerId: 'sms-1' }),
};

/** The functions of some operations, on a store that may fail. */
const functions = {
  createLead: (store: Store) => {
    const ledgerOf = (principal: FunctionPrincipal) => store.ledgerOf(principal);
    return serve(
      createLeadEndpoint,
      async ({ body, principal }) => created({ lead: await createLead(ledgerOf(principal), body) }),
      carryOutOnce(ledgerOf, async ({ ledger }) => {
        const id = ledger.keptId(leads);
        return unlessChanged(ledger, async () => created({ lead: await getLead(ledger, id) }), {
          lead: { id },
        });
      }),
    );
  },
  createLeads: (store: Store) => {
    const ledgerOf = (principal: FunctionPrincipal) => store.ledgerOf(principal);
    return serve(
      createLeadsEndpoint,
      async ({ body, principal, report }) => {
        const ledger = ledgerOf(principal);
        const results = [...(await readCreated(ledger)), ...(await createLeads(ledger, body.leads, report))];
        return ok({ results, summary: summaryOf(results) });
      },
      carryOutOnce(ledgerOf, ({ goOn }) => goOn()),
    );
  },
  updateProducts: (store: Store) => {
    const ledgerOf = (principal: FunctionPrincipal) => store.ledgerOf(principal);
    return serve(
      updateProductsEndpoint,
      async ({ body, principal, report }) => {
        const results = await updateProducts(ledgerOf(principal), body, report);
        return ok({ results, summary: summaryOf(results) });
      },
      carryOutOnce(ledgerOf, ({ goOn }) => goOn()),
    );
  },
  sendSms: (store: Store) => {
    const ledgerOf = (principal: FunctionPrincipal) => store.ledgerOf(principal);
    const message = 'SMS sent successfully';
    return serve(
      sendSmsEndpoint,
      async ({ body, principal, report }) => {
        const sms = { ...body, userId: body.userId ?? principal.userId };
        return created({
          message,
          ...(await sendSms(smsLedgers(ledgerOf, principal), provider, sms, report)),
        });
      },
      carryOutOnce(ledgerOf, async ({ ledger }) => created({ message, ...(await readSent(ledger)) })),
    );
  },
} as const;

interface Answer {
  status: number;
  body: string;
  isReplayed: boolean;
}

/** An organization, and a way to send it one request, again and again, by functions on any store. */
async function sending(name: keyof typeof functions, body?: object) {
  const ours: TestOrganization = await newOrganization();
  const records = await fill(ours);
  const operation = operations.find(({ operationId }) => operationId === name)!;
  const send = async (store: Store = newStore()): Promise<Answer> => {
    const event = eventFor(operation, ours, records, 1);
    const request = {
      ...event,
      ...(body && { body: JSON.stringify(body) }),
      headers: { ...event.headers, 'Idempotency-Key': 'the-key' },
    } as unknown as ServedEvent;
    const { result } = await linesOf(() => functions[name](store)(request, contextWith(15_000)));
    return {
      status: result.statusCode,
      body: result.body,
      isReplayed: result.headers?.['Idempotency-Replayed'] === 'true',
    };
  };
  const { ledger } = ours.openLedger();
  const countLeads = async () => (await listLeads(ledger, { page: 1, limit: 1 })).totalCount;
  return { send, ledger, countLeads };
}

/** Answers to a request and to its twin, which is sent and answered before this call of the request to DynamoDB. */
async function sendWithTwin(send: (store?: Store) => Promise<Answer>, at: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  let calls = 0;
  const { store } = recordedStore(tableAt(), {}, async (_command, _input, call) => {
    if (++calls === at) answers.push(await send());
    return call();
  });
  answers.push(await send(store));
  return answers;
}

const batch = { leads: Array.from({ length: 50 }, (_, at) => ({ name: `Lead ${at}` })) };
const withEmails = {
  leads: Array.from({ length: 60 }, (_, at) => ({ name: `Lead ${at}`, email: `lead${at}@example.com` })),
};
test.each([1, 2, 3, 4, 5, 6, 7])(
  'a batch whose twin is carried out before its call %i: both have all of its leads',
  async (at) => {
    const { send, countLeads } = await sending('createLeads', withEmails);
    const before = await countLeads();
    const answers = await sendWithTwin(send, at);
    const all = { summary: { total: 60, succeeded: 60 } };
    expect(answers.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([all, all]);
    expect(await countLeads()).toBe(before + 60);
  },
);

test.each([4, 5, 6, 7, 8, 9])(
  'a repeat that tries refused items again, and whose twin does so before its call %i: both have what is free now',
  async (at) => {
    const emails = ['one@example.com', 'two@example.com', 'three@example.com'];
    const leads = emails.map((email) => ({ name: 'Lead', email }));
    const { send, ledger } = await sending('createLeads', { leads });
    await createLead(ledger, { name: 'Bo', email: emails[1] });
    const { id } = await createLead(ledger, { name: 'Cy', email: emails[2] });
    expect(JSON.parse((await send()).body)).toMatchObject({ summary: { succeeded: 1 } });
    await deleteLead(ledger, id);
    const answers = await sendWithTwin(send, at);
    const summary = { total: 3, succeeded: 2 };
    for (const { body } of answers) expect(JSON.parse(body)).toMatchObject({ summary });
  },
);

test('a request whose outcome is not known is answered with it', async () => {
  const { send, countLeads } = await sending('createLead');
  const before = await countLeads();
  const clock = stoppedClock();
  const lost = inOrder(
    'TransactWriteItemsCommand',
    ...Array.from({ length: 100 }, () => ({ after: faults.reset })),
  );
  const first = await send(faultyStore(lost, clock.system).store);
  expect(first).toMatchObject({ status: 201, isReplayed: true });
  expect(await countLeads()).toBe(before + 1);
});

test('a request that was stored, and has no time to read that, does not say that nothing was changed', async () => {
  const { send, countLeads } = await sending('createLead');
  const before = await countLeads();
  let isKnown = false;
  const { store } = recordedStore(tableAt(), stoppedClock().system, async (command, _input, call) => {
    if (isKnown) throw faults.throttled;
    const reply = await call();
    if (command === 'TransactWriteItemsCommand') throw faults.reset;
    isKnown = command === 'TransactGetItemsCommand';
    return reply;
  });
  const { status, body } = await send(store);
  expect([status, body]).toEqual([500, expect.stringContaining('is not known')]);
  expect(await countLeads()).toBe(before + 1);
});

test.each([
  ['createLead', { name: 'Bo' }, 1],
  ['createLeads', batch, 50],
] as const)(
  '%s whose twin has stored it, and which has no time to read that, says that it is being carried out',
  async (name, body, made) => {
    const { send, countLeads } = await sending(name, body);
    const before = await countLeads();
    let [calls, isRefused] = [0, false];
    const { store } = recordedStore(tableAt(), stoppedClock().system, async (command, _input, call) => {
      if (++calls === 2) await send();
      if (isRefused) throw faults.throttled;
      isRefused = command.startsWith('TransactWrite');
      return call();
    });
    expect(await send(store)).toMatchObject({ status: 409, isReplayed: false });
    expect(await countLeads()).toBe(before + made);
  },
);

const updates = { updates: [{ id: 1, name: 'Mixer' }] };
test.each([
  ['createLead', 1, { name: 'Bo' }],
  ['sendSms', 1, undefined],
  ['createLeads', 1, batch],
  ['createLeads', 2, batch],
  ['updateProducts', 1, updates],
  ['updateProducts', 2, updates],
] as const)(
  '%s whose twin stores all before its call %i, and which has no time left, does not say that nothing was changed',
  async (name, at, body) => {
    const { send } = await sending(name, body);
    let calls = 0;
    let twin: Promise<Answer> | undefined;
    const { store } = recordedStore(tableAt(), stoppedClock().system, async (_command, _input, call) => {
      const isFirst = ++calls === 1;
      if (calls >= at) await (twin ??= send());
      if (!isFirst) throw faults.throttled;
      return call();
    });
    expect(await send(store)).toMatchObject({ status: 409, isReplayed: false });
    expect(await send()).toMatchObject({ isReplayed: true });
  },
);
