import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { output, runs } from '../commands.ts';

const run = promisify(execFile);

/** Says in a sentence why DynamoDB Local cannot be run. Undefined if it can. */
export async function missingTools(): Promise<string | undefined> {
  // `java -version` prints to standard error.
  const java = await run('java', ['-version']).catch(() => undefined);
  if (!java) return 'there is no Java (java), which DynamoDB Local is written in.';
  const [, major = ''] = /version "(\d+)/.exec(java.stderr) ?? [];
  if (Number(major) < 17) return `Java is version ${major}, and DynamoDB Local needs 17 or later.`;
  if (!(await runs('mvn', '--version'))) return 'there is no Maven (mvn), by which DynamoDB Local is got.';
  return undefined;
}

/** Copies DynamoDB Local and its dependencies into a folder. Maven caches them. */
export async function copyJars(folder: string): Promise<void> {
  const pom = join(import.meta.dirname, 'pom.xml');
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${folder}`, '-DincludeScope=runtime'];
  const args = ['--batch-mode', '--quiet', '--file', pom, ...goal];
  await output('mvn', args, {}, 'Maven did not get DynamoDB Local');
}
