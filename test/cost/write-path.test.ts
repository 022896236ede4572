import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('who follows the creation of a lead reads at most 28 files and 160 functions', () => {
  // A process of its own: Vitest would count its own copies of the files.
  const program = fileURLToPath(new URL('./write-path.ts', import.meta.url));
  const printed = execFileSync(process.execPath, [program], { encoding: 'utf8' });
  const [, files, functions] = /(\d+) files, (\d+) functions\n$/.exec(printed) ?? [];
  expect(Number(files), printed).toBeLessThanOrEqual(28);
  expect(Number(functions), printed).toBeLessThanOrEqual(160);
  expect(printed).toContain('domain/leads/leads.ts (3): createLead');
});
