import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { importOrganization } from '../../infra/admin/copy/import-organization.ts';
import { verifyOrganization } from '../support/verify-organization.ts';
import { clientOf } from '../../infra/local/engine.ts';
import { realSystem } from '../../shared/core/system.ts';
import { engine, newPlainTable } from '../support/test-organization.ts';

const program = fileURLToPath(new URL('./simulate-export.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'exports-'));
const client = clientOf(engine);
afterAll(() => {
  client.destroy();
  rmSync(folder, { recursive: true });
});

/**
 * Exports repeatedly while twenty writers write, and compares each copy with the model at its version. Leaves
 * the last copy.
 */
const simulate = (into: string, seed: number): Promise<{ stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [program, into, String(seed)], { maxBuffer: 2 ** 26 }, (_, stdout, stderr) => {
      resolve({ stdout, stderr });
    });
  });

test.each([7])(
  'an export during writes by twenty writers equals the organization at one version, with the seed %i',
  async (seed) => {
    const into = join(folder, String(seed));
    const { stdout, stderr } = await simulate(into, seed);
    expect(stderr).toBe('');
    const exports = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ').slice(1).map(Number));
    expect(exports).toHaveLength(4);
    // Some copies are of a version newer than the export's start.
    expect(exports.filter(([began = 0, version = 0]) => version > began).length).toBeGreaterThan(0);

    const [last = ''] = readdirSync(into);
    const access = { client, tableName: await newPlainTable(), system: realSystem };
    const { code } = await importOrganization(access, join(into, last));
    expect((await verifyOrganization(access, code)).findings).toEqual([]);
  },
);
