import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findContracts } from '../../../infra/functions.ts';
import { LocalError } from '../../../infra/local/local-error.ts';
import { openApiDocument } from '../../../infra/open-api/open-api.ts';
import {
  compareByOasdiff,
  oasdiff,
  reportChanges,
  type ApiChanges,
} from '../../../infra/release/compare-api.ts';
import { writeReleased } from '../../../infra/release/released.ts';
import { output } from '../commands.ts';
import type { Part } from '../part.ts';
import { missingGo } from '../tools.ts';
import { trialChanges, type Part as DescriptionPart } from './trial-changes.ts';

/** Compares the API with the last release by oasdiff, as `npm run release` does. */
export const apiChanges: Part = {
  name: 'api-changes',
  about: 'compares the API with the last release, by oasdiff',
  missing: () => missingGo('which oasdiff is written in'),
  run: compare,
};

/** @throws LocalError if the API breaks clients, or oasdiff's verdict on a trial change is not the expected one */
async function compare(folder: string): Promise<void> {
  const description = JSON.stringify(openApiDocument(await findContracts()));
  const today = join(folder, 'today.json');
  writeFileSync(today, description);
  // Built once: `go run` takes longer than a comparison.
  const env = { ...process.env, GOBIN: folder };
  await output('go', ['install', oasdiff], { env }, 'Go could not build oasdiff');
  const compareWith = (before: string, after: string) =>
    compareByOasdiff(before, after, (args) => output(join(folder, 'oasdiff'), args));
  const changes = await compareWith(writeReleased(folder), today);
  if (changes.breaks.length + changes.unsure.length > 0)
    throw new LocalError(
      `undo what breaks clients, or release it (CONTRIBUTING.md, Release).\n${reportChanges({ ...changes, additions: [] })}`,
    );
  const surprises: string[] = [];
  for (const { name, verdict, change } of trialChanges) {
    const api = JSON.parse(description) as DescriptionPart;
    change(api);
    const trial = join(folder, 'trial.json');
    writeFileSync(trial, JSON.stringify(api));
    const found = verdictOf(await compareWith(today, trial));
    if (found !== verdict) surprises.push(`${name}: ${found ?? 'no change'} instead of ${verdict}`);
  }
  if (surprises.length > 0)
    throw new LocalError(
      `oasdiff has another verdict than docs/api-changes.md on trial changes: mend infra/release/oasdiff-levels.txt.\n${surprises.join('\n')}`,
    );
  process.stdout.write(
    `  ${changes.additions.length} additions, and no break. ${trialChanges.length} trial changes have the expected verdicts.\n`,
  );
}

/** Returns the worst verdict of all changes. */
const verdictOf = (changes: ApiChanges) =>
  (['breaks', 'unsure', 'additions'] as const).find((verdict) => changes[verdict].length > 0);
