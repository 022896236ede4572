import { beforeAll, describe, expect, test } from 'vitest';
import { createCategory } from '../../shared/domain/categories/categories.ts';
import { createServiceEndpoint } from '../../shared/contract/services.ts';
import { countServices, newName, newService } from '../support/services.ts';
import { setup, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await setup();
});

describe('a service is refused', () => {
  const integer = 'must be a whole number';
  const boolean = 'must be true or false';
  const prices = ['fixedPrice', 'hourlyRate', 'callOutFee', 'minPrice', 'maxPrice'];
  const flags = ['plusGST', 'plusMaterials', 'isCustomPriceResponseActive', 'isDisclosePrice', 'isActive'];

  test.each<[field: string, message: string, value: unknown]>([
    ['name', 'is required', undefined],
    ['name', 'is required', null],
    ['name', 'must be a string', 7],
    ['name', 'must not be empty', ''],
    ['name', 'must not be empty', ' \t'],
    ['name', 'must be at most 150 long', 'x'.repeat(151)],
    ['name', 'must be a single line of text', 'two\nlines'],
    ['name', 'must be valid Unicode text', '\ud800'],
    ['tradeCategoryId', 'is required', undefined],
    ['tradeCategoryId', 'is required', null],
    ['tradeCategoryId', 'must be a number', '1'],
    ['tradeCategoryId', 'must be at least 1', 0],
    ['tradeCategoryId', integer, 1.5],
    ['tradeCategoryId', 'must be at most 999999999999', 1e12],
    ['tradeCategoryId', 'names no category of the organization', 3],
    ['tradeCategoryId', 'names a category of type PRODUCT, not of type SERVICE', 2],
    ['tradeCategoryId', 'names no category of the organization', 999_999_999_999],
    ['description', 'must be at most 1400 long', 'x'.repeat(1401)],
    ['description', 'must be valid Unicode text', '\udc00'],
    ['duration', 'must be a number', '60'],
    ['duration', 'must be at least 1', 0],
    ['duration', 'must be at most 100000', 100_001],
    ['duration', integer, 1.5],
    ['durationUnit', 'must be one of MINUTES, HOURS, DAYS', 'WEEKS'],
    ['durationUnit', 'must be one of MINUTES, HOURS, DAYS', 'minutes'],
    ['followUpQuestions', 'must be an array', 'Where?'],
    ['followUpQuestions', 'must be at most 10 long', Array(11).fill('Where?')],
    ['followUpQuestions.0', 'must be a string', [7]],
    ['followUpQuestions.1', 'must not be empty', ['Where?', ' ']],
    ['followUpQuestions.1', 'must be at most 200 long', ['Where?', 'x'.repeat(201)]],
    ['followUpQuestions.0', 'must be a single line of text', ['a\nb']],
    ['pricingMode', 'must be one of NONE, FIXED, HOURLY, RANGE', 'FREE'],
    ...prices.flatMap((field): [string, string, unknown][] => [
      [field, 'must be a number', '1'],
      [field, 'must be at least 0', -0.01],
      [field, 'must be at most 1000000000', 1_000_000_000.01],
      [field, 'must have at most two decimals', 1.005],
    ]),
    ...flags.flatMap((field): [string, string, unknown][] => [[field, boolean, 'true']]),
    ['customPriceResponse', 'must be a string', 7],
    ['customPriceResponse', 'must be at most 1000 long', 'x'.repeat(1001)],
    ['customPriceResponse', 'must be valid Unicode text', '\ud800'],
    ['teamAssignmentMethod', 'must be one of PRIORITY_ORDER, ROUND_ROBIN', 'RANDOM'],
    ['price', 'is not a known field', 1],
    ['scenarioId', 'is not a known field', 1],
  ])('where %s %s (%#)', async (path, message, value) => {
    const [field = ''] = path.split('.');
    const body = { name: newName(), tradeCategoryId: 1, [field]: value };
    expect(await world.ours.api.failure(createServiceEndpoint, 400, { body })).toEqual({
      status: 400,
      message: `${path} ${message}`,
      details: [{ field: path, message }],
    });
  });

  const notWith = (mode: string) => `does not go with pricingMode ${mode}`;
  const requiredWith = (mode: string) => `is required with pricingMode ${mode}`;
  test.each<[prices: object, problems: Record<string, string>]>([
    [{ fixedPrice: 1 }, { fixedPrice: notWith('NONE') }],
    [
      { pricingMode: 'NONE', hourlyRate: 1, minPrice: 1, maxPrice: 2 },
      { hourlyRate: notWith('NONE'), minPrice: notWith('NONE'), maxPrice: notWith('NONE') },
    ],
    [{ pricingMode: 'FIXED' }, { fixedPrice: requiredWith('FIXED') }],
    [{ pricingMode: 'FIXED', fixedPrice: 1, hourlyRate: 1 }, { hourlyRate: notWith('FIXED') }],
    [{ pricingMode: 'HOURLY' }, { hourlyRate: requiredWith('HOURLY') }],
    [{ pricingMode: 'HOURLY', hourlyRate: 1, fixedPrice: 1 }, { fixedPrice: notWith('HOURLY') }],
    [{ pricingMode: 'RANGE' }, { minPrice: requiredWith('RANGE'), maxPrice: requiredWith('RANGE') }],
    [{ pricingMode: 'RANGE', minPrice: 2 }, { maxPrice: requiredWith('RANGE') }],
    [{ pricingMode: 'RANGE', minPrice: 2, maxPrice: 1.99 }, { maxPrice: 'must be at least minPrice' }],
  ])('for prices %j', async (prices, problems) => {
    const body = { name: newName(), tradeCategoryId: 1, ...prices };
    const { details } = await world.ours.api.failure(createServiceEndpoint, 400, { body });
    expect(details).toEqual(Object.entries(problems).map(([field, message]) => ({ field, message })));
  });

  test('with every problem named, and nothing stored', async () => {
    const { ours } = await setup();
    const body = { name: '', tradeCategoryId: 'x', duration: 0, isActive: 1, oops: 1 };
    const { details } = await ours.api.failure(createServiceEndpoint, 400, { body });
    expect(details?.map(({ field }) => field)).toEqual(Object.keys(body));
    await ours.api.failure(createServiceEndpoint, 400, { body: { name: 'x', tradeCategoryId: 3 } });
    expect(await countServices(ours)).toBe(0);
    expect(await newService(ours)).toMatchObject({ id: 1, scenario: { id: 1 } });
  });

  test("for another organization's category as for an unknown one", async () => {
    const { ours, theirs } = await setup();
    const category = await createCategory(theirs.openLedger().ledger, { name: 'Theirs', type: 'SERVICE' });
    const body = { name: 'Leak', tradeCategoryId: category.id };
    const error = await ours.api.failure(createServiceEndpoint, 400, { body });
    expect(error).toEqual(
      await ours.api.failure(createServiceEndpoint, 400, {
        body: { ...body, tradeCategoryId: category.id + 1 },
      }),
    );
    await newService(theirs, body);
  });
});
