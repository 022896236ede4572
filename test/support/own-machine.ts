import { inject } from 'vitest';
import { type DataFolder, temporaryFolder } from '../../infra/local/data-folder.ts';
import { Machine, type MachineOptions } from '../../infra/local/machine.ts';
import type { TableAddress } from './stored-organization.ts';
import { atFileEnd } from './vitest/at-file-end.ts';

/**
 * Starts a machine of a test file's own, and gives its table. It runs the template of the test run, unless it has other
 * settings. The machine and its folder end with the file.
 */
export async function ownMachine({
  folder = temporaryFolder(),
  ...options
}: Partial<MachineOptions> & { folder?: DataFolder } = {}): Promise<{
  machine: Machine;
  table: TableAddress;
}> {
  const machine = await Machine.start({
    ...folder,
    ...(options.settings === undefined && { assembly: inject('assembly') }),
    watch: false,
    keepSms: () => undefined,
    ...options,
  });
  atFileEnd(async () => {
    await machine.close();
    folder.release();
  });
  return { machine, table: { endpoint: machine.engine.endpoint, tableName: machine.tableName } };
}
