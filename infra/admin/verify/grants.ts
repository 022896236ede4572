import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { Grant } from '../../../shared/ledger/internal/grant.ts';
import { grantKey, recordKey, type Key } from '../../../shared/ledger/internal/keys.ts';
import { stateOf, tokens } from '../../../shared/domain/tokens/tokens.ts';
import type { Finding } from './finding.ts';
import type { Repair } from './repair-plan.ts';
import { numberFlag, type Verification } from './verification.ts';
import type { Check } from './snapshots.ts';

/**
 * Verifies that each active token has its grant, that a revoked token has none, and that grants allow what
 * the tokens' records say. An expired token may still have a grant, which nothing removes.
 */
export async function verifyGrants(verification: Verification): Promise<void> {
  const numbers = [...verification.observedCollection(tokens.name).flags].flatMap(([number, flags]) =>
    (flags & numberFlag.record) === 0 ? [] : [number],
  );
  await verification.inBatches(numbers, 'the grants of tokens', (batch) =>
    verification.confirmFindings(batch.map((number) => checkToken(verification, number))),
  );
}

function checkToken(verification: Verification, number: number): Check<Finding | undefined> {
  const { organization } = verification;
  const where = verification.nameOf(tokens.name, number);
  const now = verification.reads.system.now();
  return (snapshot) => {
    const record = v.safeParse(tokens.schema, snapshot.get(recordKey(organization, tokens.name, number)));
    if (!record.success) return undefined;
    const token = record.output;
    const key = grantKey(token.hash);
    const item = snapshot.get(key);
    const state = stateOf(token, now);
    const { userId, scopes, sites, expiresAt } = token;
    const expected = { organization, tokenId: number, userId, scopes, sites, expiresAt };
    const writeGrant: Repair = {
      sentence: 'grants what its record says',
      addTo: (plan) => {
        plan.put(key, expected);
      },
    };
    if (!item) {
      if (state !== 'active') return undefined;
      const sentence = `${where} is active, but its grant is missing.`;
      return { kind: 'grant-missing', where, sentence, repair: writeGrant };
    }
    if (state === 'revoked') {
      const sentence = `${where} is revoked, but its grant is there.`;
      return { kind: 'grant-of-revoked', where, sentence, repair: removeGrant(key) };
    }
    const grant = v.safeParse(Grant, item);
    if (grant.success && isDeepStrictEqual(grant.output, expected)) return undefined;
    const sentence = `The grant of ${where} is not what its record says (${differences(item, expected)}).`;
    return { kind: 'grant-differs', where, sentence, repair: writeGrant };
  };
}

export const removeGrant = (key: Key): Repair => ({
  sentence: 'takes the grant away',
  addTo: (plan) => {
    plan.remove(key);
  },
});

/** Names of the attributes that differ. */
function differences(item: Record<string, unknown>, expected: object): string {
  const names = Object.entries(expected).filter(([name, value]) => !isDeepStrictEqual(item[name], value));
  return names.map(([name]) => name).join(', ');
}
