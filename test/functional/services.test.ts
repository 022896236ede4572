import { beforeAll, describe, expect, test } from 'vitest';
import { createCategory } from '../../shared/domain/categories/categories.ts';
import { listOrganizationServicesEndpoint } from '../../shared/contract/organization.ts';
import { getScenarioEndpoint } from '../../shared/contract/scenarios.ts';
import { createServiceEndpoint, getServiceEndpoint, type Service } from '../../shared/contract/services.ts';
import { addScenarioOfService } from '../../shared/domain/scenarios/scenarios.ts';
import { services } from '../../shared/domain/services/services.ts';
import { countServices, newName, newService } from '../support/services.ts';
import { setup, type TestOrganization, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await setup();
});

describe('a service', () => {
  test('is created with the given fields, and defaults for the rest', async () => {
    const body = {
      name: 'Blocked drain',
      description: 'Clear a blocked drain',
      followUpQuestions: ['Which drain?', 'Since when?'],
      duration: 90,
      durationUnit: 'MINUTES',
      tradeCategoryId: 1,
      pricingMode: 'NONE',
    };
    const service = await newService(world.ours, body);
    expect(service).toEqual({
      id: service.id,
      ...body,
      fixedPrice: 0,
      hourlyRate: 0,
      callOutFee: 0,
      minPrice: 0,
      maxPrice: 0,
      plusGST: false,
      plusMaterials: false,
      isCustomPriceResponseActive: false,
      customPriceResponse: null,
      isDisclosePrice: false,
      isActive: true,
      teamAssignmentMethod: 'PRIORITY_ORDER',
      scenario: {
        id: service.scenario.id,
        response: '',
        questions: [
          { question: 'Which drain?', answerOptions: [] },
          { question: 'Since when?', answerOptions: [] },
        ],
        outcome: { type: 'continueCall', property1: null, property2: null },
      },
      createdAt: service.createdAt,
      updatedAt: service.createdAt,
    });
    expect(Math.abs(Date.parse(service.createdAt) - Date.now())).toBeLessThan(60_000);
  });

  test('needs only a name and a category', async () => {
    const { ours } = await setup();
    const service = await newService(ours, { name: '  Leak  ', tradeCategoryId: 1 });
    expect(service).toMatchObject({
      id: 1,
      name: 'Leak',
      tradeCategoryId: 1,
      description: '',
      duration: 60,
      durationUnit: 'MINUTES',
      followUpQuestions: [],
      pricingMode: 'NONE',
      scenario: { id: 1, questions: [] },
    });
    expect(await newService(ours, { name: 'Another' })).toMatchObject({ id: 2, scenario: { id: 2 } });
  });

  const everything = {
    description: 'All\nof it',
    duration: 2,
    durationUnit: 'HOURS',
    followUpQuestions: ['Where?'],
    tradeCategoryId: 1,
    callOutFee: 89.95,
    plusGST: true,
    plusMaterials: true,
    isCustomPriceResponseActive: true,
    customPriceResponse: 'It depends',
    isDisclosePrice: true,
    isActive: false,
    teamAssignmentMethod: 'ROUND_ROBIN',
  };
  test.each([
    { pricingMode: 'NONE' },
    { pricingMode: 'FIXED', fixedPrice: 180.5 },
    { pricingMode: 'HOURLY', hourlyRate: 120 },
    { pricingMode: 'RANGE', minPrice: 100, maxPrice: 250.25 },
    { pricingMode: 'RANGE', minPrice: 100, maxPrice: 100 },
    { pricingMode: 'FIXED', fixedPrice: 0, hourlyRate: 0, minPrice: 0, maxPrice: 0 },
  ])('keeps every writable field, is read as it was answered, and can be sent back: %j', async (prices) => {
    const { api } = world.ours;
    const given = { name: newName(), ...everything, ...prices };
    const service = await newService(world.ours, given);
    expect(service).toEqual({
      ...{ fixedPrice: 0, hourlyRate: 0, minPrice: 0, maxPrice: 0 },
      ...given,
      id: service.id,
      scenario: service.scenario,
      createdAt: service.createdAt,
      updatedAt: service.updatedAt,
    });
    const { body } = await api.answer(getServiceEndpoint, { params: { serviceId: service.id } });
    expect(body).toEqual({ service });

    const copy = await newService(world.ours, { ...body.service, name: newName() });
    expect(copy).toEqual({
      ...service,
      id: copy.id,
      name: copy.name,
      scenario: { ...service.scenario, id: copy.scenario.id },
      createdAt: copy.createdAt,
      updatedAt: copy.updatedAt,
    });
    expect([copy.id, copy.scenario.id]).not.toEqual([service.id, service.scenario.id]);
  });

  test('may have the longest texts and the largest numbers', async () => {
    const given = {
      // NFC writes each of these as six bytes of a key.
      name: '\ufb2c'.repeat(150),
      description: '\u20ac'.repeat(1400),
      duration: 100_000,
      durationUnit: 'DAYS',
      followUpQuestions: Array.from({ length: 10 }, () => '\u20ac'.repeat(200)),
      pricingMode: 'RANGE',
      minPrice: 0.01,
      maxPrice: 1_000_000_000,
      callOutFee: 999_999_999.99,
      customPriceResponse: '\u20ac'.repeat(1000),
    };
    const service = await newService(world.ours, given);
    expect(service).toMatchObject(given);
    expect(await newService(world.ours, { duration: 1 })).toMatchObject({ duration: 1 });
    const { body } = await world.ours.api.answer(getServiceEndpoint, { params: { serviceId: service.id } });
    expect(body).toEqual({ service });
  });

  test('is read with its scenario, a call for each', async () => {
    const { id } = await newService(world.ours);
    const { cost } = await world.ours.api.answer(getServiceEndpoint, { params: { serviceId: id } });
    expect(cost).toEqual({ calls: 2, readUnits: 2, writeUnits: 0 });
  });

  test('with an unknown id is 404', async () => {
    const { ours } = await setup();
    await newService(ours);
    for (const serviceId of ['2', '0', '-1', '01', '1.0', '1e0', 'one', '999999999999', '1000000000000']) {
      expect(await ours.api.failure(getServiceEndpoint, 404, { params: { serviceId } })).toEqual({
        status: 404,
        message: 'There is no such service',
      });
    }
  });
});

describe('a second service of the same name', () => {
  test.each([
    ['Blocked Toilet', 'Blocked Toilet'],
    ['Blocked Sink', 'BLOCKED sink'],
    ['Blocked Gutter', '  blocked gutter '],
    ['Zo\u00eb', 'ZO\u00cb'],
    ['Caf\u00e9', 'CAFE\u0301'],
    ['\u041a\u0440\u0430\u043d', '\u043a\u0440\u0410\u041d'],
    // In lower case this letter with its caron is one character, in upper case two.
    ['\u01f0', 'J\u030c'],
    ['Stra\u00dfe', 'STRASSE'],
    ['\u039f\u0394\u039f\u03a3', '\u03bf\u03b4\u03bf\u03c2'],
    ['\ufb01re', 'FIRE'],
  ])('is refused in its category, in any case, and named: %s, %s', async (name, again) => {
    const { ours } = world;
    const service = await newService(world.ours, { name });
    const count = await countServices(ours);
    expect(
      await ours.api.failure(createServiceEndpoint, 409, { body: { name: again, tradeCategoryId: 1 } }),
    ).toEqual({
      status: 409,
      message: 'Another service has this name in the same category',
      details: [{ field: 'name', message: 'is taken' }],
      existingId: service.id,
    });
    expect(await countServices(ours)).toBe(count);
  });

  test('is created in another category, and in another organization', async () => {
    const { ours, theirs } = await setup();
    const body = { name: 'Leak' };
    const { id } = await createCategory(ours.openLedger().ledger, { name: 'More', type: 'SERVICE' });
    expect(await newService(ours, body)).toMatchObject({ name: 'Leak', tradeCategoryId: 1 });
    expect(await newService(ours, { ...body, tradeCategoryId: id })).toMatchObject({ tradeCategoryId: id });
    await newService(theirs, body);
  });

  test('is refused if both come at once', async () => {
    const { ours } = await setup();
    const body = { name: 'Leak', tradeCategoryId: 1 };
    const answers = await Promise.all([1, 2].map(() => ours.api.attempt(createServiceEndpoint, { body })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await countServices(ours)).toBe(1);
  });
});

describe('one service more than an organization can have', () => {
  /** Stores copies of a service, many in one transaction, which the verb cannot. */
  async function copy(organization: TestOrganization, service: Service, count: number) {
    const { ledger } = organization.openLedger();
    const { scenario, ...fields } = service;
    // Copies that fit into one transaction, each with its scenario, event and name, besides the head.
    const perWrite = 32;
    for (let left = count; left > 0; left -= perWrite) {
      await ledger.write({}, (write) => {
        for (let at = 0; at < Math.min(left, perWrite); at++) {
          const { number } = write.next(services);
          // A name as long as the first one, and unique.
          const name = `${fields.name.slice(0, -3)}${String(number).padStart(3, '0')}`;
          const copied = { ...fields, id: number, name };
          const { id } = addScenarioOfService(write, { tradeServiceId: number, ...copied });
          write.append(services, () => ({ ...copied, scenarioId: id }));
        }
        write.event({ event: 'TEST', data: 'Services were copied', referenceId: '1' });
      });
    }
  }

  test('is 400', async () => {
    const { ours } = await setup();
    // The largest possible service: the answer is JSON within JSON, where a quote takes four bytes.
    const largest = await newService(ours, {
      name: '"'.repeat(150),
      description: '"'.repeat(1400),
      followUpQuestions: Array.from({ length: 10 }, () => '"'.repeat(200)),
    });
    await copy(ours, largest, 398);
    const { id: tradeCategoryId } = await createCategory(ours.openLedger().ledger, {
      name: 'More',
      type: 'SERVICE',
    });
    // Of two requests at once, one creates the last service that is allowed.
    const answers = await Promise.all(
      ['One', 'Two'].map((name) =>
        ours.api.attempt(createServiceEndpoint, { body: { name, tradeCategoryId } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    const message = 'An organization has at most 400 services';
    const body = { name: 'Three', tradeCategoryId };
    expect(await ours.api.failure(createServiceEndpoint, 400, { body })).toEqual({
      status: 400,
      message,
      details: [{ field: '', message }],
    });

    const list = await ours.api.call(listOrganizationServicesEndpoint);
    expect(list.totalServices).toBe(400);
    expect(list.categories.map((category) => category.services.length)).toEqual([399, 0, 1]);
    expect(list.categories[0]!.services.map(({ id }) => id)).toEqual(
      Array.from({ length: 399 }, (_, at) => at + 1),
    );
    // Close to the 6 MB that a function can answer; the machine refuses more.
    expect(Buffer.byteLength(JSON.stringify({ body: JSON.stringify(list) }))).toBeGreaterThan(
      5 * 1024 * 1024,
    );
  });
});

describe('a scenario', () => {
  test('is created with its service', async () => {
    const service = await newService(world.ours, { followUpQuestions: ['Where?', 'When?'], isActive: false });
    const { id, response, questions, outcome } = service.scenario;
    const { body, cost } = await world.ours.api.answer(getScenarioEndpoint, { params: { scenarioId: id } });
    expect(body).toEqual({
      scenario: {
        id,
        name: service.name,
        prompt: '',
        response: '',
        isActive: true,
        questions: [
          { question: 'Where?', answerOptions: [] },
          { question: 'When?', answerOptions: [] },
        ],
        outcome: { type: 'continueCall', property1: null, property2: null },
        tradeServiceId: service.id,
        createdAt: service.createdAt,
        updatedAt: service.createdAt,
      },
    });
    expect(body.scenario).toMatchObject({ response, questions, outcome });
    expect(cost).toEqual({ calls: 1, readUnits: 1, writeUnits: 0 });
  });

  test('with an unknown id is 404', async () => {
    const { ours } = await setup();
    await newService(ours);
    for (const scenarioId of ['2', '0', '-1', '01', '1.0', 'one', '999999999999', '1000000000000']) {
      expect(await ours.api.failure(getScenarioEndpoint, 404, { params: { scenarioId } })).toEqual({
        status: 404,
        message: 'There is no such scenario',
      });
    }
  });
});

test('services and scenarios are never shown to another organization', async () => {
  const { ours, theirs } = await setup();
  // Both organizations have a service 1; only the other has a second.
  await newService(ours, { name: 'Ours' });
  await newService(theirs, { name: 'Theirs' });
  const { id, scenario } = await newService(theirs);
  expect(await ours.api.failure(getServiceEndpoint, 404, { params: { serviceId: id } })).toEqual(
    await ours.api.failure(getServiceEndpoint, 404, { params: { serviceId: 99 } }),
  );
  expect(await ours.api.failure(getScenarioEndpoint, 404, { params: { scenarioId: scenario.id } })).toEqual(
    await ours.api.failure(getScenarioEndpoint, 404, { params: { scenarioId: 99 } }),
  );
  expect(await ours.api.call(getServiceEndpoint, { params: { serviceId: 1 } })).toMatchObject({
    service: { name: 'Ours' },
  });
  expect(await ours.api.call(getScenarioEndpoint, { params: { scenarioId: 1 } })).toMatchObject({
    scenario: { name: 'Ours' },
  });
});
