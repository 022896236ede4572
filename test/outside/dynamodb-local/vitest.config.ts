import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { root } from '../../../infra/functions.ts';
import { shared } from '../../../vitest.config.ts';
import { LeftOutReporter } from '../../support/left-out-reporter.ts';
import { filesLeftOut } from '../../support/left-out.ts';
import { leftOut } from './left-out.ts';

/** Where there are tests that an engine makes a difference to. */
const candidates = [
  'test/functional/**/*.test.ts',
  'test/shared/{domain,ledger}/**/*.test.ts',
  'test/infra/admin/*.test.ts',
  'test/infra/local/{demo,start-elsewhere,tables}.test.ts',
  'test/simulation/validation.test.ts',
];

/**
 * Files that take minutes there. Those of `verify` and its repair too, but it still runs: `world.ts` verifies each file's
 * organizations at its end.
 */
const tooSlow = [
  'test/shared/ledger/page-cost.test.ts',
  'test/infra/admin/{repair,snapshots,upgrade,verify}*.test.ts',
];

/** What these show is decided before anything is asked of an engine. */
const beforeTheEngine =
  'test/functional/{authentication,bad-input,compression,forms-any-body,forms-providers,input-rules,inquiry-input,open-api,revisions,scopes,service-input}.test.ts';

/** What these ask of an engine, the tests of the ledger and those of leads, inquiries, texts and batches ask as well. */
const asOthersDo =
  'test/functional/{companies,faqs,forms,forms-browsers,inquiry-arrivals,inquiry-reads,isolation,organization,pipeline,policies,product-batch,products,services,transfers}.test.ts';

/** Whether a test file uses the database that all tests share. */
const usesDatabase = (file: string) => readFileSync(join(root, file), 'utf8').includes('/support/world.ts');

/**
 * The tests that an engine makes a difference to, on the DynamoDB in `DYNAMODB_ENDPOINT`. Those that start the local
 * machine on its own engine, hold the simulation against that engine, or need no database would show nothing new.
 */
export default defineConfig({
  test: {
    ...shared,
    root,
    include: globSync(candidates, { cwd: root }).filter(usesDatabase),
    exclude: [
      'test/functional/generated-clients.test.ts',
      beforeTheEngine,
      asOthersDo,
      ...tooSlow,
      ...filesLeftOut(leftOut),
    ],
    // It takes several times as long as the local machine's own engine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    setupFiles: join(import.meta.dirname, 'skip-left-out.ts'),
    reporters: ['default', new LeftOutReporter(leftOut)],
  },
});
