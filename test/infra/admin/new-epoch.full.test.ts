import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { runAdmin } from '../../../infra/admin/run-admin.ts';
import { root } from '../../../infra/root.ts';
import { clientOf } from '../../../infra/local/engine.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { createLead } from '../../../shared/domain/leads/leads.ts';
import { headKey, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { admin } from '../../support/admin.ts';
import type { StoredOrganization } from '../../support/stored-organization.ts';
import { engine, newOrganization, newPlainTable } from '../../support/test-organization.ts';
import { stubAws } from './aws-stand-in.ts';
import { tableItems } from './stored-items.ts';

const client = clientOf(engine);
/** Tables with the same two organizations: a table in use, and a table that was restored from it. */
let [used, restored] = ['', ''];
let organizations: StoredOrganization[];
const itemsOf = (name: string) => tableItems(client, () => name);
const epochs = (name: string) =>
  Promise.all(
    organizations.map(async ({ code }) => String((await itemsOf(name).get(headKey(code)))['epoch'])),
  );
const newEpoch = (...more: string[]) =>
  admin(['organization', 'new-epoch', '--stage', 'prod', '--table', restored, ...more]);

beforeEach(async () => {
  stubAws({});
  [used, restored] = [await newPlainTable(), await newPlainTable()];
  organizations = [
    await newOrganization({ tableName: used }),
    await newOrganization({ country: 'NZ', tableName: used }),
  ].sort((one, other) => (one.code < other.code ? -1 : 1));
  for (const item of await itemsOf(used).all()) await itemsOf(restored).put(item);
});

test('the guide to a restore gives another epoch to every organization before anything uses its table', async () => {
  const guide = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const [, step = ''] = /^(\*\*3\. .*?before anything uses it[^]*?)^\*\*4\. /m.exec(guide) ?? [];
  const commands = [...step.matchAll(/^npm run admin -- (.*)$/gm)].map(([, words = '']) => words);
  expect(commands).toHaveLength(2);
  // From now on, the two tables store different events under the same numbers.
  const before = await epochs(used);
  for (const { ledger } of organizations.map((one) => one.openLedger()))
    await createLead(ledger, { name: 'Ann' });
  for (const words of commands) {
    const ended = await admin(words.replace('"$RESTORED"', restored).split(' '));
    expect(ended, words).toMatchObject({ code: 0, stderr: '' });
  }
  const after = await epochs(restored);
  for (const [at, { code }] of organizations.entries()) {
    expect(after[at]).toMatch(/^[0-9A-HJKMNP-TV-Z]{6}$/);
    expect(after[at]).not.toBe(before[at]);
    const { version } = await itemsOf(restored).get(headKey(code));
    const event = await itemsOf(restored).get(recordKey(code, 'EVENT', Number(version)));
    expect(event).toMatchObject({ event: 'EPOCH_BEGUN', referenceId: `org_${code}`, touched: '' });
  }
  expect(after[0]).not.toBe(after[1]);
  expect(await epochs(used)).toEqual(before);
});

test('one organization or all get another epoch each time, which is shown with the one before', async () => {
  const [one, other] = organizations.map(({ code }) => code);
  const seen = [await epochs(restored)];
  const sentences = (codes: readonly number[]) =>
    codes
      .map(
        (at) =>
          `${organizations[at]!.code} has the epoch ${seen.at(-1)![at]} from now on, and had ${seen.at(-2)![at]}.\n`,
      )
      .join('');
  for (const [option, codes] of [
    [['--organization', one!], [0]],
    [['--all'], [0, 1]],
    [['--all'], [0, 1]],
  ] as const) {
    const { code, stdout, stderr } = await newEpoch(...option);
    seen.push(await epochs(restored));
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: sentences(codes), stderr: '' });
  }
  expect(new Set(seen.map(([epoch]) => epoch)).size).toBe(4);
  const { stdout } = await newEpoch('--organization', other!, '--json');
  const [before, after] = [seen.at(-1)![1], (await epochs(restored))[1]];
  expect(JSON.parse(stdout)).toEqual({ epochs: [{ organization: other, before, after }] });
});

test('it can be stopped between two organizations, and run again', async () => {
  const before = await epochs(restored);
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const onInterrupt = (stop: () => void) => {
    stop();
    return () => undefined;
  };
  const args = ['organization', 'new-epoch', '--stage', 'prod', '--table', restored, '--all'];
  expect(await runAdmin(args, { print, printError: print, system: realSystem, onInterrupt })).toBe(1);
  expect(printed).toEqual([
    'The command was stopped: run it again, so that every organization gets another epoch.\n',
  ]);
  expect(await epochs(restored)).toEqual(before);
});

test('an organization that is damaged or was never founded is named, and does not keep others from theirs', async () => {
  const [one, other] = organizations.map(({ code }) => code);
  const items = itemsOf(restored);
  const head = await items.get(headKey(one!));
  const { version, epoch, ...rest } = head;
  const damage = `${one} gets no epoch, since it is damaged: "organization verify" tells how.\n`;
  const event = recordKey(one!, 'EVENT', Number(version) + 1);
  for (const item of [
    { ...head, form: 1 },
    { ...rest, version },
    { ...event, id: 1, revision: 1 },
  ]) {
    await items.put(item);
    const { code, stdout } = await newEpoch('--all');
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringMatching(new RegExp(`^${damage}${other} has the epoch \\w{6} from`)) as string,
    });
    await items.put(head);
  }
  const nowhere = await newEpoch('--organization', '00000000');
  expect(nowhere).toMatchObject({ code: 1, stdout: '' });
  expect(nowhere.stderr).toMatch(/^There is no organization 00000000 in the table /);
});
