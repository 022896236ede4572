import { Failure } from '../../../shared/core/failure.ts';
import { addNumber, listNumbers } from '../../../shared/domain/numbers/numbers.ts';
import { newToken, type RandomBytes } from '../../../shared/domain/tokens/token.ts';
import { issueToken, listTokens, stateOf, type TokenState } from '../../../shared/domain/tokens/tokens.ts';
import type { Ledger } from '../../../shared/ledger/index.ts';
import { numberArnOf } from '../phone-numbers.ts';

/** The websites whose forms may send the demo's keys: those of any port of this computer. */
export const demoSites = ['http://localhost:*', 'http://127.0.0.1:*'];

const tokenName = 'Demo forms';

/** How texts and forms come to a demo organization. */
export interface Channels {
  /** A number that texts come to: the demo's, else its first; undefined where it has none. */
  number: string | undefined;
  /** The token of forms. It is public, as every such token. */
  key: string;
  /** Someone may have revoked it. */
  keyState: TokenState;
}

/**
 * Gives an organization a number and a token for forms, once: where it has that token, nothing is given again. The token is
 * issued last, so an interrupted start is made up for.
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

/** Someone may have given the number to another organization. */
function leaveIfTaken(error: unknown): void {
  if (!(error instanceof Failure && error.kind === 'conflict')) throw error;
}
