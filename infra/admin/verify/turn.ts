import { queueKey } from '../../../shared/ledger/internal/keys.ts';
import type { Draft } from './draft.ts';
import { keyName, type Finding } from './finding.ts';
import type { Scene } from './scene.ts';
import type { Judge } from './snapshots.ts';

/** Where the counter is behind the head, writers take numbers that were served already, and wait for others. */
export function judgeTurn(scene: Scene): Judge<Finding | undefined> {
  const key = queueKey(scene.organization);
  return (look) => {
    const counter = look(key);
    const taken = counter?.['taken'];
    const served = scene.headIn(look)?.queue?.served ?? 0;
    if (served <= (typeof taken === 'number' ? taken : 0)) return undefined;
    const where = keyName(key);
    const sentence = `${where} has given out fewer numbers than the ${served} that the head has served.`;
    const mend = {
      sentence: `lets it have given out numbers up to ${served}`,
      apply: (draft: Draft) => {
        draft.put(key, { ...counter, taken: served });
      },
    };
    return { kind: 'turn-behind', where, sentence, mend };
  };
}
