import type { Command } from 'commander';
import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { Failure } from '../../../shared/core/failure.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { ownerIdOf } from '../../../shared/domain/members/members.ts';
import { beginFromCopy } from '../../../shared/domain/organizations/organizations.ts';
import { NoHead } from '../../../shared/ledger/index.ts';
import { AdminError } from '../admin-error.ts';
import { messageOf } from '../aws-error.ts';
import { addCommand, commandLine, type Answer, type Context, type Surroundings } from '../command.ts';
import { counted, facts, shownOnce, tokenFacts } from '../output.ts';
import { Progress } from '../progress.ts';
import { expiry, organization as organizationCode, organizationOption } from '../values.ts';
import { discardImport } from './discard-import.ts';
import { exportOrganization } from './export-organization.ts';
import { importOrganization, type Imported } from './import-organization.ts';

const folderArgument = ['<folder>', 'the folder of the copy'] as const;
const folder = v.pipe(v.string('must be named'), v.minLength(1, 'must be named'));

/** `organization export`, `organization import` and `organization discard-import` */
export function addCopyCommands(group: Command, surroundings: Surroundings): void {
  addExport(group, surroundings);
  addImport(group, surroundings);
  addDiscard(group, surroundings);
}

function addExport(group: Command, surroundings: Surroundings): void {
  addCommand(
    group,
    {
      name: 'export',
      summary: 'Write everything of an organization into a folder, while it is used',
      details:
        'The folder must not be there, or be empty. It gets a file of JSON lines for each kind of record, all as they were ' +
        'at one moment: after the event that is told. It has the data of persons, and only you can read it. Nothing is ' +
        'held up meanwhile. Access tokens are there without their secrets.',
      arguments: [folderArgument],
      options: [organizationOption],
      usage: 'FOLDER --organization CODE',
      isLong: true,
      values: v.object({ folder, organization: organizationCode }),
      examples: ['organization export ~/harbour-plumbing --stage prod --organization 6H8EV880'],
      run: ({ folder, organization }, context) => exported(folder, organization, context),
    },
    surroundings,
  );
}

async function exported(folder: string, organization: OrganizationCode, context: Context): Promise<Answer> {
  const { client, tableName, system, place, signal } = context;
  try {
    const progress = new Progress(context, 'records');
    const access = { client, tableName, system };
    const { version, counts } = await exportOrganization(access, organization, folder, {
      onProgress: (done) => {
        progress.note(done);
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

function addImport(group: Command, surroundings: Surroundings): void {
  addCommand(
    group,
    {
      name: 'import',
      summary: 'Found an organization from a folder that "organization export" has written',
      details:
        'It gets a code of its own, which is told first, and so its records get other ids; all else is as it was. Its ' +
        'tokens and its phone numbers do not come along: a first token is issued, and "number add" gives it numbers. ' +
        'The files are checked before anything is written. An import that was killed goes on with --code; ' +
        '"organization discard-import" removes one that is not to go on.',
      arguments: [folderArgument],
      options: [
        ['--code <code>', 'goes on with the import of this code, from the same files'],
        [
          '--expires <when>',
          'when the token expires: a date, a time, or a span such as 90d (default: never)',
        ],
      ],
      usage: 'FOLDER',
      isLong: true,
      values: v.object({ folder, code: v.optional(organizationCode), expires: v.optional(expiry) }),
      examples: [
        'organization import ~/harbour-plumbing --local',
        'organization import ~/harbour-plumbing --stage prod --code 6H8EV880',
      ],
      run: ({ folder, code, expires }, context) => imported(folder, { code, expires }, context),
    },
    surroundings,
  );
}

async function imported(
  folder: string,
  {
    code: known,
    expires,
  }: { code: OrganizationCode | undefined; expires: v.InferOutput<typeof expiry> | undefined },
  context: Context,
): Promise<Answer> {
  const { client, tableName, system, signal, progress } = context;
  let code = known;
  let told: Progress | undefined;
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
        told ??= new Progress(context, 'records', total);
        told.note(done);
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
  { store, limitsNow, mode, place, chosen }: Context,
): Promise<Answer> {
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

function addDiscard(group: Command, surroundings: Surroundings): void {
  addCommand(
    group,
    {
      name: 'discard-import',
      summary: 'Remove what an import has written that was not finished',
      details:
        'Only while there is no organization of that code yet. It looks through the keys of the whole table, twice. It can be ' +
        'stopped, and run again.',
      options: [['--code <code>', 'the code that the import has told']],
      usage: '--code CODE',
      isLong: true,
      values: v.object({ code: organizationCode }),
      examples: ['organization discard-import --stage prod --code 6H8EV880'],
      run: ({ code }, context) => discarded(code, context),
    },
    surroundings,
  );
}

async function discarded(code: OrganizationCode, context: Context): Promise<Answer> {
  const { client, tableName, system, signal, place } = context;
  const progress = new Progress(context, 'items');
  const onProgress = (done: number) => {
    progress.note(done);
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
