import * as v from 'valibot';
import { sentences } from '../../contract/errors.ts';
import { scopesBeyond, scopesWithin, type MemberRole } from '../../contract/roles.ts';
import { maxLiveTokens, scopes, type Scope } from '../../contract/scopes.ts';
import { timestamp } from '../../contract/fields.ts';
import { userRef } from '../members/members.ts';
import { refuseBeyondManager, type TokenManager } from './token-manager.ts';
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
    /** The secret before it, encrypted, which still signs until a time. */
    formerSecret: v.optional(v.object({ encrypted: v.string(), until: timestamp })),
    /** Number of the invitation that the token accepts. */
    invitation: v.optional(v.number()),
    userId: v.string(),
    createdAt: v.string(),
    expiresAt: v.nullable(timestamp),
    /** Time of the revocation. A revoked token grants nothing. */
    revokedAt: v.nullable(timestamp),
    /** Day (UTC) of the last use, once the token is revoked; null if there was none. Before that, the grant has it. */
    lastUsedOn: v.nullable(v.string()),
    /** Id of the token that replaces this one, which may stay valid for an overlap. */
    replacedBy: v.nullable(v.number()),
  }),
} as const satisfies Collection;

export type TokenRecord = RecordOf<typeof tokens>;

/** Fields of a token that an operator may see. `isSigned` is true if requests with the token must be signed. */
export type ShownToken = Omit<TokenRecord, 'hash' | 'signingSecret' | 'formerSecret'> & { isSigned: boolean };

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
  formerSecret?: TokenRecord['formerSecret'];
  /** Number of the invitation that the token accepts. */
  invitation?: number | undefined;
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

/** Scopes of a token of an owner, who then needs no operator. */
export const ownersScopes = ['read', 'write', 'members:write', 'tokens:write'] as const satisfies Scope[];

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
 * Issues a token. The token grants its scopes, as far as the role of its user allows them. One transaction. Without
 * `by`, an operator issues it.
 * @throws Failure `notFound` for the user; `conflict` for a user who is disabled or has `maxLiveTokens`; `invalid` for a
 * narrow scope that no token of a user with that role has; as `refuseBeyondManager` does
 */
export async function issueToken(
  ledger: Ledger,
  { mode, ...input }: Omit<NewTokenInput, 'mode'> & { mode?: TokenMode },
  randomBytes: RandomBytes,
  by?: TokenManager,
): Promise<IssuedToken> {
  return ledger.write({ check: { user: userRef(ledger, input.userId) } }, async (write, { user }) => {
    refuseDisabled(user);
    await refuseBeyondManager(write, by, { user, scopes: input.scopes });
    const { role } = user;
    const beyond = scopesBeyond(role).filter((scope) => input.scopes.includes(scope));
    if (beyond.length > 0) {
      const message = `cannot have ${beyond.join(' and ')}, which no token of a member with the role ${role} has`;
      throw invalid([{ field: 'scopes', message }]);
    }
    await refuseTooMany(write, input.userId);
    const issued = addToken(
      write,
      { ...input, role, mode: mode ?? (await modeOf(write, by?.tokenId)) },
      randomBytes,
    );
    await keepValue(write, issued, by);
    return issued;
  });
}

/** Mode of the sender's token, which the tokens that the sender makes have, too. One round trip. */
export async function modeOf(write: Write, tokenId = 0): Promise<TokenMode> {
  const token = await write.check({ collection: tokens, number: tokenId });
  return token?.mode ?? 'live';
}

/** Keeps the value of a new token, sealed, for a repeat of the request. */
export async function keepValue(
  write: Write,
  { token, record }: IssuedToken,
  by: Pick<TokenManager, 'seal'> | undefined,
): Promise<void> {
  if (!by?.seal) return;
  write.keep({ collection: tokens, number: record.id });
  write.keepReplayData(await by.seal(token));
}

/** @throws Failure `conflict` if the user has `maxLiveTokens` tokens that work, after `freed` of them end */
export async function refuseTooMany(write: Write, userId: string, { freed = 0 } = {}): Promise<void> {
  const working = await workingTokens(write, userId);
  if (working.length - freed >= maxLiveTokens) throw new Failure('conflict', sentences.tooManyLiveTokens);
}

/** The tokens of a user that are neither revoked nor expired. One serializable read for each hundred tokens. */
export async function workingTokens(write: Write, userId: string): Promise<TokenRecord[]> {
  const now = Date.parse(write.now);
  return (await write.checkAll(tokens)).filter(
    (token) => token.userId === userId && stateOf(token, now) === 'active',
  );
}

/** Issues a token for a user with this role, as part of a write that has read or added the user. */
export function addToken(
  write: Write,
  { role, ...input }: NewTokenInput & { role: MemberRole },
  randomBytes: RandomBytes,
): IssuedToken {
  const { name, mode, scopes, sites = [], signingSecret, formerSecret, invitation, userId, expiry } = input;
  const token = newToken(mode, randomBytes);
  const { record } = write.append(tokens, ({ number }) => ({
    id: number,
    name,
    mode,
    hash: hashToken(token),
    scopes: [...scopes],
    sites: [...sites],
    ...(signingSecret !== undefined && { signingSecret }),
    ...(formerSecret && { formerSecret }),
    ...(invitation !== undefined && { invitation }),
    userId,
    createdAt: write.now,
    expiresAt: expiry ? expiryTime(expiry, write.now) : null,
    revokedAt: null,
    lastUsedOn: null,
    replacedBy: null,
  }));
  const grant = grantedBy(record, role);
  write.addGrant(record.hash, grant);
  recordEvent(write, { event: 'TOKEN_ISSUED', about: record.id });
  return { token, record: toToken(record), granted: grant.scopes };
}

/**
 * Revokes a token: deletes its grant, keeps its record. One transaction, or none if it was revoked before.
 * @throws Failure `notFound`; as `refuseBeyondManager` does
 */
export async function revokeToken(
  ledger: Ledger,
  id: number,
  by?: TokenManager,
): Promise<{ record: ShownToken; revokedBefore: boolean }> {
  const ref = ledger.ref(tokens, id);
  return ledger.write({ change: { token: ref } }, async (write, { token }) => {
    if (token.revokedAt !== null) return { record: toToken(token), revokedBefore: true };
    await refuseBeyondManager(write, by, { user: await userOf(ledger, write, token) });
    return { record: toToken(await revoke(write, ref, token)), revokedBefore: false };
  });
}

/** A token with the day of its last use, which its grant has while it is not revoked. One round trip, or none. */
export const withUse = async (write: Write, token: TokenRecord): Promise<TokenRecord> =>
  token.revokedAt === null ? { ...token, lastUsedOn: (await write.lastUseOf(token.hash)) ?? null } : token;

/** The user of a token; undefined for a user who is gone. One round trip, a serializable read. */
export const userOf = (ledger: Ledger, write: Write, { userId }: Pick<TokenRecord, 'userId'>) =>
  write.check(userRef(ledger, userId));

/** Overlap of a rotation in milliseconds, and expiry of the new token: null for never. */
interface Rotation {
  overlap: number;
  expiry?: Expiry | null | undefined;
}

/**
 * Replaces a token by a new token with its name, mode, scopes, sites, secrets and user. Without an `expiry`, the
 * new token gets the lifetime of the old token. The old token expires after `overlap` milliseconds, or sooner if it
 * would have expired sooner. With an overlap of 0 the old token is revoked. One transaction.
 *
 * @throws Failure `notFound`; `conflict` for a token that is revoked, expired or replaced, if its user is disabled or has
 * `maxLiveTokens`, or if the record of its user is lost; as `refuseBeyondManager` does
 */
export async function rotateToken(
  ledger: Ledger,
  id: number,
  { overlap, expiry }: Rotation,
  randomBytes: RandomBytes,
  by?: TokenManager,
): Promise<RotatedToken> {
  const ref = ledger.ref(tokens, id);
  return ledger.write({ change: { token: ref } }, async (write, { token }) => {
    refuseEnded(token, write);
    if (token.invitation !== undefined) throw new Failure('conflict', sentences.tokenOfInvitation);
    const user = await userOf(ledger, write, token);
    if (!user) throw new Failure('conflict', sentences.noUser);
    refuseDisabled(user);
    await refuseBeyondManager(write, by, { user, scopes: token.scopes });
    await refuseTooMany(write, token.userId, { freed: overlap === 0 ? 1 : 0 });
    const { role } = user;
    const successorExpiry = expiry === undefined ? lifetimeOf(token) : expiry;
    const issued = addToken(
      write,
      { ...token, role, ...(successorExpiry && { expiry: successorExpiry }) },
      randomBytes,
    );
    await keepValue(write, issued, by);
    recordEvent(write, { event: 'TOKEN_ROTATED', about: token.id });
    const replaced = merge(token, { replacedBy: issued.record.id });
    return {
      ...issued,
      replaced: toToken(
        overlap === 0
          ? await revoke(write, ref, replaced)
          : expireAt(write, ref, { token: replaced, role }, expiryTime({ after: overlap }, write.now)),
      ),
    };
  });
}

/**
 * Refuses a token that works no more, or that was replaced: it has a shortened lifetime, and must not get a second
 * successor. @throws Failure `conflict` that says what to do instead
 */
function refuseEnded(token: TokenRecord, { now }: Write): void {
  const { revokedAt, expiresAt, replacedBy } = token;
  const isActive = stateOf(token, Date.parse(now)) === 'active';
  if (isActive && replacedBy === null) return;
  const ended = revokedAt === null ? `expired at ${expiresAt ?? ''}` : `was revoked at ${revokedAt}`;
  const instead =
    replacedBy === null ? 'issue a new token' : `rotate token ${replacedBy}, which takes its place`;
  throw new Failure('conflict', `The token ${isActive ? 'was rotated before' : ended}; ${instead}`);
}

/** A token of a disabled user has no grant, so it is not issued. @throws Failure `conflict` */
export function refuseDisabled({ isDisabled }: { isDisabled: boolean }): void {
  if (isDisabled) throw new Failure('conflict', sentences.disabledUser);
}

/** Revokes a token that the write has read. */
function revoke(write: Write, ref: RecordRef<typeof tokens>, token: TokenRecord): Promise<TokenRecord> {
  recordEvent(write, { event: 'TOKEN_REVOKED', about: token.id });
  return takeAway(write, ref, token);
}

/** Revokes a token together with its member or its invitation, as part of a write. Their event says so. */
export async function revokeWith(write: Write, ref: RecordRef<typeof tokens>): Promise<void> {
  const token = await write.read(ref);
  if (token) await takeAway(write, ref, token);
}

async function takeAway(
  write: Write,
  ref: RecordRef<typeof tokens>,
  token: TokenRecord,
): Promise<TokenRecord> {
  const revoked = merge(await withUse(write, token), { revokedAt: write.now });
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
  { id, userId, scopes, sites, signingSecret, formerSecret, expiresAt }: TokenRecord,
  role: MemberRole,
): Omit<Grant, 'organization'> & { scopes: readonly Scope[] } => ({
  tokenId: id,
  userId,
  scopes: [...scopesWithin(role, scopes)],
  sites,
  ...(signingSecret !== undefined && { signingSecret }),
  ...(formerSecret && { formerSecret }),
  expiresAt,
});

export const toToken = ({ hash, signingSecret, formerSecret, ...token }: TokenRecord): ShownToken => ({
  ...token,
  isSigned: signingSecret !== undefined,
});
