import { runAdmin } from '../../infra/admin/run-admin.ts';
import { realSystem, type System } from '../../shared/core/system.ts';

/** Runs an operator's command in this process. Returns its output and its exit code. */
export async function admin(
  args: readonly string[],
  system: Partial<System> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const printed = { stdout: '', stderr: '' };
  const code = await runAdmin(args, {
    print: (text) => (printed.stdout += text),
    printError: (text) => (printed.stderr += text),
    system: { ...realSystem, ...system },
  });
  return { code, ...printed };
}
