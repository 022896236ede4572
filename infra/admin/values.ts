import { isSupportedCountry } from 'libphonenumber-js/min';
import * as v from 'valibot';
import {
  isKeyScope,
  keyScopes,
  leftOutOfWrite,
  issuedScopes,
  scopeSubjects,
} from '../../shared/contract/scopes.ts';
import { fieldProblem, tryParse } from '../../shared/contract/field-problem.ts';
import { filledLine, line, recordId, recordNumber } from '../../shared/contract/fields.ts';
import { OrganizationCode } from '../../shared/core/ids.ts';
import { maxSites, siteOf } from '../../shared/core/sites.ts';
import { maxTime, type Expiry } from '../../shared/domain/tokens/expiry.ts';
import { ownersScopes } from '../../shared/domain/tokens/tokens.ts';
import { AdminError } from './admin-error.ts';

/**
 * Parses options and arguments. `words` names the positional arguments. @throws AdminError that names every
 * problem
 */
export function parseOptions<S extends v.GenericSchema>(
  schema: S,
  typed: unknown,
  words: readonly string[] = [],
): v.InferOutput<S> {
  const result = tryParse(schema, typed);
  if (result.success) return result.output;
  // Only the first problem of each option: the others follow from it.
  const problems = new Map(
    result.issues
      .map(fieldProblem)
      .reverse()
      .map(({ field, message }) => [words.includes(field) ? field.toUpperCase() : optionOf(field), message]),
  );
  const parts = [...problems].reverse().map(([option, message]) => `${option} ${message}`.trim());
  throw new AdminError(`${parts.join('; ')}.`);
}

/** `--owner-email` for `ownerEmail`; empty for a problem that concerns several options. */
function optionOf(field: string): string {
  const [name = ''] = field.split('.');
  return name === '' ? '' : `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Schemas of the command line's options: each turns a typed value into a value of the domain. */

export const organizationName = filledLine(200);
export const personName = filledLine(100);
export const tokenName = filledLine(100);
export const emailAddress = v.pipe(line(254), v.rfcEmail());

/** An organization's country. National phone numbers are parsed by it. */
export const country = v.pipe(
  v.string(),
  v.toUpperCase(),
  v.check(isSupportedCountry, 'must be the two letters of a country (ISO 3166), such as AU, NZ or GB'),
);

export const organization = v.pipe(
  v.string(),
  v.regex(
    /^(?:org_)?[0-9A-HJKMNP-TV-Z]{8}$/,
    'must be the code of an organization, such as 6H8EV880, or org_6H8EV880',
  ),
  v.transform((text) => text.replace(/^org_/, '')),
  OrganizationCode,
);

export const organizationOption = [
  '--organization <code>',
  'the code of the organization, such as 6H8EV880',
] as const;

/** Options of a command for one organization, or for all of a table. */
export const OneOrAll = v.pipe(
  v.object({ organization: v.optional(organization), all: v.optional(v.boolean(), false) }),
  v.check(
    ({ organization, all }) => organization === undefined || !all,
    '--organization and --all cannot be combined',
  ),
  v.check(
    ({ organization, all }) => organization !== undefined || all,
    'Say which organization: --organization CODE, or --all for every one',
  ),
);

/** Id of a record that is a number. `wrong` says what must be given. */
const numericId = (wrong: string) =>
  v.pipe(v.string(), v.regex(/^[1-9]\d{0,11}$/, wrong), v.transform(Number), recordNumber);

export const tokenId = numericId('must be the id of a token: its number in "token list"');
export const memberId = numericId('must be the id of a member: a number such as 2');

export const userId = recordId('user');

/** Help about a token's scopes. */
export const scopesHelp =
  'read, write, or as much for one subject alone, such as leads:create,inquiries:create; ' +
  `write leaves out ${leftOutOfWrite.map((subject) => `${subject}:write`).join(' and ')} (default: "read,write")`;

const forKeys = new Intl.ListFormat('en', { type: 'disjunction' }).format(keyScopes);

/** Help about the scopes of keys. */
export const keyScopesHelp = `; or ${forKeys} alone, for what is sent with the key in its address`;

const scopesFormat =
  'must be read, write, or a subject with :read, :write or :create, with commas between several, ' +
  `or ${forKeys} alone; the subjects are ${scopeSubjects.join(', ')}`;

const scopesWith = (preset: string) =>
  v.pipe(
    v.optional(v.string(), preset),
    v.transform((text) => text.split(',').map((scope) => scope.trim())),
    v.array(v.picklist(issuedScopes, scopesFormat)),
    // In a fixed order, without duplicates.
    v.transform((given) => issuedScopes.filter((scope) => given.includes(scope))),
  );

/** Scopes of a token; `read,write` if none are given. */
export const tokenScopes = scopesWith('read,write');

/** Scopes of an organization's first token; all that its owner needs if none are given. */
export const firstTokenScopes = v.pipe(
  scopesWith(ownersScopes.join()),
  v.check(
    (given) => !given.some(isKeyScope),
    `cannot be ${forKeys} for the first token: issue another token for that, with "token issue"`,
  ),
);

/** Path of a file with a platform's signing secret. */
export const secretFile = v.pipe(v.string(), v.minLength(1, 'must name a file'));

/** Websites of a token, without duplicates. */
export const sites = v.pipe(
  v.string(),
  v.transform((text) => text.split(',')),
  v.array(
    v.pipe(
      v.string(),
      v.transform(siteOf),
      v.string(
        'must be websites such as https://a.example, with commas between several; name each subdomain',
      ),
    ),
  ),
  v.transform((given) => [...new Set(given)]),
  v.maxLength(maxSites, `must be ${maxSites} websites at most`),
);

/** A phone number in E.164. */
export const phoneNumber = v.pipe(
  v.string(),
  v.transform((text) => text.replaceAll(/[\s().-]/g, '')),
  v.regex(/^\+[1-9]\d{6,14}$/, 'must be a phone number with its country, such as +61491570156'),
);

const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds of a time span such as 90d; undefined for any other string. */
function spanOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const milliseconds = units[unit];
  return milliseconds === undefined ? undefined : Number(count) * milliseconds;
}

/**
 * Epoch milliseconds of an ISO 8601 date (its start, UTC) or time with a zone; undefined for any other
 * string.
 */
function timestampIn(text: string): number | undefined {
  const time = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text);
  const [timestamp, day] = [Date.parse(text), Date.parse(time?.[1] ?? '')];
  if (!time || Number.isNaN(timestamp) || Number.isNaN(day)) return undefined;
  // `Date.parse` turns February 30 into a day of March.
  if (new Date(day).toISOString().slice(0, 10) !== time[1]) return undefined;
  return timestamp <= maxTime ? timestamp : undefined;
}

/** A moment of the past or the future. */
export const moment = v.pipe(
  v.string(),
  v.transform(timestampIn),
  v.number('must be a time with its zone, such as 2026-11-22T08:55:00Z'),
  v.transform((timestamp) => new Date(timestamp)),
);

export const expiry = v.pipe(
  v.string(),
  v.rawTransform<string, Expiry>(({ dataset: { value }, addIssue, NEVER }) => {
    const at = timestampIn(value);
    const after = spanOf(value);
    if (at !== undefined && at > Date.now()) return { at };
    if (after) return { after };
    addIssue({
      message:
        at === undefined && after === undefined
          ? 'must be a date (2030-01-31), a time with its zone (2030-01-31T09:00:00Z), or a span (90d, 12h; m, h, d, w)'
          : 'must be in the future',
    });
    return NEVER;
  }),
);

/** Milliseconds that a rotated token keeps working. */
export const overlap = v.pipe(
  v.optional(v.string(), '24h'),
  v.transform((text) => (text === '0' ? 0 : spanOf(text))),
  v.number('must be a span such as 24h or 30m (m, h, d, w), or 0 to end the old token at once'),
);
