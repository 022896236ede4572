import { temporaryFolder } from '../../infra/local/data-folder.ts';
import { Machine, type MachineOptions } from '../../infra/local/machine.ts';
import { servedApi } from '../support/machine/served-api.ts';

/** A local machine in memory, served at an address. */
export interface ServedMachine {
  machine: Machine;
  baseUrl: string;
  close: () => Promise<void>;
}

/** @param answer replaces the machine's own answers */
export async function startMachineInMemory(
  options: Partial<MachineOptions> = {},
  answer: (machine: Machine) => Machine['answer'] = (machine) => (request) => machine.answer(request),
): Promise<ServedMachine> {
  const folder = temporaryFolder();
  const machine = await Machine.start({
    ...folder,
    watch: false,
    keepSms: () => undefined,
    onLogLine: printFailure,
    ...options,
  });
  const served = await servedApi(answer(machine));
  const close = async () => {
    await served.close();
    await machine.close();
    folder.release();
  };
  return { machine, baseUrl: served.baseUrl, close };
}

/** Prints the log line of a 5xx, since the folder of the logs goes with the machine. */
function printFailure(_group: string, line: string): void {
  if (/"status":5\d\d,/.test(line)) process.stderr.write(`${line}\n`);
}
