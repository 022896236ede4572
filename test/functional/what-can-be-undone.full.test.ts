import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findContracts } from '../../infra/functions.ts';
import { root } from '../../infra/root.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { testedOperation } from '../support/operations.ts';
import { fill, newAppointment } from '../support/filled-records.ts';
import { clientFor, verifiedOrganization } from '../support/test-organization.ts';

/* The table of docs/guides/what-can-be-undone.md: each row has a case here, which does it and tries to undo it. */

const { operations } = await findContracts();
const ours = await verifiedOrganization();
const { api } = ours;
const records = await fill(ours);

const page = readFileSync(join(root, 'docs/guides/what-can-be-undone.md'), 'utf8');
const rows = [...page.matchAll(/^\| ([A-Z][^|]*?) +\| (`[^|]*)\|/gm)].map(([, title = '', names = '']) => ({
  title,
  names: [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
}));
const namesOf = (title: string) => rows.find((row) => row.title === title)?.names ?? [];

const endpointOf = (name: string): Endpoint => {
  const found = operations.find(({ operationId }) => operationId === name);
  if (!found) throw new Error(`There is no operation ${name}`);
  return found.endpoint;
};

type Json = Record<string, unknown>;
let n = 0;

/**
 * Carries out an operation as its entry in test/support/operations.ts does. `change` replaces parts of the entry's
 * request.
 */
async function carryOut(
  name: string,
  change: { params?: Record<string, string | number>; body?: Json } = {},
) {
  const { params, query, body } = { ...testedOperation(name).request(records, ++n), ...change };
  const answer = await api.attempt(endpointOf(name), {
    ...(params && { params }),
    ...(query && { query }),
    ...(body && { body }),
  });
  expect(answer.status, `${name}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer.body as Json;
}

/** Fields of the one record in an answer: the fields under its name, or all fields. */
const recordIn = (body: Json): Json => {
  const [first] = Object.values(body);
  return typeof first === 'object' && first !== null ? (first as Json) : body;
};

/** The operation that reads, or deletes, the record that another one makes or changes. */
const related = (name: string, verb: 'get' | 'delete') => name.replace(/^(create|update|delete)/, verb);

/** Parameters of the path of a record, by the name of the operation that reads it. */
function paramsOf(name: string, id: unknown): Record<string, string | number> {
  const { params = {} } = testedOperation(name).request(records, 1);
  const last = Object.keys(params).at(-1) ?? '';
  return { ...params, [last]: id as string | number };
}

/** Ids of deleted records. */
const deleted = new Map<string, unknown>();
/** Makes a record, and deletes it. */
async function makeAndDelete(subject: string): Promise<unknown> {
  const { id } = recordIn(await carryOut(`create${subject}`));
  const [read, remove] = [`get${subject}`, `delete${subject}`];
  await carryOut(read, { params: paramsOf(read, id) });
  let isDone: unknown = false;
  while (isDone === false)
    ({ done: isDone = true } = await carryOut(remove, { params: paramsOf(remove, id) }));
  await api.failure(endpointOf(read), 404, { params: paramsOf(read, id) });
  deleted.set(subject, id);
  return id;
}

const invite = async () => {
  const { id, token } = recordIn(await carryOut('inviteMember'));
  return { id: Number(id), token: String(token) };
};
/** Invites a person, and accepts for that person. */
async function addMember(): Promise<{ member: { id: number } }> {
  const { id, token } = await invite();
  const client = clientFor(token, ['invitations:accept']);
  const answer = await client.answer(endpointOf('acceptInvitation'), {
    params: { invitationId: id },
  });
  return answer.body as { member: { id: number } };
}
const aLead = async () =>
  (await api.call('createLead', { body: { name: 'Ann', email: `u${++n}@example.com` } })).lead;
const aBooking = async () => {
  const day = `2027-02-${10 + (++n % 10)}`;
  const times = { start: `${day}T09:00:00.000Z`, end: `${day}T10:00:00.000Z` };
  const body = { ...newAppointment, ...times, leadId: records.leadId };
  return (await api.call('createAppointment', { body })).appointment;
};
const inquiryOf = async (leadId: string) =>
  (await api.call('createInquiry', { body: { source: 'EMAIL', leadId, data: { subject: 'Quote' } } }))
    .inquiry;

const cases: Record<string, () => Promise<void>> = {
  'Create a record': async () => {
    for (const name of namesOf('Create a record')) await makeAndDelete(name.replace('create', ''));
  },
  'Create leads': async () => {
    const { id, email } = await aLead();
    await api.call('deleteLead', { params: { leadId: id } });
    expect((await api.call('createLead', { body: { name: 'Ann', email } })).lead.id).not.toBe(id);
  },
  'Create or change a lead': async () => {
    const email = `u${++n}@example.com`;
    const upsert = async (suburb: string) =>
      api.answer('upsertLead', { query: { match: 'email' }, body: { name: 'Ann', email, suburb } });
    const [made, changed, back] = [await upsert('A'), await upsert('B'), await upsert('A')];
    expect([made.status, changed.status, back.status]).toEqual([201, 200, 200]);
    expect(back.body.lead.suburb).toBe('A');
    await api.call('deleteLead', { params: { leadId: made.body.lead.id } });
    expect((await upsert('A')).status).toBe(201);
  },
  'Change a record': async () => {
    for (const name of namesOf('Change a record')) {
      if (name === 'updateProducts') {
        const { id } = recordIn(await carryOut('createProduct'));
        const isUpdated = { params: { productId: Number(id) } };
        const { updatedAt: _, ...before } = recordIn(await carryOut('getProduct', isUpdated));
        for (const to of ['Another', String(before['name'])])
          await carryOut(name, { body: { updates: [{ id, name: to }] } });
        expect(recordIn(await carryOut('getProduct', isUpdated))).toMatchObject(before);
        continue;
      }
      const { updatedAt: _, ...before } = recordIn(await carryOut(related(name, 'get')));
      const { body } = testedOperation(name).request(records, n + 1);
      const changed = recordIn(await carryOut(name));
      const former = Object.fromEntries(Object.keys(body ?? {}).map((field) => [field, before[field]]));
      expect(changed, name).not.toMatchObject(former);
      await carryOut(name, { body: former });
      expect(recordIn(await carryOut(related(name, 'get'))), name).toMatchObject(before);
    }
  },
  'Delete a record': async () => {
    for (const name of namesOf('Delete a record')) {
      const subject = name.replace('delete', '');
      const before = deleted.get(subject) ?? (await makeAndDelete(subject));
      expect(await makeAndDelete(subject), name).not.toBe(before);
    }
  },
  'Remove a member': async () => {
    const { member } = await addMember();
    const params = { memberId: member.id };
    await carryOut('deleteMember', { params });
    await api.failure(endpointOf('getMember'), 404, { params });
    expect((await addMember()).member.id).not.toBe(member.id);
  },
  'Delete a lead': async () => {
    const { id, email } = await aLead();
    const { id: inquiryId } = await inquiryOf(id);
    await api.call('deleteLead', { params: { leadId: id } });
    const { lead } = await api.call('createLead', { body: { name: 'Ann', email } });
    expect(await api.call('getInquiry', { params: { inquiryId } })).toMatchObject({ leadId: id });
    const listed = await api.call('listInquiries', { query: { leadId: lead.id } });
    expect(listed.totalCount).toBe(0);
    await api.failure('updateLead', 404, { params: { leadId: id }, body: { read: true } });
  },
  'Erase a person': async () => {
    const { id: leadId } = await aLead();
    await api.call('eraseLead', { params: { leadId } });
    await api.failure('getLead', 404, { params: { leadId } });
    await api.failure('updateLead', 404, { params: { leadId }, body: { read: true } });
  },
  'Take in an inquiry': async () => {
    const { id: leadId } = await aLead();
    const { id: inquiryId } = await inquiryOf(leadId);
    await api.send('DELETE', `/v1/inquiries/${inquiryId}`).then(({ status }) => {
      expect(status).toBe(404);
    });
    await api.call('getInquiry', { params: { inquiryId } });
    expect(await api.call('eraseLead', { params: { leadId } })).toMatchObject({ done: true });
    await api.failure('getInquiry', 404, { params: { inquiryId } });
  },
  'Book an appointment': async () => {
    const { id: appointmentId } = await aBooking();
    await api.call('cancelAppointment', { params: { appointmentId } });
    const { appointment } = await api.call('getAppointment', { params: { appointmentId } });
    expect(appointment.status).toBe('CANCELLED');
  },
  'Move an appointment': async () => {
    const { id: appointmentId, start, end } = await aBooking();
    const move = async (body: Json) =>
      (await api.call('updateAppointment', { params: { appointmentId }, body })).appointment;
    await move({ start: '2031-03-01T09:00:00.000Z' });
    expect(await move({ start })).toMatchObject({ start, end, isRescheduled: true });
  },
  'End an appointment': async () => {
    for (const status of ['CANCELLED', 'COMPLETED', 'NO_SHOW']) {
      const { id: appointmentId } = await aBooking();
      const params = { appointmentId };
      if (status === 'CANCELLED') await api.call('cancelAppointment', { params });
      else await api.call('updateAppointment', { params, body: { status } });
      await api.failure('updateAppointment', 409, { params, body: { status: 'PENDING' } });
    }
  },
  'Send a text message': async () => {
    const { userId, leadId } = records;
    const parts = { headers: { 'Idempotency-Key': 'once' }, body: { userId, leadId, message: 'On our way' } };
    const [first, again] = [await api.call('sendSms', parts), await api.answer('sendSms', parts)];
    expect(again.body).toEqual(first);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  },
  'Pause a webhook': async () => {
    const params = { webhookId: records.webhookId };
    const set = async (isEnabled: boolean) =>
      (await api.call('updateWebhook', { params, body: { isEnabled } })).webhook;
    expect(await set(false)).toMatchObject({ isEnabled: false, disabledReason: null });
    expect(await set(true)).toMatchObject({ isEnabled: true, disabledAt: null });
  },
  'Invite a person': async () => {
    const { id: invitationId } = await invite();
    const params = { invitationId };
    const { token } = recordIn(await carryOut('resendInvitation', { params }));
    await carryOut('deleteInvitation', { params });
    await clientFor(String(token)).failure(endpointOf('acceptInvitation'), 401, { params });
  },
  'Withdraw an invitation': async () => {
    const { id } = await invite();
    await carryOut('deleteInvitation', { params: { invitationId: id } });
    expect((await invite()).id).not.toBe(id);
  },
  'Accept an invitation': async () => {
    const { member } = await addMember();
    await carryOut('deleteMember', { params: { memberId: member.id } });
  },
  'Issue a token': async () => {
    const { id, value } = recordIn(await carryOut('createAccessToken'));
    await carryOut('deleteAccessToken', { params: { tokenId: Number(id) } });
    await clientFor(String(value)).failure(endpointOf('getToken'), 401);
  },
  'Rotate a token': async () => {
    const { id, value } = recordIn(await carryOut('createAccessToken'));
    await carryOut('rotateAccessToken', { params: { tokenId: Number(id) } });
    await clientFor(String(value)).answer(endpointOf('getToken'));
    await api.failure(endpointOf('rotateAccessToken'), 409, { params: { tokenId: Number(id) }, body: {} });
  },
  "Rotate a key's secret": async () => {
    expect(recordIn(await carryOut('rotateKeySecret'))).toMatchObject({ isSigned: true });
  },
  'Revoke a token': async () => {
    const { id } = recordIn(await carryOut('createAccessToken'));
    await carryOut('deleteAccessToken', { params: { tokenId: Number(id) } });
    await api.failure(endpointOf('rotateAccessToken'), 409, { params: { tokenId: Number(id) }, body: {} });
  },
  "Rotate a webhook's secret": async () => {
    const rotate = async () =>
      (await api.call('rotateWebhookSecret', { params: { webhookId: records.webhookId } })).secret;
    expect(await rotate()).not.toBe(await rotate());
  },
  'Send events to a webhook again': async () => {
    const taken = ['DELETE', 'PUT', 'PATCH'].flatMap((method) =>
      operations.filter(
        ({ endpoint }) => endpoint.method === method && endpoint.path.includes('/deliveries'),
      ),
    );
    expect(taken).toEqual([]);
    await carryOut('testWebhook');
  },
  'Try without storing': async () => {
    const counts = async () => [
      (await api.call('listLeads')).totalCount,
      (await api.call('listInquiries')).totalCount,
    ];
    const before = await counts();
    await carryOut('previewForm');
    const key = await ours.apiFor('receptionist:answer');
    await key.answer(endpointOf('answerRinging'), testedOperation('answerRinging').request(records, ++n));
    expect(await counts()).toEqual(before);
  },
};

describe('what can be undone, and what cannot, is as the page says', () => {
  test.each(rows)('$title', async ({ title }) => {
    expect(cases, `a case for the row "${title}"`).toHaveProperty([title]);
    await cases[title]!();
  });

  test('each operation that is no GET is in the table, and each case is a row', () => {
    const changing = operations.filter(({ endpoint }) => endpoint.method !== 'GET');
    const named = new Set(rows.flatMap(({ names }) => names));
    expect([...named].sort()).toEqual(changing.map(({ operationId }) => operationId).sort());
    expect(Object.keys(cases)).toEqual(rows.map(({ title }) => title));
  });
});
