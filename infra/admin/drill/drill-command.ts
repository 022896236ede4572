import type { Command } from 'commander';
import * as v from 'valibot';
import { dollarsFor, prices } from '../../prices.ts';
import { canBeDeployed, type Stage } from '../../stack/stage.ts';
import {
  addCommand,
  commandLine,
  type CommandContext,
  type CommandDependencies,
  type CommandResult,
} from '../command.ts';
import { counted, duration, facts } from '../output.ts';
import { foundLines, verifiedJson } from '../repair/report.ts';
import { moment } from '../values.ts';
import { findingsIn } from '../verify/finding.ts';
import { verifyTable } from '../verify/verify-table.ts';
import { DrillTables, type LeftTable } from './drill-tables.ts';

/** An option without a value. */
const flag = v.optional(v.boolean(), false);
const Values = v.pipe(
  v.object({
    stage: v.pipe(
      v.optional(v.string(), 'local'),
      v.check(
        canBeDeployed,
        'must be given: a drill restores the table of a deployed stage, and the local machine cannot restore',
      ),
    ),
    table: v.optional(v.string()),
    at: v.optional(moment),
    keep: flag,
    removeLeft: flag,
  }),
  v.check(
    ({ table }) => table === undefined,
    'A drill restores the table that the stage uses: leave --table out',
  ),
  v.check(
    ({ at, keep, removeLeft }) => !removeLeft || (at === undefined && !keep),
    '--remove-left begins no drill: leave --at and --keep out',
  ),
);

/** Adds `drill`. */
export function addDrill(root: Command, dependencies: CommandDependencies): void {
  addCommand(
    root,
    {
      name: 'drill',
      summary:
        "Practise a restore of a stage's table: restore it into another table, verify that, and remove it",
      details:
        'The command reports how long each step takes; a restore takes at least some 20 minutes. The table in use is not ' +
        'touched. The exit code is 1 if the restored data has damage. Ctrl-C stops a drill. If a drill leaves its table ' +
        'behind, the next drill names the table, and --remove-left removes it.',
      usage: '',
      tables: '--stage STAGE',
      options: [
        ['--at <time>', 'restore this moment (default: the latest possible one, some five minutes ago)'],
        ['--keep', 'keep the restored table, to look into it'],
        ['--remove-left', 'begin no drill: remove the tables that earlier drills have left or kept'],
      ],
      isLong: true,
      values: Values,
      examples: [
        'drill --stage prod',
        'drill --stage prod --at 2026-11-22T08:55:00Z --keep',
        'drill --stage prod --remove-left',
      ],
      run: async ({ stage, at, keep, removeLeft }, context) => {
        const { client, system, tableName, progress } = context;
        const tables = new DrillTables({ client, system, stage, source: tableName, progress });
        const left = await tables.left();
        return removeLeft ? remove(tables, left, context) : drill({ tables, stage, at, keep, left }, context);
      },
    },
    dependencies,
  );
}

async function remove(
  tables: DrillTables,
  left: readonly LeftTable[],
  { place }: Pick<CommandContext, 'place'>,
): Promise<CommandResult> {
  const lines = left.length === 0 ? [`No drill has left a table ${place}.`] : [];
  for (const { name, staysBecause: reason } of left) {
    if (reason === undefined) await tables.remove(name);
    lines.push(reason === undefined ? `${name} is removed.` : `${name} stays, because ${reason}.`);
  }
  return { lines, json: { left }, hasFindings: left.some(({ staysBecause }) => staysBecause !== undefined) };
}

interface Drill {
  tables: DrillTables;
  stage: Stage;
  at: Date | undefined;
  keep: boolean;
  left: readonly LeftTable[];
}

async function drill(
  { tables, stage, at, keep, left }: Drill,
  context: CommandContext,
): Promise<CommandResult> {
  const { tableName: source, client, system, progress, signal } = context;
  const again = `${commandLine} drill --stage ${stage}`;
  const seconds: Partial<Record<'restore' | 'verify' | 'remove', number>> = {};
  const timed = async <T>(step: keyof typeof seconds, act: () => Promise<T>): Promise<T> => {
    const began = system.now();
    const result = await act();
    seconds[step] = (system.now() - began) / 1000;
    return result;
  };
  for (const { name, status } of left)
    progress(
      `An earlier drill left ${name}, or a drill still runs: it is ${status}. "${again} --remove-left" removes it, or says why not.`,
    );
  const gigabytes = ((await tables.describe(source))?.TableSizeBytes ?? 0) / 1024 ** 3;
  const price = dollarsFor(prices.dynamodb.restores, gigabytes).toFixed(2);
  const table = await tables.restore(at);
  progress(
    `${source} is being restored into ${table}: ${gigabytes.toFixed(1)} GB, for some ${price} dollars.`,
  );
  const saying = (error: unknown) => {
    progress(`${table} may be left: "${again} --remove-left" removes it as soon as it is ACTIVE.`);
    throw error;
  };
  const restored = await timed('restore', () => tables.usable(table, signal)).catch(saying);
  const moment = (restored.RestoreSummary?.RestoreDateTime ?? at)?.toISOString() ?? 'an unknown moment';
  progress(`${table} has the data of ${moment}, and is being verified.`);
  const verified = timed('verify', () => verifyTable({ client, tableName: table, system, stop: signal }));
  // The table is removed also if it could not be verified.
  await verified.catch(() => undefined);
  if (keep) progress(`${table} is kept, and charged for: "${again} --remove-left" removes it.`);
  else await timed('remove', () => tables.remove(table, { isProtected: true })).catch(saying);
  const report = await verified;
  const [findings, whole] = [findingsIn(report).length, report.organizations.length];
  const failed = [
    `The drill failed, by ${counted(findings)} of the lines above.`,
    `First verify the table in use: "${commandLine} organization verify --stage ${stage} --all".`,
    'If it is whole, the restore has a part of a write: drill again with --at, some seconds earlier.',
    `"${again} --at ${moment} --keep" restores the same data again, to look into it.`,
  ];
  const passed =
    whole === 0
      ? 'The drill shows nothing: there is no organization in the restored table.'
      : `The drill succeeded: all organizations are whole, ${counted(whole)} in number.`;
  return {
    lines: [
      `${source} of ${moment} was restored into ${table}.`,
      ...facts(Object.entries(seconds).map(([step, taken]) => [step, duration(taken)])),
      ...foundLines(report),
      ...(findings > 0 ? failed : [passed]),
    ],
    json: { source, table, moment, isKept: keep, seconds, left, ...verifiedJson(report) },
    hasFindings: findings > 0 || whole === 0,
  };
}
