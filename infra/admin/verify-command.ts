import type { Command } from 'commander';
import * as v from 'valibot';
import { AdminError, messageOf } from './admin-error.ts';
import { Failure } from '../../shared/core/failure.ts';
import type { OrganizationCode } from '../../shared/core/ids.ts';
import { addCommand, type CommandDependencies } from './command.ts';
import { repairAll } from './repair/repair-all.ts';
import {
  repairedJson,
  repairedLines,
  verifiedJson,
  verifiedLines,
  type RepairReport,
} from './repair/report.ts';
import { OneOrAll, organizationOption } from './values.ts';
import { findingsIn } from './verify/finding.ts';
import type { TableAccess } from './table/table-reads.ts';
import { verify } from './verify/verify-table.ts';

const Repair = v.pipe(
  v.object({ repair: v.optional(v.boolean(), false), yes: v.optional(v.boolean(), false) }),
  v.check(({ repair, yes }) => repair || !yes, '--yes goes with --repair alone'),
);

/** Adds `organization verify`. */
export function addVerify(group: Command, dependencies: CommandDependencies): void {
  addCommand(
    group,
    {
      name: 'verify',
      summary: 'Prove that the stored data of an organization has no damage, or list the damage',
      details:
        'The command only reads. Others may write meanwhile: none of their changes is reported as damage. Each finding is one ' +
        'line; with any, the exit code is 1.\n\n--repair lists the possible repairs and writes nothing. --repair --yes ' +
        'carries them out, verifies again, and lists what is left for an operator. Others may write meanwhile.',
      usage: '(--organization CODE | --all)',
      options: [
        organizationOption,
        [
          '--all',
          'every organization of the table, and whatever belongs to none: this scans the whole table',
        ],
        ['--repair', 'list the possible repairs, and write nothing'],
        ['--yes', 'with --repair: carry out the repairs'],
      ],
      values: v.intersect([OneOrAll, Repair]),
      examples: [
        'organization verify --local --organization 6H8EV880',
        'organization verify --stage prod --all --json',
        'organization verify --stage prod --table Restored --all',
        'organization verify --stage prod --organization 6H8EV880 --repair',
        'organization verify --stage prod --organization 6H8EV880 --repair --yes',
      ],
      run: async ({ organization, repair, yes }, { client, tableName, system, place }) => {
        const access = { client, tableName, system };
        const repaired = repair && yes ? await repairStored(access, organization) : undefined;
        const report = repaired?.remaining ?? (await verify(access, organization));
        const unknown = report.organizations.find(({ items }) => items === 0);
        if (unknown)
          throw new AdminError(
            `There is no organization ${unknown.organization} ${place}: check the code, and that it is from there.`,
          );
        return {
          lines: repaired ? repairedLines(repaired) : verifiedLines(report, place, repair),
          json: repaired ? repairedJson(repaired) : verifiedJson(report),
          hasFindings: findingsIn(report).length > 0,
        };
      },
    },
    dependencies,
  );
}

/** Repairs what the stored items tell. @throws AdminError if a write failed; earlier writes stay */
async function repairStored(
  access: TableAccess,
  organization: OrganizationCode | undefined,
): Promise<RepairReport> {
  try {
    return await repairAll(access, organization);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const reason = error.cause === undefined ? 'others wrote all the time' : messageOf(error.cause);
    throw new AdminError(
      `DynamoDB did not carry out all of it (${reason}). Finished repairs stay: run it again.`,
    );
  }
}
