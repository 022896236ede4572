import {
  problemOfParts,
  type AccessToken,
  type AccessTokenChanges,
  type IssuedAccessToken,
  type KeySecret,
  type NewAccessToken,
  type TokenRotation,
} from '../../contract/access-tokens.ts';
import type { PageQuery } from '../../contract/pagination.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { Failure, invalid, noSuch } from '../../core/failure.ts';
import { merge } from '../../core/merge.ts';
import type { Page } from '../../core/page.ts';
import type { Ledger, Write } from '../../ledger/index.ts';
import { changedFields } from '../events/changed-fields.ts';
import { recordEvent } from '../events/record-event.ts';
import type { SecretMaker } from '../webhooks/change-webhook.ts';
import type { SecretBox } from '../webhooks/secrets.ts';
import { expiryTime, type Expiry } from './expiry.ts';
import { refuseBeyondManager, type TokenManager } from './token-manager.ts';
import {
  grantedBy,
  issueToken,
  rotateToken,
  stateOf,
  tokens,
  toToken,
  userOf,
  withUse,
  type IssuedToken,
  type ShownToken,
  type TokenRecord,
} from './tokens.ts';

const hour = 3_600_000;
const usualOverlap = 24;

/** Page of the tokens, newest first, with the days of their last uses. Two round trips. */
export async function listAccessTokens(ledger: Ledger, query: PageQuery): Promise<Page<AccessToken>> {
  const page = await ledger.page(tokens, query);
  const uses = await ledger.lastUsesOf(page.items.map(({ hash }) => hash));
  const items = page.items.map((token, at) => shown({ ...token, lastUsedOn: uses[at] ?? token.lastUsedOn }));
  return { ...page, items };
}

/** One token. Two round trips. @throws Failure `notFound` */
export async function getAccessToken(ledger: Ledger, tokenId: number): Promise<AccessToken> {
  const token = await ledger.get(ledger.ref(tokens, tokenId));
  const [lastUsedOn = token.lastUsedOn] = await ledger.lastUsesOf([token.hash]);
  return shown({ ...token, lastUsedOn });
}

/**
 * Issues a token or a key for a request. One transaction.
 * @throws Failure `invalid` for parts that do not go together, and for an unknown user; otherwise as `issueToken`
 */
export async function createAccessToken(
  ledger: Ledger,
  { secret, expiresAt, userId, sites, ...input }: NewAccessToken,
  { box, randomBytes, ...by }: TokenManager & SecretMaker,
): Promise<IssuedAccessToken> {
  const problem = problemOfParts({ ...input, sites, hasSecret: secret !== undefined });
  if (problem) throw invalid([problem]);
  const parts = {
    ...input,
    userId: userId ?? by.userId,
    ...(sites && { sites }),
    ...(secret !== undefined && { signingSecret: await box.encrypt(ledger.organization, secret) }),
    ...(expiresAt != null && { expiry: { at: Date.parse(expiresAt) } }),
  };
  const issued = await issueToken(ledger, parts, randomBytes, by).catch((error: unknown) => {
    throw error instanceof Failure && error.kind === 'notFound' ? noSuch('user', 'userId') : error;
  });
  return toIssued(issued);
}

/**
 * Renames a token, or changes the websites of a key, with its grant. One transaction, or none if nothing changes.
 * @throws Failure `notFound`; `invalid` for websites that do not go with the scopes; as `refuseOutdated` and
 * `refuseBeyondManager` do
 */
export function updateAccessToken(
  ledger: Ledger,
  tokenId: number,
  changes: AccessTokenChanges,
  { refuseOutdated, by }: ChangeConditions<AccessToken> & { by: TokenManager },
): Promise<AccessToken> {
  const ref = ledger.ref(tokens, tokenId);
  return ledger.write({ change: { token: ref } }, async (write, { token }) => {
    const before = await withUse(write, token);
    refuseOutdated?.(shown(before));
    const user = await userOf(ledger, write, token);
    await refuseBeyondManager(write, by, { user });
    const after = merge(token, changes);
    const problem = problemOfParts({ ...after, hasSecret: token.signingSecret !== undefined });
    if (changes.sites && problem) throw invalid([problem]);
    const fields = changedFields(shown(token), shown(after));
    if (fields.length > 0) {
      write.replace(ref, after);
      recordEvent(write, { event: 'TOKEN_UPDATED', about: tokenId, fields });
      if (after.sites.join() !== token.sites.join()) changeGrant(write, after, user);
    }
    return shown({ ...after, lastUsedOn: before.lastUsedOn });
  });
}

/** Changes the grant of a token that works. The token of a disabled user has none. */
function changeGrant(write: Write, token: TokenRecord, user: Awaited<ReturnType<typeof userOf>>): void {
  if (user && !user.isDisabled && stateOf(token, Date.parse(write.now)) === 'active')
    write.replaceGrant(token.hash, grantedBy(token, user.role));
}

/** Replaces a token for a request, as `rotateToken` does. */
export async function rotateAccessToken(
  ledger: Ledger,
  tokenId: number,
  { overlapHours = usualOverlap, expiresAt }: TokenRotation,
  { randomBytes, ...by }: TokenManager & Pick<SecretMaker, 'randomBytes'>,
): Promise<IssuedAccessToken> {
  const expiry: Expiry | null | undefined = expiresAt == null ? expiresAt : { at: Date.parse(expiresAt) };
  const rotation = { overlap: overlapHours * hour, expiry };
  return toIssued(await rotateToken(ledger, tokenId, rotation, randomBytes, by));
}

/**
 * Gives a key of a voice platform another signing secret. The secret before it signs for an overlap, too. One
 * transaction.
 * @throws Failure `notFound`; `invalid` for another token; as `refuseBeyondManager` does
 */
export async function rotateKeySecret(
  ledger: Ledger,
  tokenId: number,
  { secret, overlapHours = usualOverlap }: KeySecret,
  { box, ...by }: TokenManager & Pick<SecretMaker, 'box'>,
): Promise<AccessToken> {
  const ref = ledger.ref(tokens, tokenId);
  const signingSecret = await box.encrypt(ledger.organization, secret);
  return ledger.write({ change: { token: ref } }, async (write, { token }) => {
    const [user, { lastUsedOn }] = await Promise.all([userOf(ledger, write, token), withUse(write, token)]);
    await refuseBeyondManager(write, by, { user });
    const problem = problemOfParts({ ...token, hasSecret: true });
    if (problem) throw invalid([problem]);
    const { formerSecret: _, signingSecret: encrypted, ...rest } = token;
    const until = expiryTime({ after: overlapHours * hour }, write.now);
    const after = {
      ...rest,
      signingSecret,
      ...(encrypted !== undefined && overlapHours > 0 && { formerSecret: { encrypted, until } }),
    };
    write.replace(ref, after);
    write.keep(ref);
    recordEvent(write, { event: 'TOKEN_SECRET_ROTATED', about: tokenId });
    changeGrant(write, after, user);
    return shown({ ...after, lastUsedOn });
  });
}

/** A token that a request issued, for a repeat of the request. One round trip. @throws Failure `notFound` */
export async function readIssued(
  ledger: Ledger,
  tokenId: number,
  box: SecretBox,
): Promise<IssuedAccessToken> {
  const token = await ledger.get(ledger.ref(tokens, tokenId));
  return { ...shown(token), value: await box.decrypt(ledger.organization, ledger.replayData) };
}

/** A token that was just issued, as the API shows it. */
export const toIssued = ({ token, record }: IssuedToken): IssuedAccessToken => ({
  ...toAccessToken(record),
  value: token,
});

const shown = (token: TokenRecord): AccessToken => toAccessToken(toToken(token));

const toAccessToken = ({ mode, invitation, ...token }: ShownToken): AccessToken => token;
