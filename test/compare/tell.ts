import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TableAddress } from '../support/stored-organization.ts';

/**
 * Sends a running machine the requests of one checkout, and writes the answers and the stored items into a folder. It
 * is a process of its own, so that each checkout founds the organization by its own code: the stored form may differ.
 */
const [checkout = '', baseUrl = '', table = '', into = ''] = process.argv.slice(2);

/** The cast holds while both checkouts export these functions. A checkout that does not fails at the first call. */
const { answersOf, storedBy } = (await import(
  join(checkout, 'test/compare/requests.ts')
)) as typeof import('./requests.ts');

const address = JSON.parse(table) as TableAddress;
const { organization, answers } = await answersOf(baseUrl, address);
const stored = await storedBy(organization, address);
for (const [name, value] of Object.entries({ answers, stored }))
  writeFileSync(join(into, `${name}.json`), `${JSON.stringify(value, null, 1)}\n`);
