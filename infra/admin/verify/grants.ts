import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { Grant } from '../../../shared/ledger/internal/grant.ts';
import { grantKey, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { stateOf, tokens } from '../../../shared/domain/tokens/tokens.ts';
import type { Finding } from './finding.ts';
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
    const item = look(grantKey(token.hash));
    const state = stateOf(token, now);
    if (!item) {
      if (state !== 'active') return undefined;
      return { kind: 'grant-missing', where, sentence: `${where} is active, but its grant is missing.` };
    }
    if (state === 'revoked') {
      return { kind: 'grant-of-revoked', where, sentence: `${where} is revoked, but its grant is there.` };
    }
    const grant = v.safeParse(Grant, item);
    const { userId, scopes, expiresAt } = token;
    const expected = { organization, tokenId: number, userId, scopes, expiresAt };
    if (grant.success && isDeepStrictEqual(grant.output, expected)) return undefined;
    const sentence = `The grant of ${where} is not what its record says (${differences(item, expected)}).`;
    return { kind: 'grant-differs', where, sentence };
  };
}

/** The names of the attributes that differ. */
function differences(item: Record<string, unknown>, expected: object): string {
  const names = Object.entries(expected).filter(([name, value]) => !isDeepStrictEqual(item[name], value));
  return names.map(([name]) => name).join(', ');
}
