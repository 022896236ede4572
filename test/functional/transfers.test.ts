import { beforeAll, describe, expect, test } from 'vitest';
import {
  createTransferEndpoint,
  updateTransferEndpoint,
  type Transfer,
} from '../../shared/contract/transfers.ts';
import { createService } from '../../shared/domain/services/services.ts';
import { setup, type TestOrganization, type World } from '../support/world.ts';
import { events } from '../../shared/ledger/index.ts';

const required = {
  method: 'WARM',
  destinationType: 'DEPARTMENT',
  destination: 'Emergencies',
  conditions: 'Water is running',
};

let world: World;
/** A scenario of ours only, and one whose number both organizations have. */
let scenarioId: number;
let sharedScenarioId: number;
beforeAll(async () => {
  world = await setup();
  sharedScenarioId = await addScenario('Blocked drain', world.theirs);
  expect(await addScenario('Blocked drain')).toBe(sharedScenarioId);
  scenarioId = await addScenario('Burst pipe');
});

/** Adds a scenario, which comes with a service. */
async function addScenario(name: string, organization = world.ours): Promise<number> {
  return (await createService(organization.openLedger().ledger, { name, tradeCategoryId: 1 })).scenario.id;
}

const create = async (body: object, { api }: TestOrganization = world.ours): Promise<Transfer> =>
  (await api.call(createTransferEndpoint, { body: { ...required, ...body } })).transfer;
const update = async (transferId: number, body: object, { api }: TestOrganization = world.ours) =>
  (await api.call(updateTransferEndpoint, { params: { transferId }, body })).transfer;

/** Events of the organization, newest first. */
const history = (organization: TestOrganization) =>
  organization.openLedger().ledger.page(events, { page: 1, limit: 100 });

describe('a transfer rule', () => {
  test('is created with all given fields', async () => {
    const given = {
      label: 'Burst pipes',
      name: 'Somebody is under water',
      method: 'COLD',
      destinationType: 'PHONE_NUMBER',
      destination: '+61491570156',
      conditions: ' Water is running,\nand cannot be turned off',
      summaryFormat: ' {name} called about {topic}:\n{summary}',
      settings: { ignore_business_hours: true },
      isEnabled: false,
      scenarioId,
    };
    const transfer = await create(given);
    expect(transfer).toEqual({
      id: transfer.id,
      ...given,
      createdAt: transfer.createdAt,
      updatedAt: transfer.createdAt,
    });
    expect(Math.abs(Date.parse(transfer.createdAt) - Date.now())).toBeLessThan(60_000);
    expect(await update(transfer.id, {})).toEqual(transfer);
  });

  test('is created with defaults for the rest, and the next number', async () => {
    const { ours } = await setup();
    const transfer = await create({ label: ' Tap ' }, ours);
    expect(transfer).toEqual({
      id: 1,
      label: 'Tap',
      name: 'Tap',
      ...required,
      summaryFormat: '',
      settings: { ignore_business_hours: false },
      isEnabled: true,
      scenarioId: null,
      createdAt: transfer.createdAt,
      updatedAt: transfer.createdAt,
    });
    expect(await create({ label: 'Sink', settings: {}, scenarioId: null }, ours)).toMatchObject({
      id: 2,
      settings: { ignore_business_hours: false },
      scenarioId: null,
    });
  });

  test.each([['method', ['WARM', 'COLD']]])('takes every %s', async (field, values) => {
    const { id } = await create({ label: `Every ${field}` });
    for (const value of values)
      expect(await update(id, { [field]: value })).toMatchObject({ [field]: value });
  });

  test('is changed in the given fields only', async () => {
    const transfer = await create({ label: 'Boiler', name: 'Boilers', summaryFormat: '{name}', scenarioId });
    const changes = {
      name: 'All boilers',
      method: 'COLD',
      destinationType: 'MEMBER',
      destination: '1',
      conditions: 'Always',
      summaryFormat: '',
      isEnabled: false,
    };
    const changed = await update(transfer.id, changes);
    expect(changed).toEqual({ ...transfer, ...changes, updatedAt: changed.updatedAt });
    expect(changed.updatedAt).not.toBe(transfer.updatedAt);
    expect(await update(transfer.id, {})).toEqual(changed);
  });

  test('keeps its name when its label changes', async () => {
    const { id } = await create({ label: 'Roof' });
    expect(await update(id, { label: 'Roofs' })).toMatchObject({ label: 'Roofs', name: 'Roof' });
  });

  test('has its settings merged', async () => {
    const { id } = await create({ label: 'Gas', settings: { ignore_business_hours: true } });
    const settings = async (given?: object) => (await update(id, { settings: given })).settings;
    expect(await settings()).toEqual({ ignore_business_hours: true });
    expect(await settings({})).toEqual({ ignore_business_hours: true });
    expect(await settings({ ignore_business_hours: false })).toEqual({ ignore_business_hours: false });
    expect(await settings({})).toEqual({ ignore_business_hours: false });
  });

  test('stays as it is, without an event, if nothing changes', async () => {
    const transfer = await create({ label: 'Valve', scenarioId, settings: { ignore_business_hours: true } });
    const { totalCount } = await history(world.ours);
    for (const body of [{}, transfer, { settings: {} }, { scenarioId }, { label: 'Valve' }]) {
      expect(await update(transfer.id, body)).toEqual(transfer);
    }
    expect((await history(world.ours)).totalCount).toBe(totalCount);
  });

  test('can be sent back as it was read, whatever its read-only fields say', async () => {
    const transfer = await create({ label: 'Hose' });
    const copy = await create({ ...transfer, label: 'Hose, copy' });
    expect(copy).toEqual({
      ...transfer,
      id: transfer.id + 1,
      label: 'Hose, copy',
      createdAt: copy.createdAt,
      updatedAt: copy.updatedAt,
    });
    const body = { ...transfer, id: copy.id, createdAt: 0, updatedAt: null, isEnabled: false };
    const changed = await update(transfer.id, body);
    expect(changed).toEqual({ ...transfer, isEnabled: false, updatedAt: changed.updatedAt });
    expect(await update(copy.id, {})).toEqual(copy);
  });

  test('may be as large as its contract says', async () => {
    // Such a character becomes six bytes of a key, the most that one can.
    const label = '\uFB2C'.repeat(150);
    const largest = {
      label,
      name: label,
      destination: '€'.repeat(200),
      conditions: '€'.repeat(2000),
      summaryFormat: '€'.repeat(1000),
    };
    const transfer = await create(largest);
    expect(transfer).toMatchObject(largest);
    expect(await update(transfer.id, {})).toEqual(transfer);
  });

  test('has an event when it is created and when it is changed', async () => {
    const transfer = await create({ label: 'Drain' });
    await update(transfer.id, { isEnabled: false });
    const { items } = await history(world.ours);
    const by = { referenceId: String(transfer.id), userId: world.ours.userId };
    expect(items.slice(0, 2)).toMatchObject([
      { event: 'TRANSFER_UPDATED', data: 'The transfer rule was changed', ...by },
      { event: 'TRANSFER_CREATED', data: 'The transfer rule was created', ...by },
    ]);
  });
});

describe('a scenario', () => {
  test('is linked, exchanged and unlinked', async () => {
    const transfer = await create({ label: 'Leak', scenarioId });
    expect(await update(transfer.id, { scenarioId: sharedScenarioId })).toMatchObject({
      scenarioId: sharedScenarioId,
    });
    expect(await update(transfer.id, { isEnabled: false })).toMatchObject({ scenarioId: sharedScenarioId });
    expect(await update(transfer.id, { scenarioId: null })).toMatchObject({ scenarioId: null });
    expect(await update(transfer.id, {})).toMatchObject({ scenarioId: null });
  });

  test.each([
    ['that does not exist', () => 999_999_999_999, () => world.ours],
    ["of another organization's", () => scenarioId, () => world.theirs],
  ])('%s is 400, and nothing is stored', async (what, scenarioOf, organizationOf) => {
    const organization = organizationOf();
    const transfer = await create({ label: `Scenario ${what}` }, organization);
    const { totalCount } = await history(organization);
    const message = 'names no scenario of the organization';
    const error = {
      status: 400,
      message: `scenarioId ${message}`,
      details: [{ field: 'scenarioId', message }],
    };
    const body = { ...required, label: 'Stray', scenarioId: scenarioOf() };
    expect(await organization.api.failure(createTransferEndpoint, 400, { body })).toEqual(error);
    const params = { transferId: transfer.id };
    expect(await organization.api.failure(updateTransferEndpoint, 400, { params, body })).toEqual(error);
    expect(await update(transfer.id, {}, organization)).toEqual(transfer);
    expect((await history(organization)).totalCount).toBe(totalCount);
  });
});

describe('a label', () => {
  const conflict = (existingId: number) => ({
    status: 409,
    message: 'Another transfer has this label',
    details: [{ field: 'label', message: 'is taken' }],
    existingId,
  });

  test('is unique, in any case; a name need not be', async () => {
    const { id } = await create({ label: 'Zoë’s Tap' });
    for (const label of ['Zoë’s Tap', ' ZOË’S TAP ', 'zoe\u0308’s tap']) {
      const body = { ...required, label };
      expect(await world.ours.api.failure(createTransferEndpoint, 409, { body })).toEqual(conflict(id));
    }
    await create({ label: 'Other', name: 'Zoë’s Tap' });
    await create({ label: 'Zoë’s Tap' }, world.theirs);
  });

  test('is free again once its rule has another', async () => {
    const { id } = await create({ label: 'Pump' });
    await update(id, { label: 'Big pump' });
    await create({ label: 'PUMP' });
    const body = { ...required, label: 'big PUMP' };
    expect(await world.ours.api.failure(createTransferEndpoint, 409, { body })).toEqual(conflict(id));
  });

  test('that is taken leaves the refused rule unchanged', async () => {
    const { api } = world.ours;
    const [first, second] = [await create({ label: 'Filter' }), await create({ label: 'Grille' })];
    const renamed = { params: { transferId: second.id }, body: { label: 'FILTER', isEnabled: false } };
    expect(await api.failure(updateTransferEndpoint, 409, renamed)).toEqual(conflict(first.id));
    expect(await update(second.id, {})).toEqual(second);
    // The rule keeps its own label.
    const body = { ...required, label: 'Grille' };
    expect(await api.failure(createTransferEndpoint, 409, { body })).toEqual(conflict(second.id));
  });

  test('may change its case, and stays taken', async () => {
    const { id } = await create({ label: 'Cistern' });
    expect(await update(id, { label: 'CISTERN' })).toMatchObject({ label: 'CISTERN' });
    const body = { ...required, label: 'cistern' };
    expect(await world.ours.api.failure(createTransferEndpoint, 409, { body })).toEqual(conflict(id));
  });
});

describe('a body', () => {
  let transfer: Transfer;
  beforeAll(async () => {
    transfer = await create({ label: 'As it was' });
  });
  const text = 'must be a string';

  test.each([
    ['label', 7, text],
    ['label', ' ', 'must not be empty'],
    ['label', 'x'.repeat(151), 'must be at most 150 long'],
    ['label', 'a\tb', 'must be a single line of text'],
    ['name', '', 'must not be empty'],
    ['name', 'x'.repeat(151), 'must be at most 150 long'],
    ['method', 'LUKEWARM', 'must be one of WARM, COLD'],
    ['destinationType', 'department', 'must be one of DEPARTMENT, MEMBER, PHONE_NUMBER'],
    ['destination', '', 'must not be empty'],
    ['destination', 'x'.repeat(201), 'must be at most 200 long'],
    ['conditions', ' \n', 'must not be empty'],
    ['conditions', 'x'.repeat(2001), 'must be at most 2000 long'],
    ['conditions', '\udc00', 'must be valid Unicode text'],
    ['summaryFormat', 'x'.repeat(1001), 'must be at most 1000 long'],
    ['settings', true, 'must be an object'],
    ['settings.ignore_business_hours', { ignore_business_hours: 'no' }, 'must be true or false'],
    ['settings.ignoreBusinessHours', { ignoreBusinessHours: true }, 'is not a known field'],
    ['isEnabled', 0, 'must be true or false'],
    ['scenarioId', '1', 'must be a number'],
    ['scenarioId', 0, 'must be at least 1'],
    ['scenarioId', 1.5, 'must be a whole number'],
    ['scenarioId', 1e12, 'must be at most 999999999999'],
    ['lable', 'Tap', 'is not a known field'],
  ])('with a wrong %s: %j', async (field, value, message) => {
    const body = { ...required, label: 'Never', [field.split('.')[0]!]: value };
    const error = { status: 400, message: `${field} ${message}`, details: [{ field, message }] };
    const { api } = world.ours;
    expect(await api.failure(createTransferEndpoint, 400, { body })).toEqual(error);
    const params = { transferId: transfer.id };
    expect(await api.failure(updateTransferEndpoint, 400, { params, body })).toEqual(error);
  });

  test('that is invalid changes nothing', async () => {
    expect(await update(transfer.id, {})).toEqual(transfer);
    await create({ label: 'Never' });
  });

  test.each(['label', ...Object.keys(required)])('without %s makes no rule', async (field) => {
    const body = { ...required, label: 'None', [field]: undefined };
    const { details } = await world.ours.api.failure(createTransferEndpoint, 400, { body });
    expect(details).toEqual([{ field, message: 'is required' }]);
  });
});

test.each(['0', '01', '-1', '1.5', '1e3', 'one', '%', '999999999999', '1000000000000'])(
  'no transfer rule has the id %s',
  async (transferId) => {
    const { api } = world.ours;
    expect(await api.failure(updateTransferEndpoint, 404, { params: { transferId }, body: {} })).toEqual({
      status: 404,
      message: 'There is no such transfer',
    });
  },
);

test("another organization's rule is unknown, and stays unchanged", async () => {
  const { ours, theirs } = await setup();
  const rules = [await create({ label: 'A' }, ours), await create({ label: 'B' }, ours)];
  // Both organizations have a rule with this number.
  const other = await create({ label: 'A' }, theirs);
  expect(other.id).toBe(rules[0]!.id);
  const { totalCount } = await history(ours);

  for (const body of [{}, { label: 'C' }, { scenarioId: 999 }, rules[1]!]) {
    const params = { transferId: rules[1]!.id };
    const answer = await theirs.api.failure(updateTransferEndpoint, 404, { params, body });
    expect(answer).toEqual(
      await theirs.api.failure(updateTransferEndpoint, 404, { params: { transferId: 77 }, body }),
    );
  }
  await update(other.id, { label: 'Changed' }, theirs);
  for (const rule of rules) expect(await update(rule.id, {}, ours)).toEqual(rule);
  expect((await history(ours)).totalCount).toBe(totalCount);
});
