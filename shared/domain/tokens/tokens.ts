import * as v from 'valibot';
import { sentences } from '../../contract/errors.ts';
import { scopesBeyond, scopesWithin, type MemberRole } from '../../contract/roles.ts';
import { scopes, type Scope } from '../../contract/scopes.ts';
import { timestamp } from '../../contract/fields.ts';
import { userRef } from '../members/members.ts';
import { expiryTime, type Expiry } from './expiry.ts';
import { hashToken, newToken, tokenModes, type RandomBytes, type TokenMode } from './token.ts';
import { Failure, invalid } from '../../core/failure.ts';
import { merge } from '../../core/merge.ts';
import type { Collection, Grant, Ledger, RecordOf, RecordRef, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';

/** A token as stored. Of the token itself, only the hash is stored. */
export const tokens = {
  name: 'TOKEN',
  label: 'token',
  schema: v.object({
    id: v.number(),
    name: v.string(),
    mode: v.picklist(tokenModes),
    hash: v.string(),
    /** Scopes that the token was issued with. Its grant has the part of them that the member's role allows. */
    scopes: v.array(v.picklist(scopes)),
    /** Websites that may send the token, as `siteOf` writes them. */
    sites: v.array(v.string()),
    /**
     * Encrypted secret that a voice platform signs its requests with; absent if requests with the token need not be
     * signed.
     */
    signingSecret: v.optional(v.string()),
    userId: v.string(),
    createdAt: v.string(),
    expiresAt: v.nullable(timestamp),
    /** Time of the revocation. A revoked token grants nothing. */
    revokedAt: v.nullable(timestamp),
    /** Id of the token that replaces this one, which may stay valid for an overlap. */
    replacedBy: v.nullable(v.number()),
  }),
} as const satisfies Collection;

export type TokenRecord = RecordOf<typeof tokens>;

/** Fields of a token that an operator may see. `isSigned` is true if requests with the token must be signed. */
export type ShownToken = Omit<TokenRecord, 'hash' | 'signingSecret'> & { isSigned: boolean };

export type TokenState = 'active' | 'expired' | 'revoked';

export interface NewTokenInput {
  /** Name that its holders give the token. */
  name: string;
  mode: TokenMode;
  scopes: readonly Scope[];
  /** Websites with forms that may send the token, for a token that is sent as `key`. */
  sites?: readonly string[];
  /** Encrypted secret that a voice platform signs its requests with. */
  signingSecret?: string | undefined;
  /** The user that the token acts for. */
  userId: string;
  /** Absent for a token that never expires. */
  expiry?: Expiry;
}

export interface IssuedToken {
  /** The token itself. Only its hash is stored, so the token cannot be shown again. */
  token: string;
  record: ShownToken;
  /** Scopes of the record, as far as the role of the token's member allows them. */
  granted: readonly Scope[];
}

export interface RotatedToken extends IssuedToken {
  /** The token that was replaced, after the change. */
  replaced: ShownToken;
}

/** Thrown for a token that cannot be rotated, because it is replaced, revoked or expired. */
export class NotRotatable extends Error {
  readonly token: ShownToken;

  constructor(token: ShownToken) {
    super(`Token ${token.id} cannot be rotated`);
    this.token = token;
  }
}

/** State of a token at a time in epoch milliseconds. */
export function stateOf(
  { revokedAt, expiresAt }: Pick<ShownToken, 'revokedAt' | 'expiresAt'>,
  now: number,
): TokenState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= now ? 'expired' : 'active';
}

/** All tokens that the organization was ever issued, by id ascending. */
export async function listTokens(ledger: Ledger): Promise<ShownToken[]> {
  return (await ledger.all(tokens)).map(toToken);
}

/**
 * Issues a token. The token grants its scopes, as far as the role of its user allows them. One transaction.
 * @throws Failure `notFound` for the user; `conflict` for a user who is disabled; `invalid` for a narrow scope that no
 * token of a user with that role has
 */
export async function issueToken(
  ledger: Ledger,
  input: NewTokenInput,
  randomBytes: RandomBytes,
): Promise<IssuedToken> {
  return ledger.write({ check: { user: userRef(ledger, input.userId) } }, (write, { user }) => {
    refuseDisabled(user);
    const { role } = user;
    const beyond = scopesBeyond(role).filter((scope) => input.scopes.includes(scope));
    if (beyond.length > 0) {
      const message = `cannot have ${beyond.join(' and ')}, which no token of a member with the role ${role} has`;
      throw invalid([{ field: 'scopes', message }]);
    }
    return addToken(write, { ...input, role }, randomBytes);
  });
}

/** Issues a token for a user with this role, as part of a write that has read or added the user. */
export function addToken(
  write: Write,
  { role, ...input }: NewTokenInput & { role: MemberRole },
  randomBytes: RandomBytes,
): IssuedToken {
  const { name, mode, scopes, sites = [], signingSecret, userId, expiry } = input;
  const token = newToken(mode, randomBytes);
  const { record } = write.append(tokens, ({ number }) => ({
    id: number,
    name,
    mode,
    hash: hashToken(token),
    scopes: [...scopes],
    sites: [...sites],
    ...(signingSecret !== undefined && { signingSecret }),
    userId,
    createdAt: write.now,
    expiresAt: expiry ? expiryTime(expiry, write.now) : null,
    revokedAt: null,
    replacedBy: null,
  }));
  const grant = grantedBy(record, role);
  write.addGrant(record.hash, grant);
  recordEvent(write, { event: 'TOKEN_ISSUED', about: record.id });
  return { token, record: toToken(record), granted: grant.scopes };
}

/**
 * Revokes a token: deletes its grant, keeps its record. One transaction, or none if it was revoked before.
 * @throws Failure `notFound`
 */
export async function revokeToken(
  ledger: Ledger,
  id: number,
): Promise<{ record: ShownToken; revokedBefore: boolean }> {
  const ref = ledger.ref(tokens, id);
  return ledger.write({ change: { token: ref } }, (write, { token }) => {
    if (token.revokedAt !== null) return { record: toToken(token), revokedBefore: true };
    return { record: toToken(revoke(write, ref, token)), revokedBefore: false };
  });
}

/**
 * Replaces a token by a new token with its name, mode, scopes, sites, signing secret and user. Without an `expiry`, the
 * new token gets the lifetime of the old token. The old token expires after `overlap` milliseconds, or sooner if it
 * would have expired sooner. With an overlap of 0 the old token is revoked. One transaction.
 *
 * @throws Failure `notFound`; NotRotatable for a token that is revoked, expired or replaced;
 *   `conflict` if its user is disabled, or the record of its user is lost
 */
export async function rotateToken(
  ledger: Ledger,
  id: number,
  { overlap, expiry }: { overlap: number; expiry?: Expiry | undefined },
  randomBytes: RandomBytes,
): Promise<RotatedToken> {
  const ref = ledger.ref(tokens, id);
  return ledger.write({ change: { token: ref } }, async (write, { token }) => {
    const now = Date.parse(write.now);
    // A replaced token has a shortened lifetime, and must not get a second successor.
    if (stateOf(token, now) !== 'active' || token.replacedBy !== null) throw new NotRotatable(toToken(token));
    const user = await write.check(userRef(ledger, token.userId));
    if (!user) throw new Failure('conflict', sentences.noUser);
    refuseDisabled(user);
    const { role } = user;
    const successorExpiry = expiry ?? lifetimeOf(token);
    const issued = addToken(
      write,
      { ...token, role, ...(successorExpiry && { expiry: successorExpiry }) },
      randomBytes,
    );
    recordEvent(write, { event: 'TOKEN_ROTATED', about: token.id });
    const replaced = merge(token, { replacedBy: issued.record.id });
    return {
      ...issued,
      replaced: toToken(
        overlap === 0
          ? revoke(write, ref, replaced)
          : expireAt(write, ref, { token: replaced, role }, expiryTime({ after: overlap }, write.now)),
      ),
    };
  });
}

/** A token of a disabled user has no grant, so it is not issued. @throws Failure `conflict` */
function refuseDisabled({ isDisabled }: { isDisabled: boolean }): void {
  if (isDisabled) throw new Failure('conflict', sentences.disabledUser);
}

/** Revokes a token that the write has read. */
function revoke(write: Write, ref: RecordRef<typeof tokens>, token: TokenRecord): TokenRecord {
  recordEvent(write, { event: 'TOKEN_REVOKED', about: token.id });
  return takeAway(write, ref, token);
}

/** Revokes a token together with its member, as part of a write. The member's event says so. */
export async function revokeWith(write: Write, ref: RecordRef<typeof tokens>): Promise<void> {
  const token = await write.read(ref);
  if (token) takeAway(write, ref, token);
}

function takeAway(write: Write, ref: RecordRef<typeof tokens>, token: TokenRecord): TokenRecord {
  const revoked = merge(token, { revokedAt: write.now });
  write.revokeGrant(token.hash);
  write.replace(ref, revoked);
  return revoked;
}

/** Makes a token expire at `limit`, or sooner if it would have expired sooner, as part of a write. */
function expireAt(
  write: Write,
  ref: RecordRef<typeof tokens>,
  { token, role }: { token: TokenRecord; role: MemberRole },
  limit: string,
): TokenRecord {
  const sooner = token.expiresAt !== null && token.expiresAt < limit ? token.expiresAt : limit;
  const ending = merge(token, { expiresAt: sooner });
  write.replaceGrant(token.hash, grantedBy(ending, role));
  write.replace(ref, ending);
  return ending;
}

/** Lifetime of a token; undefined if it never expires. */
function lifetimeOf({
  createdAt,
  expiresAt,
}: Pick<ShownToken, 'createdAt' | 'expiresAt'>): Expiry | undefined {
  return expiresAt === null ? undefined : { after: Date.parse(expiresAt) - Date.parse(createdAt) };
}

/** Grant of a token, as its record and the role of its member say. */
export const grantedBy = (
  { id, userId, scopes, sites, signingSecret, expiresAt }: TokenRecord,
  role: MemberRole,
): Omit<Grant, 'organization'> & { scopes: readonly Scope[] } => ({
  tokenId: id,
  userId,
  scopes: [...scopesWithin(role, scopes)],
  sites,
  ...(signingSecret !== undefined && { signingSecret }),
  expiresAt,
});

const toToken = ({ hash, signingSecret, ...token }: TokenRecord): ShownToken => ({
  ...token,
  isSigned: signingSecret !== undefined,
});
