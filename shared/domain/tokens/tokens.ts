import * as v from 'valibot';
import { scopes, type Scope } from '../../contract/endpoint.ts';
import { timestamp } from '../../contract/fields.ts';
import { type Collection, type RecordRef, type RecordOf } from '../../ledger/internal/collection.ts';
import type { Grant } from '../../ledger/internal/grant.ts';
import type { Ledger } from '../../ledger/internal/ledger.ts';
import type { Write } from '../../ledger/internal/write.ts';
import { userRef } from '../members/members.ts';
import { momentOf, type Expiry } from './expiry.ts';
import { hashToken, newToken, tokenModes, type RandomBytes, type TokenMode } from './token.ts';
import { notFound } from '../../core/failure.ts';
import { merge } from '../../core/merge.ts';

/** A token as its organization knows it: all but the secret, of which only the hash is kept. */
export const tokens = {
  name: 'TOKEN',
  label: 'token',
  schema: v.object({
    id: v.number(),
    name: v.string(),
    mode: v.optional(v.picklist(tokenModes), 'test'),
    hash: v.string(),
    scopes: v.array(v.picklist(scopes)),
    userId: v.string(),
    createdAt: v.string(),
    expiresAt: v.nullable(timestamp),
    /** When it was revoked: from then on it grants nothing, though it may have had longer to live. */
    revokedAt: v.optional(v.nullable(timestamp), null),
    /** The id of the token that takes its place; this one may live on for an overlap. */
    replacedBy: v.optional(v.nullable(v.number()), null),
  }),
} as const satisfies Collection;

type TokenRecord = RecordOf<typeof tokens>;

/** What an operator may see of a token. */
export type Token = Omit<TokenRecord, 'hash'>;

export type TokenState = 'active' | 'expired' | 'revoked';

export interface NewTokenInput {
  /** What its holders call it. */
  name: string;
  mode: TokenMode;
  scopes: readonly Scope[];
  /** The user it acts for. */
  userId: string;
  /** Never expires, when not given. */
  expiry?: Expiry;
}

export interface IssuedToken {
  /** The token itself: returned here and nowhere else, so it cannot be shown again. */
  token: string;
  record: Token;
}

export interface RotatedToken extends IssuedToken {
  /** The token that was rotated, as it is now. */
  replaced: Token;
}

/** The token was replaced already, or grants nothing any more: there is nothing to rotate. */
export class NotRotatable extends Error {
  readonly token: Token;

  constructor(token: Token) {
    super(`Token ${token.id} cannot be rotated`);
    this.token = token;
  }
}

/** What a token is good for at a moment, in epoch milliseconds. */
export function stateOf({ revokedAt, expiresAt }: Token, now: number): TokenState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= now ? 'expired' : 'active';
}

/** Every token that the organization was ever issued, by id ascending. */
export async function listTokens(ledger: Ledger): Promise<Token[]> {
  return (await ledger.all(tokens)).map(toToken);
}

/** Issues a token. One transaction. @throws Failure `notFound` for a user that the organization does not have. */
export async function issueToken(
  ledger: Ledger,
  input: NewTokenInput,
  randomBytes: RandomBytes,
): Promise<IssuedToken> {
  return ledger.write({ check: { user: userRef(ledger, input.userId) } }, (write, { user }) => {
    if (!user) throw notFound('user');
    return addToken(write, input, randomBytes);
  });
}

/** The part of a write that issues a token. */
export function addToken(write: Write, input: NewTokenInput, randomBytes: RandomBytes): IssuedToken {
  const { name, mode, scopes, userId, expiry } = input;
  const token = newToken(mode, randomBytes);
  const { record } = write.append(tokens, ({ number }) => ({
    id: number,
    name,
    mode,
    hash: hashToken(token),
    scopes: [...scopes],
    userId,
    createdAt: write.now,
    expiresAt: expiry ? momentOf(expiry, write.now) : null,
    revokedAt: null,
    replacedBy: null,
  }));
  write.grant(record.hash, grantedBy(record));
  write.event({ event: 'TOKEN_ISSUED', data: 'A token was issued', referenceId: String(record.id) });
  return { token, record: toToken(record) };
}

/**
 * Revokes a token: its grant goes, its record stays. One transaction, or none for one that was revoked before, which
 * stays as it was.
 *
 * @throws Failure `notFound`
 */
export async function revokeToken(
  ledger: Ledger,
  id: number,
): Promise<{ record: Token; revokedBefore: boolean }> {
  const ref = ledger.ref(tokens, id);
  return ledger.write({ change: { token: ref } }, (write, { token }) => {
    if (!token) throw notFound(tokens.label);
    if (token.revokedAt !== null) return { record: toToken(token), revokedBefore: true };
    return { record: toToken(revoke(write, ref, token)), revokedBefore: false };
  });
}

/**
 * Issues a token in the place of another: of the same name, mode, scopes and user. Where `expiry` does not say, it
 * lives as long as the other was given. The other expires after the overlap, in milliseconds, though never later than
 * it would have; with an overlap of 0 it is revoked. One transaction.
 *
 * @throws Failure `notFound`; NotRotatable for a token that is revoked, expired or replaced already
 */
export async function rotateToken(
  ledger: Ledger,
  id: number,
  { overlap, expiry }: { overlap: number; expiry?: Expiry | undefined },
  randomBytes: RandomBytes,
): Promise<RotatedToken> {
  const ref = ledger.ref(tokens, id);
  return ledger.write({ change: { token: ref } }, (write, { token }) => {
    if (!token) throw notFound(tokens.label);
    const now = Date.parse(write.now);
    // A replaced one has no lifetime of its own any more, and a second successor would be one too many.
    if (stateOf(token, now) !== 'active' || token.replacedBy !== null) throw new NotRotatable(toToken(token));
    const successorExpiry = expiry ?? lifetimeOf(token);
    const issued = addToken(
      write,
      { ...token, ...(successorExpiry && { expiry: successorExpiry }) },
      randomBytes,
    );
    write.event({
      event: 'TOKEN_ROTATED',
      data: 'A token was replaced by another',
      referenceId: String(token.id),
    });
    const replaced = merge(token, { replacedBy: issued.record.id });
    return {
      ...issued,
      replaced: toToken(
        overlap === 0
          ? revoke(write, ref, replaced)
          : expireAt(write, ref, replaced, momentOf({ after: overlap }, write.now)),
      ),
    };
  });
}

/** The part of a write that revokes a token which it has read. */
function revoke(write: Write, ref: RecordRef<typeof tokens>, token: TokenRecord): TokenRecord {
  const revoked = merge(token, { revokedAt: write.now });
  write.revoke(token.hash);
  write.replace(ref, revoked);
  write.event({ event: 'TOKEN_REVOKED', data: 'A token was revoked', referenceId: String(token.id) });
  return revoked;
}

/** The part of a write that lets a token which it has read end at a moment, or sooner where it would have. */
function expireAt(
  write: Write,
  ref: RecordRef<typeof tokens>,
  token: TokenRecord,
  moment: string,
): TokenRecord {
  const sooner = token.expiresAt !== null && token.expiresAt < moment ? token.expiresAt : moment;
  const ending = merge(token, { expiresAt: sooner });
  write.regrant(token.hash, grantedBy(ending));
  write.replace(ref, ending);
  return ending;
}

/** How long a token was given to live; undefined for ever. */
function lifetimeOf({ createdAt, expiresAt }: Token): Expiry | undefined {
  return expiresAt === null ? undefined : { after: Date.parse(expiresAt) - Date.parse(createdAt) };
}

const grantedBy = ({ id, userId, scopes, expiresAt }: Token): Omit<Grant, 'organization'> => ({
  tokenId: id,
  userId,
  scopes,
  expiresAt,
});

const toToken = ({ hash, ...token }: TokenRecord): Token => token;
