import { clientOf, startEngine } from '../../infra/local/engine.ts';
import { temporaryFolder } from '../../infra/local/data-folder.ts';
import { synthesize } from '../../infra/local/synthesize.ts';
import { ensureTable } from '../../infra/local/tables.ts';
import type { TableAddress } from '../support/organizations.ts';

/** A table of this machine's engine. */
export type EngineTable = Required<TableAddress>;

/** Creates the template's table on the local machine's engine, and ends all that it started after `use`. */
export async function withTable<T>(use: (table: EngineTable) => Promise<T>): Promise<T> {
  const folder = temporaryFolder();
  const engine = await startEngine();
  const client = clientOf(engine);
  try {
    const { tables } = await synthesize(folder.assembly);
    for (const table of tables) await ensureTable(client, table, engine);
    return await use({ endpoint: engine.endpoint, tableName: tables[0]!.name });
  } finally {
    client.destroy();
    await engine.close();
    folder.release();
  }
}
