import { loadRun } from './load-run.ts';
import type { OrganizationModel } from './run/model/organization-model.ts';
import type { Fields } from './run/same.ts';
import type { World } from './run/world.ts';

// The imports below must come after `loadRun`, which replaces modules of this process.
const { runEpisode, Figures, reportOf } = await loadRun();
const { listEvents } = await import('../../shared/domain/feed/list-events.ts');
const { withRecords } = await import('../../shared/domain/feed/with-records.ts');
const { newConsumedCapacity, openStore } = await import('../../shared/ledger/index.ts');
const { Failure } = await import('../../shared/core/failure.ts');
const { seededRandom } = await import('../../infra/local/demo/seeded-random.ts');
const { copyProgram } = await import('../support/docs/copy-program.ts');
const { everyFault } = await import('./behaviour.ts');
const { recordsAt } = await import('./run/records-at.ts');
const { same } = await import('./run/same.ts');
const { ledgerTable } = await import('./simulated-table.ts');
const { Violation } = await import('./run/violation.ts');

const { openCopy, step } = await copyProgram();

/** Number of times that a copy is compared, in all. */
const [seedText = '1', pointsText = '1000'] = process.argv.slice(2);
const [seed, wanted] = [Number(seedText), Number(pointsText)];
let points = 0;

/** Keeps a copy of an organization by the guide's program, and compares it whenever it has caught up. */
async function follow(world: World, model: OrganizationModel): Promise<void> {
  const { time, database } = world;
  const { random, randomBytes } = seededRandom(seed);
  const system = {
    now: () => Math.floor(time.now),
    random,
    randomBytes,
    sleep: (milliseconds: number) => time.sleep(milliseconds),
  };
  const client = database.connect({ name: 'copy', dead: false });
  const store = openStore(client, ledgerTable.name, system);
  const ask = async (path: string) => {
    const query = Object.fromEntries(new URL(path, 'https://api.example.com').searchParams);
    const deadline = system.now() + 10_000;
    const organization = model.code;
    const principal = { organization, userId: model.ownerId, deadline, capacity: newConsumedCapacity() };
    const ledger = store.ledgerOf(principal, { isSerializable: true });
    try {
      const { after = '0', limit } = query;
      const page = await listEvents(ledger, { after, limit: Number(limit) }, () => true);
      return { status: 200, body: await withRecords(ledger, page, () => '') };
    } catch (error) {
      if (error instanceof Failure && error.kind === 'unavailable') return { status: 503, retryAfter: 1 };
      throw error;
    }
  };
  const copy = openCopy(':memory:');
  let compared = 0;
  while (points < wanted && !world.violation) {
    let reached: { nextAfter: number; version: number } | undefined;
    const wait = await step(copy, async (path) => {
      const answer = await ask(path);
      reached = answer.body;
      return answer;
    });
    // Nobody has written since the head was read.
    if (reached?.nextAfter === model.version && compared < model.version) {
      compared = model.version;
      compare(copy.prepare('SELECT * FROM records').all(), model);
      points++;
    }
    await time.sleep(wait === 0 ? 0 : 200 * random());
  }
}

/** @throws Violation if the copy differs from the organization */
function compare(rows: Fields[], model: OrganizationModel): void {
  const copied = new Map(
    rows.map(({ type, id, record }) => [`${String(type)} ${String(id)}`, String(record)]),
  );
  const rule = 'A copy that has caught up must be the organization';
  for (const [name, expected] of recordsAt(model, model.version)) {
    const text = copied.get(name);
    const observed = text === undefined ? undefined : (JSON.parse(text) as Fields);
    if (!same(expected, observed)) throw new Violation(`${rule}: ${name}`, expected, observed);
    copied.delete(name);
  }
  if (copied.size > 0) throw new Violation(rule, [], [...copied.keys()]);
}

const { world, ...rest } = await runEpisode({
  seed,
  figures: new Figures(),
  beside: async (one) => {
    await Promise.all([...one.organizations.values()].map((model) => follow(one, model)));
  },
  // Writers pause, so that a copy catches up now and then.
  fixed: {
    organizations: 2,
    environments: 8,
    clients: { count: 4, pause: 400 },
    calls: 1000,
    hotness: 0.5,
    allowsServerErrors: true,
    behaviour: {
      faults: { ...everyFault(0), throttled: 0.01, replyLost: 0.005 },
      lateApplyChance: 0.1,
      lateApply: 60,
      lateIndexChance: 0.05,
      lateIndex: 250,
    },
  },
});
process.stdout.write(`${points}\n`);
if (world.violation) {
  process.stderr.write(reportOf({ world, ...rest }, seed, ''));
  process.exitCode = 1;
}
