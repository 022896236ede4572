import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordLine } from '../../infra/admin/copy/format.ts';
import type { OrganizationCode } from '../../shared/core/ids.ts';
import { loadRun } from './load-run.ts';
import type { OrganizationModel } from './run/model/organization-model.ts';
import type { Fields } from './run/same.ts';
import type { World } from './run/world.ts';

// The imports below must come after `loadRun`, which replaces modules of this process.
const { runEpisode, Figures, reportOf } = await loadRun();
const { exportOrganization } = await import('../../infra/admin/copy/export-organization.ts');
const { seededRandom } = await import('../../infra/local/demo/seeded-random.ts');
const { attributesOf, inOrder } = await import('./run/model/history.ts');
const { everyFault } = await import('./behaviour.ts');
const { same, without } = await import('./run/same.ts');
const { ledgerTable } = await import('./simulated-table.ts');

const rule = 'An export must be the organization as it was at one version';

const linesIn = (folder: string, name: string): string[] =>
  readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');

/**
 * Reads the records of a copy, by the names of their items. Derived attributes are missing, as in the copy.
 */
function recordsIn(folder: string, model: OrganizationModel): Map<string, Fields> {
  const records = new Map<string, Fields>();
  for (const file of readdirSync(folder)) {
    if (file === 'organization.jsonl') continue;
    const collection = file
      .replace(/ies\.jsonl$/, 'y')
      .replace(/s\.jsonl$/, '')
      .toUpperCase();
    for (const line of linesIn(folder, file)) {
      const { number, revision, record, claimed, lists, places = {}, more } = JSON.parse(line) as RecordLine;
      const inIndexes = Object.entries(places).flatMap(([index, [partition, rank]]) => [
        [`${index}pk`, `ORG#${model.code}#${partition}`],
        [`${index}sk`, rank],
      ]);
      records.set(
        model.nameOf(collection, number),
        inOrder({
          ...record,
          ...more,
          ...(claimed && { claimed }),
          ...(lists && { lists }),
          ...(Object.fromEntries(inIndexes) as Fields),
          revision,
        }),
      );
    }
  }
  return records;
}

/** Attributes that an export leaves out because the record implies them. */
const derived = [6, 7, 8, 9].flatMap((index) => [`gsi${index}pk`, `gsi${index}sk`]);

/** Attributes that an export keeps back, by collection: see `keptBack` in infra/admin/copy/record-lines.ts. */
const keptBack: Record<string, string[]> = { TOKEN: ['hash', 'signingSecret'], WEBHOOK: ['secrets'] };

/** Compares every record of a copy with the model at the copy's version. @throws Error for a difference */
function compare(folder: string, model: OrganizationModel): number {
  const head = JSON.parse(linesIn(folder, 'organization.jsonl')[0]!) as Fields;
  const version = Number(head['version']);
  if (!same(model.headListsAt(version), head['lists'])) throw differ('the lists of the head', model, head);
  const records = recordsIn(folder, model);
  for (const [name, stored, revision] of model.storedAt(version)) {
    const [, collection] = /^ORG#\w{8}#([A-Z]+) \d{12}$/.exec(name) ?? [];
    if (collection === undefined) continue;
    const hidden = [...derived, ...(keptBack[collection] ?? [])];
    const expected = { ...without(inOrder(attributesOf(stored)), ...hidden), revision };
    const observed = records.get(name);
    if (!same(expected, observed)) throw differ(`${name} at ${version}`, expected, observed);
    records.delete(name);
  }
  if (records.size > 0) throw differ(`no such records at ${version}`, [], [...records.keys()]);
  return version;
}

const differ = (what: string, expected: unknown, observed: unknown) =>
  new Error(`${rule}: ${what}: ${JSON.stringify({ expected, observed })}`);

/** Exports every organization repeatedly while clients write. Prints the versions. */
async function exportAll(world: World, folder: string, seed: number): Promise<void> {
  const { random, randomBytes } = seededRandom(seed);
  const { time, database } = world;
  const client = database.connect({ name: 'export', dead: false });
  const system = {
    now: () => Math.floor(time.now),
    random,
    randomBytes,
    sleep: (milliseconds: number) => time.sleep(milliseconds),
  };
  const access = { client, tableName: ledgerTable.name, system };
  let last = '';
  for (let round = 0; round < rounds && !world.violation; round++) {
    await time.sleep(1000 * random());
    for (const [code, model] of world.organizations) {
      const path = join(folder, `${round}-${code}`);
      const began = model.version;
      await exportOrganization(access, code as OrganizationCode, path);
      const version = compare(path, model);
      process.stdout.write(`${code} ${began} ${version} ${model.version}\n`);
      if (last !== '') rmSync(last, { recursive: true });
      last = path;
    }
  }
}

const rounds = 2;
const [folder = '', seedText = '1'] = process.argv.slice(2);
const seed = Number(seedText);
mkdirSync(folder, { recursive: true });
const { world, ...rest } = await runEpisode({
  seed,
  figures: new Figures(),
  beside: (one) => exportAll(one, folder, seed),
  // Twenty writers write at full speed, half of the time to the same organization.
  fixed: {
    organizations: 2,
    environments: 20,
    clients: { count: 20, pause: 0 },
    calls: 1000,
    hotness: 0.6,
    deaths: 0,
    allowsServerErrors: true,
    // Many transactions take long to apply their items.
    behaviour: {
      faults: { ...everyFault(0), throttled: 0.01, replyLost: 0.005 },
      unprocessedChance: 0.1,
      lateApplyChance: 0.1,
      lateApply: 300,
    },
  },
});
if (world.violation) {
  process.stderr.write(reportOf({ world, ...rest }, seed, ''));
  process.exitCode = 1;
}
