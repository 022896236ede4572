import type { Command } from 'commander';
import * as v from 'valibot';
import { AdminError } from '../admin-error.ts';
import { addCommand, type Context, type Surroundings } from '../command.ts';
import { organization as organizationCode } from '../values.ts';
import { linesOf, reportJson } from './report.ts';
import { verifyOrganization } from './verify-organization.ts';
import { verifyTable, type TableReport } from './verify-table.ts';

const Values = v.pipe(
  v.object({
    organization: v.optional(organizationCode),
    all: v.optional(v.boolean(), false),
  }),
  v.check(
    ({ organization, all }) => organization === undefined || !all,
    '--organization and --all cannot be combined',
  ),
  v.check(
    ({ organization, all }) => organization !== undefined || all,
    'Say which organization: --organization CODE, or --all for every one',
  ),
);

/** `organization verify` */
export function addVerify(group: Command, surroundings: Surroundings): void {
  addCommand(
    group,
    {
      name: 'verify',
      summary: 'Prove that what is stored of an organization is whole, or tell what is wrong',
      details:
        'It reads only. Others may write meanwhile: none of their changes is taken for damage. ' +
        'Each finding is one line; with any, the exit code is 1.',
      usage: '(--organization CODE | --all)',
      options: [
        ['--organization <code>', 'the code of the organization, such as 6H8EV880'],
        [
          '--all',
          'every organization of the table, and whatever belongs to none: this scans the whole table',
        ],
      ],
      values: Values,
      examples: [
        'organization verify --local --organization 6H8EV880',
        'organization verify --stage prod --all --json',
      ],
      run: async ({ organization }, context) => {
        const report = await verify(organization, context);
        const findings = [...report.organizations.flatMap((one) => one.findings), ...report.strays];
        return {
          text: linesOf(report, context.place).join(''),
          json: reportJson(report),
          hasFindings: findings.length > 0,
        };
      },
    },
    surroundings,
  );
}

async function verify(
  organization: v.InferOutput<typeof Values>['organization'],
  { client, tableName, system, place }: Context,
): Promise<TableReport> {
  const access = { client, tableName, system };
  if (organization === undefined) return verifyTable(access);
  const report = await verifyOrganization(access, organization);
  if (report.items > 0) return { organizations: [report], strays: [] };
  throw new AdminError(
    `There is no organization ${organization} ${place}: check the code, and that it is from there.`,
  );
}
