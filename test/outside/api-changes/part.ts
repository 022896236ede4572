import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findContracts } from '../../../infra/functions.ts';
import { LocalError } from '../../../infra/local/local-error.ts';
import { openApiDocument } from '../../../infra/open-api/open-api.ts';
import type { Part as DescriptionPart } from '../../support/api-mutations/description.ts';
import type { Mutation } from '../../support/api-mutations/mutation.ts';
import { mutations } from '../../support/api-mutations/mutations.ts';
import { runs } from '../commands.ts';
import type { Part } from '../part.ts';
import { Oasdiff } from './oasdiff.ts';

/** What our own comparison calls breaking, oasdiff does, too, unless the table of changes says why not. */
export const apiChanges: Part = {
  name: 'api-changes',
  about: 'compares descriptions of the API with oasdiff, as "npm run check:api" does by itself',
  missing: async () =>
    (await runs('go', 'version')) ? undefined : 'there is no Go (go), which oasdiff is written in.',
  run: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'api-changes-'));
    try {
      await tryAll(await Oasdiff.install(folder), folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** @throws LocalError that names the changes of which the two say other than the table says */
async function tryAll(oasdiff: Oasdiff, folder: string): Promise<void> {
  const description = JSON.stringify(openApiDocument(await findContracts()));
  const before = join(folder, 'before.json');
  writeFileSync(before, description);
  const surprises: string[] = [];
  const left = [...mutations.entries()];
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [at, mutation] = next;
      const changed = JSON.parse(description) as DescriptionPart;
      mutation.change(changed);
      const after = join(folder, `${at}.json`);
      writeFileSync(after, JSON.stringify(changed));
      surprises.push(...surprise(mutation, await oasdiff.breaks(before, after)));
    }
  };
  await Promise.all([work(), work()]);
  if (surprises.length > 0)
    throw new LocalError(`oasdiff says other than expected:\n${surprises.join('\n')}`);
  const unlike = mutations.filter(({ unlikeOasdiff }) => unlikeOasdiff !== undefined);
  process.stdout.write(
    `  ${mutations.length} changes: the same verdict on ${mutations.length - unlike.length}, and another, as expected, on\n`,
  );
  for (const { name, unlikeOasdiff } of unlike) process.stdout.write(`    ${name}. ${unlikeOasdiff ?? ''}\n`);
}

function surprise({ name, verdict, unlikeOasdiff }: Mutation, found: string[]): string[] {
  // What a person must judge fails the check, as a break does.
  const isBreak = verdict === 'break' || verdict === 'unjudged';
  const isSame = isBreak === found.length > 0;
  if (isSame === (unlikeOasdiff === undefined)) return [];
  return [
    `${name}: expected ${isSame ? 'another verdict' : verdict}, and it found ${found.join(', ') || 'nothing'}`,
  ];
}
