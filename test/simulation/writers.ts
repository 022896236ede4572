import { seededRandom } from '../../infra/local/demo/seeded-random.ts';
import { maxBatchItems } from '../../shared/contract/batch.ts';
import { createLeads } from '../../shared/domain/leads/create-leads.ts';
import { createLead } from '../../shared/domain/leads/leads.ts';
import type { System } from '../../shared/core/system.ts';
import { updateProducts } from '../../shared/domain/products/batch.ts';
import { createProduct } from '../../shared/domain/products/products.ts';
import { createOrganization } from '../../shared/domain/organizations/found-organization.ts';
import { SimulatedDynamoDb, type Behaviour, type Sender } from './dynamodb.ts';
import { ledgerTable } from './simulated-table.ts';
import { VirtualTime } from './virtual-time.ts';
import { Failure } from '../../shared/core/failure.ts';
import { type Principal, type Ledger, newConsumedCapacity, openStore } from '../../shared/ledger/index.ts';

/** Concurrent writers of one organization. Each is a function that creates leads. */
export interface WriterLoad {
  name: string;
  /** Number of writers in a closed loop, or rate of random arrivals per second. */
  writers: number | { perSecond: number };
  /** Duration in milliseconds; undefined for one write per writer. */
  milliseconds?: number;
  /** Pause of a writer between its writes, in milliseconds. */
  pause?: number;
  /** Probability that a waiting writer dies. Another writer replaces it. */
  dying?: number;
  /** Milliseconds after the beginning at which all writers die that are under way. */
  allDieAt?: number;
  /** Milliseconds that a writer has for a write. */
  patience?: number;
  /** True if a writer uses one ledger for all its writes, as a batch or an import does. */
  batch?: boolean;
  /** Number of writers besides that use one ledger each, and write without a pause. Times and failures are those of the others. */
  loops?: number;
  /** True if the loops send batches of 100 changes of one product, each 5 ms after the last. */
  sendsBatches?: boolean;
  /** Leads per write, each with an email and a phone number; undefined for one lead with an email. */
  leads?: number;
}

/** Results of a load. Times are in milliseconds. */
export interface WriterOutcome {
  stored: number;
  failed: number;
  died: number;
  perSecond: number;
  leadsPerSecond: number;
  /** Writes per second of all `loops` together. */
  loopsPerSecond: number;
  p50: number;
  p99: number;
  /** Maximum number of writers under way at once. Each keeps a function of its own. */
  atOnce: number;
  /** 99th percentile of the time until a write failed; 0 if none did. */
  failedP99: number;
  /**
   * Per stored write: transactions sent, calls of any kind, and capacity units, also of refused transactions.
   */
  sent: number;
  calls: number;
  readUnits: number;
  writeUnits: number;
}

/** Lets the writers of a load write to one new organization. Equal seeds give equal results. */
export async function simulateWriters(
  load: WriterLoad,
  behaviour: Partial<Behaviour> = {},
  seed = 1,
): Promise<WriterOutcome> {
  const time = new VirtualTime();
  const { random, randomBytes } = seededRandom(seed);
  const engine = new SimulatedDynamoDb({ time, random, table: ledgerTable, behaviour });
  const sleep = (milliseconds: number) => time.sleep(milliseconds);
  const system: System = { now: () => time.now, random, randomBytes, sleep };
  // A function of 15 seconds leaves so many for its writes.
  const { patience = 13_500 } = load;
  const limits = () => ({ deadline: time.now + patience, capacity: newConsumedCapacity() });
  const storeOf = (sender: Sender, system: System) =>
    openStore(engine.connect(sender), ledgerTable.name, system);
  const newOwner = { firstName: 'Tess', lastName: 'Owner', email: 'tess@example.com' };
  const founded = await time.run(
    createOrganization(
      storeOf({ name: 'founder', dead: false }, system),
      limits(),
      {
        name: 'Test',
        country: 'AU',
        owner: newOwner,
        token: { name: 'Test', mode: 'test', scopes: ['write'] },
      },
      { random, randomBytes },
    ),
  );
  const before = structuredClone(engine.stats);
  const began = time.now;
  const end = began + (load.milliseconds ?? 0);
  const times: number[] = [];
  const timesToFail: number[] = [];
  let [died, inTime, started, looped] = [0, 0, 0, 0];

  /** Functions under way, and how each dies. */
  const underWay = new Set<() => void>();
  let atOnce = 0;
  if (load.allDieAt !== undefined)
    time.at(load.allDieAt, () => {
      for (const die of underWay) die();
    });

  /** Creates a function that may die at a random wait. No code of it runs after that. */
  const newFunction = (name: string) => {
    const sender: Sender = { name, dead: false };
    const death = Promise.withResolvers<'died'>();
    const doomed = load.dying !== undefined && random() < load.dying;
    let waits = doomed ? Math.floor(random() * 4) : Infinity;
    const die = () => {
      sender.dead = true;
      death.resolve('died');
    };
    const sleep = async (milliseconds: number) => {
      if (waits-- > 0) await time.sleep(milliseconds);
      else die();
      if (sender.dead) await new Promise(() => undefined);
    };
    return { store: storeOf(sender, { ...system, sleep }), death: death.promise, die };
  };
  const principalOf = (): Principal => ({ organization: founded.code, userId: founded.ownerId, ...limits() });
  const createMany = async (ledger: Ledger, count: number) => {
    const leads = Array.from({ length: count }, () => {
      const nth = started++;
      const phone = `+61491${String(nth).padStart(6, '0')}`;
      return { name: 'Ann Bell', email: `lead-${nth}@example.com`, phone };
    });
    const results = await createLeads(ledger, leads, () => undefined);
    return results.every(({ status }) => status === 'ok') ? 'stored' : 'failed';
  };
  const create = async (ledger: Ledger) => {
    if (load.leads !== undefined) return createMany(ledger, load.leads);
    try {
      await createLead(ledger, { name: 'Ann Bell', email: `lead-${started++}@example.com` });
      return 'stored';
    } catch (error) {
      if (error instanceof Failure && error.kind === 'unavailable') return 'failed';
      throw error;
    }
  };
  const write = async (ledger: Ledger, { death, die }: { death: Promise<'died'>; die: () => void }) => {
    const from = time.now;
    underWay.add(die);
    atOnce = Math.max(atOnce, underWay.size);
    const outcome = await Promise.race([create(ledger), death]);
    underWay.delete(die);
    if (outcome === 'died') died++;
    if (outcome === 'failed') timesToFail.push(time.now - from);
    if (outcome === 'stored') {
      times.push(time.now - from);
      if (time.now <= end) inTime++;
    }
    return outcome;
  };
  const closedLoop = async (writer: number) => {
    if (load.pause !== undefined) await time.sleep((writer * load.pause) / Number(load.writers));
    let fn = newFunction(`writer ${writer}`);
    const batch = load.batch ? fn.store.ledgerOf({ ...principalOf(), deadline: end + patience }) : undefined;
    do {
      const outcome = await write(batch ?? fn.store.ledgerOf(principalOf()), fn);
      // A client waits for `Retry-After`.
      if (outcome === 'failed') await time.sleep(1000);
      if (load.dying !== undefined) fn = newFunction(`writer ${writer} anew`);
      if (load.pause !== undefined) await time.sleep(load.pause);
    } while (time.now < end);
  };
  const arrivals = async (perSecond: number) => {
    const writes: Promise<unknown>[] = [];
    for (let writer = 0; time.now < end; writer++) {
      await time.sleep((-Math.log(1 - random()) * 1000) / perSecond);
      const fn = newFunction(`writer ${writer}`);
      writes.push(write(fn.store.ledgerOf(principalOf()), fn));
    }
    await Promise.all(writes);
  };
  const loop = async (writer: number) => {
    const { store } = newFunction(`loop ${writer}`);
    const ledger = store.ledgerOf({ ...principalOf(), deadline: end + patience });
    for (; time.now < end; looped++) await create(ledger);
  };
  const batches = async (writer: number) => {
    const { store } = newFunction(`batches ${writer}`);
    const newProduct = { name: `Tap ${writer}`, tradeCategoryId: 2, pricingType: 'NONE' } as const;
    const { id } = await createProduct(store.ledgerOf(principalOf()), newProduct);
    while (time.now < end) {
      const updates = Array.from({ length: maxBatchItems }, () => ({ id, description: `${looped++}` }));
      const results = await updateProducts(store.ledgerOf(principalOf()), { updates }, () => undefined);
      const failed = results.filter(({ status }) => status !== 'ok');
      if (failed.length > 0) throw new Error(`${failed.length} items of a batch failed`);
      await time.sleep(5);
    }
  };
  const many = (count: number, writer: (at: number) => Promise<void>) =>
    Array.from({ length: count }, (_, at) => writer(at));
  const { writers, loops = 0, sendsBatches = false } = load;
  const all = typeof writers === 'number' ? many(writers, closedLoop) : [arrivals(writers.perSecond)];
  await time.run(Promise.all([...all, ...many(loops, sendsBatches ? batches : loop)]));
  if (engine.problems.length > 0) throw new Error(engine.problems[0]);

  const took = time.now - began;
  const { stats } = engine;
  const each = (total: number) => total / (times.length + looped);
  const sum = (calls: Record<string, number>) => Object.values(calls).reduce((all, one) => all + one, 0);
  const quantile = (of: number[], share: number) =>
    of.sort((a, b) => a - b)[Math.max(0, Math.ceil(of.length * share) - 1)];
  // Batches are few, so those that the end cuts off matter.
  const perSecond =
    load.milliseconds === undefined || load.leads !== undefined
      ? (times.length * 1000) / took
      : (inTime * 1000) / load.milliseconds;
  return {
    stored: times.length,
    failed: timesToFail.length,
    died,
    perSecond,
    leadsPerSecond: perSecond * (load.leads ?? 1),
    loopsPerSecond: (looped * 1000) / (load.milliseconds ?? took),
    atOnce,
    p50: quantile(times, 0.5) ?? Infinity,
    p99: quantile(times, 0.99) ?? Infinity,
    failedP99: quantile(timesToFail, 0.99) ?? 0,
    sent: each(stats.transactions.sent - before.transactions.sent),
    calls: each(sum(stats.calls) - sum(before.calls)),
    readUnits: each(stats.units.read - before.units.read),
    writeUnits: each(stats.units.write - before.units.write),
  };
}

/** Loads of the report and of the tests. */
export const writerLoads = {
  one: { name: '1 writer, reading the head each time', writers: 1, milliseconds: 20_000 },
  batch: { name: '1 writer, as a batch or an import', writers: 1, milliseconds: 20_000, batch: true },
  batches: { name: '1 writer, batches of 100 leads', writers: 1, milliseconds: 3_000, leads: 100 },
  tenBatches: { name: '10 writers, batches of 100 leads', writers: 10, milliseconds: 3_000, leads: 100 },
  two: { name: '2 writers in turn, every 5 s each', writers: 2, milliseconds: 400_000, pause: 5000 },
  pair: { name: '2 writers', writers: 2, milliseconds: 20_000 },
  ten: { name: '10 writers', writers: 10, milliseconds: 20_000 },
  hundred: { name: '100 writers', writers: 100, milliseconds: 20_000 },
  threeHundred: { name: '300 writers', writers: 300, milliseconds: 20_000 },
  dying: { name: '100 writers, 2 % of waits end in death', writers: 100, milliseconds: 20_000, dying: 0.02 },
  random: { name: 'at random, 66 a second', writers: { perSecond: 66 }, milliseconds: 30_000 },
  overload: { name: 'at random, 200 a second', writers: { perSecond: 200 }, milliseconds: 60_000 },
  besideLoop: {
    name: 'at random, 10 a second beside an import',
    writers: { perSecond: 10 },
    loops: 1,
    milliseconds: 30_000,
  },
  besideLoops: {
    name: 'at random, 10 a second beside 2 imports',
    writers: { perSecond: 10 },
    loops: 2,
    milliseconds: 30_000,
  },
  besideBatches: {
    name: 'at random, 10 a second beside batches',
    writers: { perSecond: 10 },
    loops: 1,
    sendsBatches: true,
    milliseconds: 30_000,
  },
  burst: { name: 'burst of 100', writers: 100 },
} as const satisfies Record<string, WriterLoad>;
