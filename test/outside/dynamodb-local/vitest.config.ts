import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { root } from '../../../infra/root.ts';
import { shared } from '../../../vitest.config.ts';
import { filesLeftOut, LeftOutReporter } from '../../support/vitest/left-out-reporter.ts';
import { leftOut } from './left-out.ts';

/**
 * Files with tests that depend on the engine. The ledger's tests send the engine every kind of call. A few functional
 * tests show that requests reach it, and a few tests of commands that commands do. `test-organization.ts` verifies each
 * file's organizations at its end.
 */
const candidates = [
  'test/functional/{erasure,lead-batch,leads}.test.ts',
  'test/shared/ledger/*.test.ts',
  'test/infra/admin/{copy-commands.full,drill.full,leads-export,new-epoch.full,numbers}.test.ts',
  'test/infra/local/{start-elsewhere.full,tables}.test.ts',
  'test/simulation/validation.test.ts',
];

/** True if a test file uses the database that tests share. */
const usesDatabase = (file: string) =>
  readFileSync(join(root, file), 'utf8').includes('/support/test-organization.ts');

/**
 * Tests that depend on the engine, on the DynamoDB in `DYNAMODB_ENDPOINT`. Tests that start the local machine
 * on its own engine, compare the simulation with that engine, or need no database would show nothing new.
 */
export default defineConfig({
  test: {
    ...shared,
    root,
    include: globSync(candidates, { cwd: root }).filter(usesDatabase),
    exclude: filesLeftOut(leftOut),
    setupFiles: [...shared.setupFiles, join(import.meta.dirname, 'skip-left-out.ts')],
    reporters: ['default', new LeftOutReporter(leftOut)],
  },
});
