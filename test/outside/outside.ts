import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localMessageOf } from '../../infra/local/local-error.ts';
import { agents } from './agents/part.ts';
import { apiChanges } from './api-changes/part.ts';
import { browser } from './browser/part.ts';
import { clients } from './clients/part.ts';
import { cloudformation } from './cloudformation/part.ts';
import { description } from './description/part.ts';
import { dynamodbLocal } from './dynamodb-local/part.ts';
import { fuzzing } from './fuzzing/part.ts';
import { linearizability } from './linearizability/part.ts';
import { parseOptions, usage } from './options.ts';
import type { Part } from './part.ts';
import { retries } from './retries/part.ts';
import { runParts } from './run-parts.ts';
import { sam } from './sam/part.ts';
import { voice } from './voice/part.ts';
import { webhooks } from './webhooks/part.ts';
import { workflows } from './workflows/part.ts';

/** Parts in the order of their runs: the longest come last. */
const parts: readonly Part[] = [
  workflows,
  apiChanges,
  description,
  linearizability,
  browser,
  webhooks,
  agents,
  voice,
  retries,
  fuzzing,
  clients,
  sam,
  cloudformation,
  dynamodbLocal,
];

const print = (text: string) => process.stdout.write(text);

/**
 * Runs `npm run test:outside`, and returns the exit code. @throws LocalError for a mistake in the arguments
 */
async function system(args: string[]): Promise<number> {
  const { chosen, help } = parseOptions(args, parts);
  if (!help) return (await runParts(chosen, print)) ? 0 : 1;
  print(usage(parts));
  return 0;
}

// All temporary files of the parts and of their programs are in this folder, which is removed when the
// process ends.
const folder = mkdtempSync(join(tmpdir(), 'outside-'));
process.env['TMPDIR'] = folder;
process.once('exit', () => {
  // A program that was just killed may still have a file open.
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

// Exits on a signal, so that everything that is bound to this process ends with it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

try {
  process.exitCode = await system(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${localMessageOf(error)}\n`);
  process.exitCode = 1;
}
