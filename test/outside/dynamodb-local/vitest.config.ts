import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { root } from '../../../infra/functions.ts';
import tests from '../../../vitest.config.ts';

/**
 * The tests that an engine makes a difference to, on the DynamoDB in `DYNAMODB_ENDPOINT`. Those that start the local
 * machine on its own engine, hold the simulation against that engine, or need no database would show nothing new.
 */
export default defineConfig({
  test: {
    ...tests.test,
    root,
    include: [
      'test/functional/**/*.test.ts',
      'test/shared/{ledger,products,sms,tokens}/**/*.test.ts',
      'test/infra/admin/{stage,verify}.test.ts',
      'test/infra/local/{demo,start-elsewhere,tables}.test.ts',
      'test/simulation/validation.test.ts',
    ],
    exclude: ['test/functional/generated-clients.test.ts'],
    // It takes several times as long as the local machine's own engine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    setupFiles: join(import.meta.dirname, 'skip-left-out.ts'),
    reporters: ['default'],
  },
});
