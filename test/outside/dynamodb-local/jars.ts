import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { output, runs } from '../commands.ts';

const run = promisify(execFile);

/** Why DynamoDB Local cannot be had here, in a sentence; undefined where it can. */
export async function missingTools(): Promise<string | undefined> {
  // What `java -version` prints goes to standard error.
  const java = await run('java', ['-version']).catch(() => undefined);
  if (!java) return 'there is no Java (java), which DynamoDB Local is written in.';
  const [, major = ''] = /version "(\d+)/.exec(java.stderr) ?? [];
  if (Number(major) < 17) return `Java is version ${major}, and DynamoDB Local needs 17 or later.`;
  if (!(await runs('mvn', '--version'))) return 'there is no Maven (mvn), by which DynamoDB Local is got.';
  return undefined;
}

/** Copies DynamoDB Local and what it needs into a folder. Maven keeps in its own what it once has got. */
export async function copyJars(folder: string): Promise<void> {
  const pom = join(import.meta.dirname, 'pom.xml');
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${folder}`, '-DincludeScope=runtime'];
  const args = ['--batch-mode', '--quiet', '--file', pom, ...goal];
  await output('mvn', args, {}, 'Maven did not get DynamoDB Local');
}
