import { join } from 'node:path';
import { root } from '../../../infra/root.ts';
import { show } from '../commands.ts';
import type { Part } from '../part.ts';
import { copyJars, missingTools, withDynamoDb } from './server.ts';

/**
 * A way to start DynamoDB Local, and the tests to run on it: parts of their files' names, or none for all
 * tests.
 */
interface Way {
  name: string;
  options: string[];
  tests: string[];
}

const ways: Way[] = [
  {
    // Its container starts it in this way.
    name: 'a database for each access key',
    options: [],
    tests: [],
  },
  {
    // Only the access keys that see the table differ, so these tests are enough.
    name: 'one database (-sharedDb)',
    options: ['-sharedDb'],
    tests: ['test/functional/leads', 'test/infra/local/start-elsewhere'],
  },
];

/** Runs the suite on AWS's own engine for a laptop. */
export const dynamodbLocal: Part = {
  name: 'dynamodb-local',
  about: "runs the tests on AWS's DynamoDB Local, started in both its ways",
  missing: missingTools,
  run: async (jars) => {
    await copyJars(jars);
    for (const { name, options, tests } of ways) {
      process.stdout.write(`\nDynamoDB Local with ${name}:\n`);
      await withDynamoDb(jars, options, (endpoint) => runTests(endpoint, tests));
    }
  },
};

/** @throws LocalError if a test fails */
async function runTests(endpoint: string, tests: string[]): Promise<void> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const config = join(import.meta.dirname, 'vitest.config.ts');
  const args = [vitest, 'run', '--config', config, ...tests];
  const env = { ...process.env, DYNAMODB_ENDPOINT: endpoint };
  await show(process.execPath, args, { cwd: root, env }, 'a test failed on DynamoDB Local, as told above.');
}
