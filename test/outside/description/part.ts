import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { findContracts } from '../../../infra/functions.ts';
import { LocalError } from '../../../infra/local/local-error.ts';
import { openApiDocument } from '../../../infra/open-api/open-api.ts';
import { templateWith } from '../../support/template/made-up-stack.ts';
import { output } from '../commands.ts';
import type { Part } from '../part.ts';
import { installPackages, missingPackages, type Packages } from '../tools.ts';

/** Lowest score of the description that passes, of 100: the score that it had reached. Raise it with the score. */
export const floor = 86.1;

const packages: Packages = {
  from: import.meta.dirname,
  one: '@redocly/cli',
  called: "the packages of Redocly's command line",
};

/** Scores and lints the description of the API, and lints the definition that API Gateway imports. */
export const description: Part = {
  name: 'description',
  about: "scores and lints the API's description, and lints API Gateway's, by Redocly's command line",
  missing: () => missingPackages(packages),
  run: async (folder) => check(await installPackages(packages, folder)),
};

/** Name of the method in API Gateway's definition that takes every method. */
const anyMethod = 'x-amazon-apigateway-any-method';

const Share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const Scored = v.object({
  agentReadiness: v.number(),
  discoverability: v.number(),
  subscores: v.record(v.string(), Share),
});

/** @throws LocalError if the description scores less than the floor, or the linter finds something in one of the two */
async function check(folder: string): Promise<void> {
  const servers = [{ url: 'https://abc123.execute-api.us-east-1.amazonaws.com/dev' }];
  const write = (name: string, document: object): string => {
    const file = join(folder, name);
    writeFileSync(file, JSON.stringify(document));
    return file;
  };
  const contracts = await findContracts();
  const file = write('openapi.json', { ...openApiDocument(contracts), servers });
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const redocly = (failure: string, ...args: string[]) =>
    output(
      process.execPath,
      [join(folder, 'node_modules/@redocly/cli/bin/cli.js'), ...args],
      { cwd: folder, env },
      failure,
    );
  const { agentReadiness, discoverability, subscores } = v.parse(
    Scored,
    JSON.parse(await redocly('Redocly could not score the description', 'score', file, '--format', 'json')),
  );
  const parts = Object.entries(subscores).map(([name, share]) => [words(name), share * 100] as const);
  process.stdout.write(`  ${agentReadiness} of 100, at least ${floor}\n`);
  for (const [name, score] of [...parts, ['discoverability', discoverability] as const])
    process.stdout.write(`  ${name.padEnd(22)} ${score.toFixed(0).padStart(3)}\n`);
  if (agentReadiness < floor)
    throw new LocalError(
      `the description scores ${agentReadiness}, less than ${floor}: describe what is new as fully and as flatly as the rest, or lower ` +
        'the floor in test/outside/description/part.ts and say why in the commit.',
    );
  const lint = (what: string, linted: string, rules: string) =>
    redocly(`Redocly found mistakes in ${what}`, 'lint', linted, '--extends', rules);
  await lint('the description', file, 'recommended-strict');
  const { definition } = templateWith({ operations: [...contracts.operations] });
  await lint("API Gateway's definition", write('definition.json', definition), 'spec');
  // Redocly skips the method that only API Gateway knows, and its rules hold under the name of a usual method.
  const paths = { '/': { get: definition.paths['/']?.[anyMethod] } };
  await lint("API Gateway's definition", write('any-method.json', { ...definition, paths }), 'spec');
}

/** Turns `schemaSimplicity` into `schema simplicity`. */
const words = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
