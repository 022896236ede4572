import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { Grant } from '../../../shared/ledger/internal/grant.ts';
import { grantKey, recordKey, type Key } from '../../../shared/ledger/internal/keys.ts';
import { stateOf, tokens } from '../../../shared/domain/tokens/tokens.ts';
import type { Finding, Mend } from './finding.ts';
import { marks, type Scene } from './scene.ts';
import type { Judge } from './snapshots.ts';

/**
 * Proves that each active token has its grant, that a revoked one has none, and that grants allow what the tokens'
 * records say. An expired token may have a grant, which nothing takes away.
 */
export async function settleGrants(scene: Scene): Promise<void> {
  const numbers = [...scene.stateOf(tokens.name).marks].flatMap(([number, is]) =>
    (is & marks.record) === 0 ? [] : [number],
  );
  await scene.inPortions(numbers, 'the grants of tokens', (portion) =>
    scene.settleFindings(portion.map((number) => judgeToken(scene, number))),
  );
}

function judgeToken(scene: Scene, number: number): Judge<Finding | undefined> {
  const { organization } = scene;
  const where = scene.nameOf(tokens.name, number);
  const now = scene.reads.system.now();
  return (look) => {
    const record = v.safeParse(tokens.schema, look(recordKey(organization, tokens.name, number)));
    if (!record.success) return undefined;
    const token = record.output;
    const key = grantKey(token.hash);
    const item = look(key);
    const state = stateOf(token, now);
    const { userId, scopes, sites, expiresAt } = token;
    const expected = { organization, tokenId: number, userId, scopes, sites, expiresAt };
    const granted: Mend = {
      sentence: 'grants what its record says',
      apply: (draft) => {
        draft.put(key, expected);
      },
    };
    if (!item) {
      if (state !== 'active') return undefined;
      const sentence = `${where} is active, but its grant is missing.`;
      return { kind: 'grant-missing', where, sentence, mend: granted };
    }
    if (state === 'revoked') {
      const sentence = `${where} is revoked, but its grant is there.`;
      return { kind: 'grant-of-revoked', where, sentence, mend: withdrawn(key) };
    }
    const grant = v.safeParse(Grant, item);
    if (grant.success && isDeepStrictEqual(grant.output, expected)) return undefined;
    const sentence = `The grant of ${where} is not what its record says (${differences(item, expected)}).`;
    return { kind: 'grant-differs', where, sentence, mend: granted };
  };
}

/** Takes a grant away. */
export const withdrawn = (key: Key): Mend => ({
  sentence: 'takes the grant away',
  apply: (draft) => {
    draft.remove(key);
  },
});

/** The names of the attributes that differ. */
function differences(item: Record<string, unknown>, expected: object): string {
  const names = Object.entries(expected).filter(([name, value]) => !isDeepStrictEqual(item[name], value));
  return names.map(([name]) => name).join(', ');
}
