import { expect } from 'vitest';
import { admin } from '../../support/admin.ts';

/** Runs a command: `admin`, or a separate process. */
type RunCommand = (args: string[]) => Promise<{ code: number | null; stdout: string; stderr: string }>;

/** Output of a command that must succeed. */
export async function done(args: readonly string[], run: RunCommand = admin): Promise<string> {
  const { code, stdout, stderr } = await run([...args]);
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** Message of a command that must fail. */
export async function refused(args: readonly string[], run: RunCommand = admin): Promise<string> {
  const { code, stdout, stderr } = await run([...args]);
  expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: '' });
  return stderr;
}

/** Output for scripts of a command that must succeed. */
export const json = async (args: readonly string[], run: RunCommand = admin) =>
  JSON.parse(await done([...args, '--json'], run)) as Record<string, unknown> & { token: string };
