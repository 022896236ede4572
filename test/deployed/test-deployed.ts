import { join } from 'node:path';
import { AdminError } from '../../infra/admin/admin-error.ts';
import { root } from '../../infra/root.ts';
import { localMessageOf } from '../../infra/local/local-error.ts';
import { askLeadingKeys } from './leading-keys.ts';
import { leftOut } from './left-out.ts';
import { parseOptions, usage, type DeployedOptions } from './options.ts';
import { checkTarget, findTarget, type Target } from './target.ts';

/** Output of the command, which a test replaces. */
const terminal = {
  print: (text: string): unknown => process.stdout.write(text),
  printError: (text: string): unknown => process.stderr.write(text),
};

/**
 * Runs the whole command. Returns the exit code.
 */
export async function testDeployed(
  args: readonly string[],
  { print, printError } = terminal,
): Promise<number> {
  try {
    const options = parseOptions(args);
    if (!options) {
      print(usage);
      return 0;
    }
    const target = await findTarget(options.choice);
    const organizationName = `Test of ${new Date().toISOString()}`;
    print(announcement(target, organizationName, options));
    // First of all: roles that require a key which DynamoDB does not supply let the API do nothing.
    print(await askLeadingKeys(target));
    await checkTarget(target, organizationName);
    return await runTests(target, organizationName, options);
  } catch (error) {
    printError(`${error instanceof AdminError ? error.message : localMessageOf(error)}\n`);
    return 1;
  }
}

const announcement = (
  { name, baseUrl, tableName }: Target,
  organizationName: string,
  { keep }: DeployedOptions,
): string => `Tests ${name}.

  API     ${baseUrl}
  Table   ${tableName}

It founds organizations named "${organizationName}" in that table, and ${
  keep ? 'leaves them there' : 'removes them in the end'
}. It sends no SMS.
`;

/** Runs the functional tests. Returns the exit code. */
async function runTests(
  { baseUrl, tableName }: Target,
  organizationName: string,
  { keep, files }: DeployedOptions,
): Promise<number> {
  // Loaded here, because they take longer than all the steps before.
  const { startVitest } = await import('vitest/node');
  const { filesLeftOut, LeftOutReporter } = await import('../support/vitest/left-out-reporter.ts');
  const { maxWorkers, testTimeout, hookTimeout, setupFiles } = (await import('../../vitest.config.ts'))
    .shared;
  const vitest = await startVitest(files, {
    config: false,
    root,
    watch: false,
    include: ['test/functional/**/*.test.ts'],
    exclude: filesLeftOut(leftOut),
    maxWorkers,
    testTimeout,
    hookTimeout,
    setupFiles: [...setupFiles, join(import.meta.dirname, 'setup.ts')],
    reporters: ['default', new LeftOutReporter(leftOut)],
    provide: { baseUrl, tableName, deployed: { organizationName, removes: !keep } },
  });
  await vitest.close();
  return Number(process.exitCode ?? 0);
}
