import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localMessageOf } from '../../infra/local/local-error.ts';
import { apiChanges } from './api-changes/part.ts';
import { browser } from './browser/part.ts';
import { clients } from './clients/part.ts';
import { cloudformation } from './cloudformation/part.ts';
import { dynamodbLocal } from './dynamodb-local/part.ts';
import { parseOptions, usage } from './options.ts';
import type { Part } from './part.ts';
import { runParts } from './run-parts.ts';
import { sam } from './sam/part.ts';

/** What takes longest comes last. */
const parts: readonly Part[] = [apiChanges, browser, clients, sam, cloudformation, dynamodbLocal];

const print = (text: string) => process.stdout.write(text);

/** `npm run test:outside`. Returns the exit code. @throws LocalError for a mistake in the arguments */
async function system(args: string[]): Promise<number> {
  const { chosen, help } = parseOptions(args, parts);
  if (!help) return (await runParts(chosen, print)) ? 0 : 1;
  print(usage(parts));
  return 0;
}

// All temporary files of the parts, and of what they start, go with this process, however far it came.
const folder = mkdtempSync(join(tmpdir(), 'outside-'));
process.env['TMPDIR'] = folder;
process.once('exit', () => {
  // What has just been ended may still have a file open to write.
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

// So that whatever waits for this process to end, ends with it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

try {
  process.exitCode = await system(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${localMessageOf(error)}\n`);
  process.exitCode = 1;
}
