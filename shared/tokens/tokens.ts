import * as v from 'valibot';
import { scopes, type Scope } from '../endpoints/endpoint.ts';
import { timestamp } from '../endpoints/fields.ts';
import type { Collection } from '../ledger/collection.ts';
import type { Write } from '../ledger/write.ts';
import { hashToken, newToken, type RandomBytes, type TokenMode } from './token.ts';

/** A token as its organization knows it: all but the secret, of which only the hash is kept. */
export const tokens = {
  name: 'TOKEN',
  label: 'token',
  schema: v.object({
    id: v.number(),
    name: v.string(),
    hash: v.string(),
    scopes: v.array(v.picklist(scopes)),
    userId: v.string(),
    createdAt: v.string(),
    expiresAt: v.nullable(timestamp),
  }),
} as const satisfies Collection;

export interface NewTokenInput {
  /** What its holders call it. */
  name: string;
  mode: TokenMode;
  scopes: readonly Scope[];
  /** The user it acts for. */
  userId: string;
  /** The moment it expires, in the API's format; never, when not given. */
  expiresAt?: string;
}

/** The part of a write that issues a token. The secret is returned, and nowhere else: it cannot be shown again. */
export function addToken(write: Write, input: NewTokenInput, randomBytes: RandomBytes): string {
  const { name, mode, scopes, userId, expiresAt = null } = input;
  const token = newToken(mode, randomBytes);
  const hash = hashToken(token);
  const granted = { scopes: [...scopes], userId, expiresAt };
  const { place } = write.append(tokens, ({ number }) => ({
    id: number,
    name,
    hash,
    ...granted,
    createdAt: write.now,
  }));
  write.grant(hash, { tokenId: place.number, ...granted });
  write.event({ event: 'TOKEN_ISSUED', data: 'A token was issued', referenceId: String(place.number) });
  return token;
}
