import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { Failure } from '../../../shared/core/failure.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { ownerIdOf } from '../../../shared/domain/members/members.ts';
import { beginFromCopy } from '../../../shared/domain/organizations/organizations.ts';
import { NoHead } from '../../../shared/ledger/index.ts';
import { AdminError, messageOf } from '../admin-error.ts';
import { commandLine, defineCommand, type CommandResult, type CommandContext } from '../command.ts';
import { counted, facts, Progress, shownOnce, tokenFacts } from '../output.ts';
import { expiry, organization as organizationCode, organizationOption } from '../values.ts';
import { exportOrganization } from './export-organization.ts';
import { discardImport, importOrganization, type Imported } from './import-organization.ts';

const folderArgument = ['<folder>', 'the folder of the copy'] as const;
const folder = v.pipe(v.string('must be named'), v.minLength(1, 'must be named'));

const exporting = defineCommand({
  name: 'export',
  summary: 'Write everything of an organization into a folder, while it is used',
  details:
    'The folder must not be there, or be empty. It gets a file of JSON lines for each kind of record, all as they were ' +
    'at one point in time: after the event that the command prints. It holds personal data, and only you can read it. Writers do ' +
    'not wait for it. Access tokens are exported without their secrets.',
  arguments: [folderArgument],
  options: [organizationOption],
  usage: 'FOLDER --organization CODE',
  isLong: true,
  values: v.object({ folder, organization: organizationCode }),
  examples: ['organization export ~/harbour-plumbing --stage prod --organization 6H8EV880'],
  run: ({ folder, organization }, context) => exported(folder, organization, context),
});

async function exported(
  folder: string,
  organization: OrganizationCode,
  context: CommandContext,
): Promise<CommandResult> {
  const { client, tableName, system, place, signal } = context;
  try {
    const progress = new Progress(context, 'records');
    const access = { client, tableName, system };
    const { version, counts } = await exportOrganization(access, organization, folder, {
      onProgress: (done) => {
        progress.update(done);
      },
      signal,
    });
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return {
      lines: [
        `${organization} is exported to ${folder}, as it was after event ${version}: ${counted(total)} records.`,
      ],
      json: { organization, folder, version, counts },
    };
  } catch (error) {
    if (error instanceof NoHead)
      throw new AdminError(
        `There is no organization ${organization} ${place}: check the code, and that it is from there.`,
      );
    throw error;
  }
}

const importing = defineCommand({
  name: 'import',
  summary: 'Found an organization from a folder that "organization export" has written',
  details:
    'It gets a code of its own, which is printed first, so its records get other ids. Everything else stays as it was, but for ' +
    'tokens and phone numbers: a first token is issued, and "number add" gives it numbers. ' +
    'The files are checked before anything is written. An import that was killed goes on with --code; ' +
    '"organization discard-import" removes one that is not to go on.',
  arguments: [folderArgument],
  options: [
    ['--code <code>', 'goes on with the import of this code, from the same files'],
    ['--expires <when>', 'when the token expires: a date, a time, or a span such as 90d (default: never)'],
  ],
  usage: 'FOLDER',
  isLong: true,
  values: v.object({ folder, code: v.optional(organizationCode), expires: v.optional(expiry) }),
  examples: [
    'organization import ~/harbour-plumbing --local',
    'organization import ~/harbour-plumbing --stage prod --code 6H8EV880',
  ],
  run: ({ folder, code, expires }, context) => imported(folder, { code, expires }, context),
});

async function imported(
  folder: string,
  {
    code: known,
    expires,
  }: { code: OrganizationCode | undefined; expires: v.InferOutput<typeof expiry> | undefined },
  context: CommandContext,
): Promise<CommandResult> {
  const { client, tableName, system, signal, progress } = context;
  let code = known;
  let recordProgress: Progress | undefined;
  try {
    const copied = await importOrganization({ client, tableName, system }, folder, {
      code,
      onCode: (drawn) => {
        code = drawn;
        progress(
          `The organization gets the code ${drawn}. If this is killed, --code ${drawn} goes on with it.`,
        );
      },
      onProgress: (done, total) => {
        recordProgress ??= new Progress(context, 'records', total);
        recordProgress.update(done);
      },
      signal,
    });
    return await withFirstToken(copied, expires, context);
  } catch (error) {
    if (!(error instanceof Failure) || code === undefined) throw error;
    throw new AdminError(
      `DynamoDB did not carry out all of it (${messageOf(error.cause)}): run it again with --code ${code}.`,
    );
  }
}

async function withFirstToken(
  { code, version, counts, numbers }: Imported,
  expires: v.InferOutput<typeof expiry> | undefined,
  { store, limitsNow, mode, place, chosen }: CommandContext,
): Promise<CommandResult> {
  const ownerId = ownerIdOf(code);
  const ledger = store.ledgerOf({ organization: code, userId: ownerId, ...limitsNow() });
  const scopes = ['read', 'write'] as const;
  const input = { name: 'First', mode, scopes, ...(expires && { expiry: expires }) };
  const { token, record } = await beginFromCopy(ledger, code, input, randomBytes);
  const verify = `${commandLine} organization verify ${chosen} --organization ${code}`;
  const left = numbers.length === 0 ? '' : ` Its numbers stay where they are: ${numbers.join(', ')}.`;
  return {
    lines: [
      `The organization is founded ${place}, as it was after event ${version}.`,
      '',
      ...facts([['Organization', code], ['Owner', ownerId], ...tokenFacts(token, record)]),
      '',
      shownOnce,
      '',
      `The tokens of before do not work for it.${left}`,
      `"${verify}" proves that it is whole.`,
    ],
    json: {
      organization: code,
      ownerId,
      version,
      counts,
      token,
      tokenId: record.id,
      expiresAt: record.expiresAt,
      numbersLeft: numbers,
    },
  };
}

const discarding = defineCommand({
  name: 'discard-import',
  summary: 'Remove what an import has written that was not finished',
  details:
    'Only while there is no organization of that code yet. It looks through the keys of the whole table, twice. It can be ' +
    'stopped, and run again.',
  options: [['--code <code>', 'the code that the import printed']],
  usage: '--code CODE',
  isLong: true,
  values: v.object({ code: organizationCode }),
  examples: ['organization discard-import --stage prod --code 6H8EV880'],
  run: ({ code }, context) => discarded(code, context),
});

async function discarded(code: OrganizationCode, context: CommandContext): Promise<CommandResult> {
  const { client, tableName, system, signal, place } = context;
  const progress = new Progress(context, 'items');
  const onProgress = (done: number) => {
    progress.update(done);
  };
  try {
    const removed = await discardImport({ client, tableName, system }, code, { onProgress, signal });
    const sentence = `The import of the code ${code} is removed ${place}: ${counted(removed)} items.`;
    return { lines: [sentence], json: { code, removed } };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new AdminError(`DynamoDB did not carry out all of it (${messageOf(error.cause)}): run it again.`);
  }
}

/** `organization export`, `organization import` and `organization discard-import` */
export const copyCommands = [exporting, importing, discarding];
