import { join } from 'node:path';
import { freePort } from '../../../infra/local/engine.ts';
import { output } from '../commands.ts';
import { firstMissing, missingMaven, type Missing } from '../tools.ts';
import { withServer } from '../with-server.ts';

/** Says in a sentence why DynamoDB Local cannot be run. Undefined if it can. */
export const missingTools = (): Missing => firstMissing(missingJava(), missingMaven('DynamoDB Local is got'));

async function missingJava(): Missing {
  const newest = await output('java', ['--version']).catch(() => undefined);
  if (newest === undefined) return 'there is no Java (java), which DynamoDB Local is written in.';
  const [, major = ''] = /^\S+ (\d+)/.exec(newest) ?? [];
  return Number(major) < 17 ? `Java is version ${major}, and DynamoDB Local needs 17 or later.` : undefined;
}

/** Copies DynamoDB Local and its dependencies into a folder. Maven caches them. */
export async function copyJars(folder: string): Promise<void> {
  const pom = join(import.meta.dirname, 'pom.xml');
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${folder}`, '-DincludeScope=runtime'];
  const args = ['--batch-mode', '--quiet', '--file', pom, ...goal];
  await output('mvn', args, {}, 'Maven did not get DynamoDB Local');
}

/** Starts a DynamoDB Local in memory from its jars, with these options of its command line, and ends it after `use`. */
export async function withDynamoDb<T>(
  jars: string,
  options: readonly string[],
  use: (endpoint: string) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const command = [
    'java',
    // For a run of minutes, the second compiler and a parallel garbage collector cost more than they save.
    ...['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
    `-Djava.library.path=${jars}`,
    ...['-cp', join(jars, '*'), 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner'],
    ...['-inMemory', '-disableTelemetry', '-port', String(port), ...options],
  ];
  const url = `http://127.0.0.1:${port}`;
  return withServer({ name: 'DynamoDB Local', url, command }, () => use(url));
}
