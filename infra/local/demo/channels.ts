import { Failure } from '../../../shared/core/failure.ts';
import { addNumber, listNumbers } from '../../../shared/domain/numbers/numbers.ts';
import { newToken, type RandomBytes } from '../../../shared/domain/tokens/token.ts';
import { issueToken, listTokens, stateOf, type TokenState } from '../../../shared/domain/tokens/tokens.ts';
import type { Ledger } from '../../../shared/ledger/index.ts';
import { numberArnOf } from '../messaging/phone-numbers.ts';

/** Websites that the demo's keys accept forms from: every port of this computer. */
export const demoSites = ['http://localhost:*', 'http://127.0.0.1:*'];

const tokenName = 'Demo forms';

/** Phone number and form token of a demo organization. */
export interface Channels {
  /** The demo's number if the organization still has it, else its first number; undefined if it has none. */
  number: string | undefined;
  /** Token for forms. Like every such token, it is public. */
  key: string;
  /** A user may have revoked the token. */
  keyState: TokenState;
}

/**
 * Gives an organization a number and a token for forms, unless it has that token. The token is issued last,
 * so the next start completes an interrupted one.
 */
export async function ensureChannels(
  ledger: Ledger,
  { number, userId, randomBytes }: { number: string; userId: string; randomBytes: () => RandomBytes },
): Promise<Channels> {
  const known = (await listTokens(ledger)).find(({ name }) => name === tokenName);
  if (!known) {
    await addNumber(ledger, { number, arn: numberArnOf(number) }).catch(leaveIfTaken);
    const rights = { mode: 'test', scopes: ['forms:submit'], sites: demoSites } as const;
    await issueToken(ledger, { name: tokenName, ...rights, userId }, randomBytes());
  }
  const numbers = (await listNumbers(ledger)).map((one) => one.number);
  return {
    number: numbers.includes(number) ? number : numbers[0],
    key: newToken('test', randomBytes()),
    keyState: known ? stateOf(known, Date.now()) : 'active',
  };
}

/** Ignores a conflict: another organization may have been given the number. */
function leaveIfTaken(error: unknown): void {
  if (!(error instanceof Failure && error.kind === 'conflict')) throw error;
}
