import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { Failure } from '../../../shared/core/failure.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { ownerIdOf } from '../../../shared/domain/members/members.ts';
import { beginFromCopy } from '../../../shared/domain/organizations/organizations.ts';
import { NoHead } from '../../../shared/ledger/index.ts';
import { AdminError, messageOf } from '../admin-error.ts';
import { commandLine, defineCommand } from '../command.ts';
import { noOrganization } from '../organization.ts';
import { counted, facts, progressOf, shownOnce, tokenFacts } from '../output.ts';
import { expiry, organization, organizationOption } from '../values.ts';
import { exportOrganization } from './export-organization.ts';
import { discardImport, importOrganization } from './import-organization.ts';

const folderArgument = ['<folder>', 'the folder of the copy'] as const;
const folder = v.pipe(v.string('must be named'), v.minLength(1, 'must be named'));

/** An error of a command that wrote a part. `again` says how to go on. */
const incomplete = (error: Failure, again: string): AdminError =>
  new AdminError(`DynamoDB did not carry out all of it (${messageOf(error.cause)}): ${again}.`);

const exporting = defineCommand({
  name: 'export',
  summary: 'Write everything of an organization into a folder, while it is used',
  details:
    'The folder must not be there, or be empty. The command writes a file of JSON lines for each kind of record. All records ' +
    'are from one point in time: after the event that the command prints. The files hold personal data, and only you can read ' +
    'them. Writers do not wait for the export. Access tokens are exported without their secrets.',
  arguments: [folderArgument],
  options: [organizationOption],
  usage: 'FOLDER --organization CODE',
  isLong: true,
  values: v.object({ folder, organization }),
  examples: ['organization export ~/harbour-plumbing --stage prod --organization 6H8EV880'],
  run: async ({ folder, organization }, context) => {
    const options = { onProgress: progressOf(context, 'records'), signal: context.signal };
    const exporting = exportOrganization(context, organization, folder, options);
    const { version, counts } = await exporting.catch((error: unknown) => {
      throw error instanceof NoHead ? noOrganization(organization, context.place) : error;
    });
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return {
      lines: [`${organization} is exported to ${folder}: ${counted(total)} records, as of event ${version}.`],
      json: { organization, folder, version, counts },
    };
  },
});

const importing = defineCommand({
  name: 'import',
  summary: 'Found an organization from a folder that "organization export" has written',
  details:
    'The organization gets a new code, which is printed first, so its records get other ids. Everything else is unchanged, ' +
    'but for tokens and phone numbers: a first token is issued, and "number add" gives it numbers. The files are checked ' +
    'before anything is written. If an import was killed, --code continues it, and "organization discard-import" removes it.',
  arguments: [folderArgument],
  options: [
    ['--code <code>', 'goes on with the import of this code, from the same files'],
    ['--expires <when>', 'when the token expires: a date, a time, or a span such as 90d (default: never)'],
  ],
  usage: 'FOLDER',
  isLong: true,
  values: v.object({ folder, code: v.optional(organization), expires: v.optional(expiry) }),
  examples: [
    'organization import ~/harbour-plumbing --local',
    'organization import ~/harbour-plumbing --stage prod --code 6H8EV880',
  ],
  run: async ({ folder, code: known, expires }, context) => {
    const { store, freshLimits, mode, place, chosen, signal, progress } = context;
    let code = known;
    const onCode = (drawn: OrganizationCode) => {
      code = drawn;
      progress(
        `The organization gets the code ${drawn}. If this is killed, --code ${drawn} goes on with it.`,
      );
    };
    let showProgress: ReturnType<typeof progressOf> | undefined;
    const onProgress = (done: number, total: number) => {
      showProgress ??= progressOf(context, 'records', total);
      showProgress(done);
    };
    try {
      const imported = await importOrganization(context, folder, { code, onCode, onProgress, signal });
      const { version, counts, numbers } = imported;
      const organization = imported.code;
      const ledger = store.ledgerOf({ organization, userId: ownerIdOf(organization), ...freshLimits() });
      const scopes = ['read', 'write'] as const;
      const input = { name: 'First', mode, scopes, ...(expires && { expiry: expires }) };
      const { token, record, granted } = await beginFromCopy(ledger, organization, input, randomBytes);
      const { id: tokenId, userId: ownerId, expiresAt } = record;
      const verify = `${commandLine} organization verify ${chosen} --organization ${organization}`;
      const left = numbers.length === 0 ? '' : ` Its numbers stay where they are: ${numbers.join(', ')}.`;
      return {
        lines: [
          `The organization is founded ${place}, with all records as of event ${version}.`,
          '',
          ...facts([
            ['Organization', organization],
            ['Owner', ownerId],
            ...tokenFacts(token, record, granted),
          ]),
          '',
          shownOnce,
          '',
          `The former tokens do not work for it.${left}`,
          `"${verify}" proves that it is whole.`,
        ],
        json: { organization, ownerId, version, counts, token, tokenId, expiresAt, numbersLeft: numbers },
      };
    } catch (error) {
      if (!(error instanceof Failure) || code === undefined) throw error;
      throw incomplete(error, `run it again with --code ${code}`);
    }
  },
});

const discarding = defineCommand({
  name: 'discard-import',
  summary: 'Remove the items of an import that was not finished',
  details:
    'Works only while no organization has that code. The command scans the keys of the whole table, twice. You can stop it ' +
    'and run it again.',
  options: [['--code <code>', 'the code that the import printed']],
  usage: '--code CODE',
  isLong: true,
  values: v.object({ code: organization }),
  examples: ['organization discard-import --stage prod --code 6H8EV880'],
  run: async ({ code }, context) => {
    const options = { onProgress: progressOf(context, 'items'), signal: context.signal };
    const removed = await discardImport(context, code, options).catch((error: unknown) => {
      throw error instanceof Failure ? incomplete(error, 'run it again') : error;
    });
    const sentence = `The import of the code ${code} is removed ${context.place}: ${counted(removed)} items.`;
    return { lines: [sentence], json: { code, removed } };
  },
});

/** `organization export`, `organization import` and `organization discard-import` */
export const copyCommands = [exporting, importing, discarding];
