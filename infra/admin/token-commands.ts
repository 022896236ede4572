import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { platformScopes, problemOfParts } from '../../shared/contract/access-tokens.ts';
import {
  issueToken,
  listTokens,
  revokeToken,
  rotateToken,
  type ShownToken,
} from '../../shared/domain/tokens/tokens.ts';
import { AdminError, messageOf } from './admin-error.ts';
import { defineCommand, type CommandGroup } from './command.ts';
import { openOrganization, orNotFound, type OpenedOrganization } from './organization.ts';
import { refusedWithin, tokenJson, tokenLines, tokenTable } from './output.ts';
import {
  expiry,
  keyScopesHelp,
  organization,
  organizationOption,
  overlap,
  scopesHelp,
  secretFile,
  sites,
  tokenId,
  tokenName,
  tokenScopes,
  userId,
} from './values.ts';

const idOption = ['--id <number>', 'the id of the token, as "token list" shows it'] as const;

const NewToken = v.pipe(
  v.object({
    organization,
    name: tokenName,
    scopes: tokenScopes,
    sites: v.optional(sites),
    secretFile: v.optional(secretFile),
    expires: v.optional(expiry),
    user: v.optional(userId),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { scopes, sites, secretFile } = dataset.value;
    const problem = problemOfParts({ scopes, sites, hasSecret: secretFile !== undefined });
    const options = { scopes: '--scopes', sites: '--sites', secret: '--secret-file' };
    if (problem) addIssue({ message: `${options[problem.field]} ${problem.message}` });
  }),
);

const issue = defineCommand({
  name: 'issue',
  summary: 'Issue a token, which works at once',
  usage: '--organization CODE --name NAME',
  options: [
    organizationOption,
    ['--name <name>', 'what its holders call it, such as Website'],
    ['--scopes <scopes>', `its scopes: ${scopesHelp}${keyScopesHelp}`],
    [
      '--sites <sites>',
      'with forms:submit: the websites that may send it in their forms, with commas between several',
    ],
    [
      '--secret-file <file>',
      `with ${platformScopes.join(' or ')}: a file with the signing secret of the platform; requests without its signature are ` +
        'refused',
    ],
    ['--expires <when>', 'when it expires: a date, a time, or a span such as 90d or 12h (default: never)'],
    ['--user <id>', 'the user that it acts for; the role of the user bounds it (default: the first member)'],
  ],
  values: NewToken,
  examples: [
    'token issue --local --organization 6H8EV880 --name Website --scopes read',
    'token issue --stage prod --organization 6H8EV880 --name Website --scopes leads:create --expires 90d',
    'token issue --stage prod --organization 6H8EV880 --name Website --expires 2030-01-31T09:00:00+11:00',
    'token issue --stage prod --organization 6H8EV880 --name "Contact form" --scopes forms:submit \\\n' +
      '      --sites https://harbourplumbing.example,https://www.harbourplumbing.example',
    'token issue --stage prod --organization 6H8EV880 --name Retell --scopes calls:submit --secret-file retell-api-key',
  ],
  run: async ({ organization, name, scopes, sites, secretFile, expires, user }, context) => {
    const { ledger, code, ownerId, title } = await openOrganization(organization, context);
    const forUser = user ?? ownerId;
    const input = { name, mode: context.mode, scopes, userId: forUser };
    const secret = secretFile === undefined ? undefined : readSecret(secretFile);
    const optional = {
      ...(sites && { sites }),
      ...(secret !== undefined && { signingSecret: await context.secretBox().encrypt(code, secret) }),
      ...(expires && { expiry: expires }),
    };
    const { token, record, granted } = await orNotFound(
      issueToken(ledger, { ...input, ...optional }, randomBytes),
      `There is no user ${forUser} in ${title}: leave --user out for its first member.`,
    );
    return {
      lines: [`A token of ${title} is issued.`, ...tokenLines(token, record, granted)],
      json: { organization: code, token, granted, ...tokenJson(record, context.now) },
    };
  },
});

/** Least and most characters of a secret: nobody guesses the least, and KMS encrypts 4 KB at once. */
const secretLength = { min: 16, max: 500 } as const;

/** Secret in a file, without the line break at its end. @throws AdminError that says what is wrong with the file */
function readSecret(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new AdminError(`The secret cannot be read from ${file} (${messageOf(error)}).`);
  }
  const { min, max } = secretLength;
  if (text.length < min || text.length > max || /\s/.test(text))
    throw new AdminError(`${file} must have only one secret, of ${min} to ${max} characters without spaces.`);
  return text;
}

const list = defineCommand({
  name: 'list',
  summary: 'List the tokens of an organization: never the secrets, which are kept nowhere',
  usage: '--organization CODE',
  options: [organizationOption],
  values: v.object({ organization }),
  examples: [
    'token list --local --organization 6H8EV880',
    'token list --stage prod --organization 6H8EV880 --json',
  ],
  run: async ({ organization }, context) => {
    const { ledger, code, title } = await openOrganization(organization, context);
    const tokens = await listTokens(ledger);
    return {
      lines: [`Tokens of ${title}`, '', ...tokenTable(tokens, context.now)],
      json: { organization: code, tokens: tokens.map((token) => tokenJson(token, context.now)) },
    };
  },
});

const revoke = defineCommand({
  name: 'revoke',
  summary: 'Revoke a token for good',
  details: refusedWithin,
  usage: '--organization CODE --id NUMBER',
  options: [organizationOption, idOption],
  values: v.object({ organization, id: tokenId }),
  examples: ['token revoke --stage prod --organization 6H8EV880 --id 2'],
  run: async ({ organization, id }, context) => {
    const opened = await openOrganization(organization, context);
    const { record, revokedBefore } = await orNotFound(revokeToken(opened.ledger, id), noToken(id, opened));
    const of = `${named(record)} of ${opened.title}`;
    return {
      lines: [
        revokedBefore
          ? `${of} is revoked already, since ${record.revokedAt ?? ''}: nothing was changed.`
          : `${of} is revoked. ${refusedWithin}`,
      ],
      json: { organization: opened.code, ...tokenJson(record, context.now), revokedBefore },
    };
  },
});

const rotate = defineCommand({
  name: 'rotate',
  summary: 'Issue a token in the place of another, which works on for an overlap',
  details:
    'The new token has the name, scopes, sites, signing secret and user of the old token. Its life is as long as the old ' +
    "token's, unless --expires says otherwise. The old token expires after the overlap, or at its own time if that is sooner.",
  usage: '--organization CODE --id NUMBER',
  options: [
    organizationOption,
    idOption,
    ['--overlap <span>', 'how long the old token works on, such as 24h; 0 revokes it (default: "24h")'],
    ['--expires <when>', 'when the new token expires: a date, a time, or a span such as 90d'],
  ],
  values: v.object({ organization, id: tokenId, overlap, expires: v.optional(expiry) }),
  examples: [
    'token rotate --stage prod --organization 6H8EV880 --id 2',
    'token rotate --stage prod --organization 6H8EV880 --id 2 --overlap 0 --expires 90d',
  ],
  run: async ({ organization, id, overlap, expires }, context) => {
    const { now } = context;
    const opened = await openOrganization(organization, context);
    const rotating = rotateToken(opened.ledger, id, { overlap, expiry: expires }, randomBytes);
    const { token, record, granted, replaced } = await orNotFound(rotating, noToken(id, opened));
    const { revokedAt, expiresAt } = replaced;
    const old =
      revokedAt === null
        ? `The old token works until ${expiresAt ?? ''}.`
        : `The old token is revoked. ${refusedWithin}`;
    return {
      lines: [
        `${named(replaced)} of ${opened.title} is replaced by token ${record.id}. ${old}`,
        ...tokenLines(token, record, granted),
      ],
      json: {
        organization: opened.code,
        token,
        granted,
        ...tokenJson(record, now),
        replaced: tokenJson(replaced, now),
      },
    };
  },
});

const named = ({ id, name }: ShownToken) => `Token ${id}, "${name}",`;

const noToken = (id: number, { title }: OpenedOrganization) =>
  `There is no token ${id} in ${title}: "token list" shows all tokens.`;

export const tokenCommands: CommandGroup = {
  name: 'token',
  description: "Issue, list, revoke and rotate an organization's access tokens.",
  commands: [issue, list, revoke, rotate],
  examples: [
    'token issue --stage prod --organization 6H8EV880 --name Website --scopes read --expires 90d',
    'token rotate --stage prod --organization 6H8EV880 --id 2',
  ],
};
