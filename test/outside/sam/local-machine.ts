import { openContainerProxy } from '../../../infra/local/proxies/container-proxy.ts';
import { ensureDemo } from '../../../infra/local/demo/demo.ts';
import { LocalError } from '../../../infra/local/local-error.ts';
import { startMachineInMemory } from '../machine-in-memory.ts';

/** A local machine with the demo data, as `npm start` runs it. */
export interface LocalMachine {
  baseUrl: string;
  /** Token of the first demo organization. */
  token: string;
  /** Key of the same organization. */
  key: string;
  tableName: string;
  /** Port of the database for containers: any free one, so that it does not collide with an `npm start`. */
  databasePort: string;
}

export async function withLocalMachine<T>(use: (machine: LocalMachine) => Promise<T>): Promise<T> {
  const { machine, baseUrl, close } = await startMachineInMemory();
  const door = await openContainerProxy(Promise.resolve(machine.engine.endpoint), {
    host: '127.0.0.1',
    port: 0,
    isAskedFor: true,
  });
  try {
    const [demo] = await ensureDemo(machine);
    if (!demo || door.endpoint === undefined) throw new LocalError('The local machine has no demo data.');
    return await use({
      baseUrl,
      token: demo.token,
      key: demo.channels.key,
      tableName: machine.tableName,
      databasePort: new URL(door.endpoint).port,
    });
  } finally {
    await door.close();
    await close();
  }
}
