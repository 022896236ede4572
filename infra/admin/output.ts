import { isKeyScope, type Scope } from '../../shared/contract/scopes.ts';
import type { System } from '../../shared/core/system.ts';
import { stateOf, type ShownToken } from '../../shared/domain/tokens/tokens.ts';
import { printable } from '../printable.ts';
import { authorizerCacheTime } from '../stack/stage.ts';

/** Formats a number for people: `10,000`. */
export const counted = (count: number): string => count.toLocaleString('en');

/**
 * Joins lines for the terminal. Every line that a command prints passes here, so no name in it can add a line
 * or move the cursor.
 */
export const printed = (lines: readonly string[]): string =>
  lines.map((line) => `${printable(line)}\n`).join('');

/** Names and values as aligned lines. */
export function facts(entries: readonly (readonly [name: string, value: string])[]): string[] {
  return columns(entries.map(([name, value]) => ['', name, value]));
}

/** Rows as aligned columns. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const width = (at: number) => Math.max(...rows.map((row) => row[at]?.length ?? 0));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(width(at)))
      .join('  ')
      .trimEnd(),
  );
}

/** Name and value of each property of a new token. */
export const tokenFacts = (
  token: string,
  { id, name, scopes, sites, isSigned, userId, expiresAt }: ShownToken,
  granted: readonly Scope[],
) =>
  [
    ['Token', token],
    ['Id', String(id)],
    ['Name', name],
    ['Scopes', scopes.join(', ')],
    ...(granted.join() === scopes.join()
      ? []
      : [['Allowed', `${granted.join(', ') || 'nothing'}, by the role of its user`] as const]),
    ...(sites.length === 0 ? [] : [['Sites', sites.join(', ')] as const]),
    ...(isSigned ? [['Signed', 'by the secret that was given'] as const] : []),
    ['User', userId],
    ['Expires', expiresAt ?? 'never'],
  ] as const;

export const shownOnce = 'The token is shown this once: keep it where you keep secrets.';

const shownOnceForForms =
  'The token is shown this once. A key of forms is no secret: put it into the forms of its sites, as docs/guides/forms.md shows.';

const shownOnceForPlatforms =
  'The token is shown this once. Put the token into the settings of the voice platform, as docs/guides/receptionist.md shows.';

/** A sentence about when a revoked token stops working. */
export const refusedWithin = `Requests with it are refused within ${authorizerCacheTime} seconds: API Gateway caches a token for that time.`;

/** Lines about a new token. */
export const tokenLines = (token: string, record: ShownToken, granted: readonly Scope[]): string[] => [
  '',
  ...facts(tokenFacts(token, record, granted)),
  '',
  record.sites.length > 0
    ? shownOnceForForms
    : record.scopes.some(isKeyScope)
      ? shownOnceForPlatforms
      : shownOnce,
];

/** A token and its state, for `--json`. */
export const tokenJson = (token: ShownToken, now: number) => ({ ...token, state: stateOf(token, now) });

export function tokenTable(tokens: readonly ShownToken[], now: number): string[] {
  const haveSites = tokens.some(({ sites }) => sites.length > 0);
  return columns([
    ['ID', 'NAME', 'SCOPES', ...(haveSites ? ['SITES'] : []), 'USER', 'CREATED', 'EXPIRES', 'STATE'],
    ...tokens.map((token) => [
      String(token.id),
      token.name,
      token.scopes.join(','),
      ...(haveSites ? [token.sites.join(',') || '-'] : []),
      token.userId,
      token.createdAt,
      token.expiresAt ?? 'never',
      [
        stateOf(token, now),
        ...(token.revokedAt === null ? [] : [token.revokedAt]),
        ...(token.replacedBy === null ? [] : [`(replaced by ${token.replacedBy})`]),
      ].join(' '),
    ]),
  ]);
}

/** Milliseconds between two progress lines. */
const interval = 5000;

/**
 * Returns a function that prints every few seconds how much of a long command is done, its rate, and the time
 * left. The function may be called as often as convenient. `what` is the plural of the things counted;
 * `total` is their number, if known.
 */
export function progressOf(
  { progress, system }: { progress: (line: string) => void; system: Pick<System, 'now'> },
  what: string,
  total?: number,
): (done: number) => void {
  const began = system.now();
  let lastPrinted = began;
  return (done) => {
    const now = system.now();
    if (now - lastPrinted < interval) return;
    lastPrinted = now;
    const rate = (done * 1000) / (now - began);
    const of = total === undefined ? '' : ` of ${counted(total)}`;
    const left = total === undefined || done === 0 ? '' : `, ${duration((total - done) / rate)} left`;
    progress(`${counted(done)}${of} ${what}, ${counted(Math.round(rate))} a second${left}`);
  };
}

/** Time span for people: `90 seconds` at most, else whole minutes. */
export function duration(seconds: number): string {
  const [whole, unit] = seconds < 90 ? [seconds, 'second'] : [seconds / 60, 'minute'];
  const rounded = Math.ceil(whole);
  return `${counted(rounded)} ${unit}${rounded === 1 ? '' : 's'}`;
}
