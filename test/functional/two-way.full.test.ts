import { expect, test } from 'vitest';
import { seededRandom } from '../../infra/local/demo/seeded-random.ts';
import { beginEpoch } from '../../shared/domain/organizations/organizations.ts';
import { TwoSides, type Side } from '../support/docs/two-sides.ts';
import { newOrganization } from '../support/test-organization.ts';

const writes = 500;
const { random } = seededRandom(7);
const happens = (chance: number) => random() < chance;
const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;

const organization = await newOrganization();
const { api } = organization;
const sides = new TwoSides(await organization.apiFor('events:read', 'leads:read', 'leads:write'));
let written = 0;

/** A change of one field. An email is never taken. */
const edit = (): [field: string, value: string] =>
  pick([
    ['email', `n${written}@example.com`],
    ['suburb', pick(['Manly', 'Bondi', 'Coogee', ''])],
    ['businessName', pick(['Gas & Co', 'Al’s', ''])],
    ['lastName', pick(['Day', 'O’Neil', 'Zoë'])],
    ['status', pick(['pending', 'active', 'won', 'lost'])],
  ] as const);

/** Leads of the file that the API has, or had. */
const known = (): string[] => [...sides.inFile().keys()].filter((id) => id !== 'null');

/** Another client writes to the API. The lead may be gone. */
async function writeApi(): Promise<void> {
  written++;
  const ids = known();
  if (ids.length < 5 || (ids.length < 40 && happens(0.15))) {
    await api.call('createLead', { body: { firstName: `A${written}` } });
    return;
  }
  const params = { leadId: pick(ids) };
  const body = Object.fromEntries([edit()]);
  const answer = await (happens(0.1)
    ? api.attempt('deleteLead', { params })
    : api.attempt('updateLead', { params, body }));
  expect([200, 404]).toContain(answer.status);
}

/** Other software writes into the file. */
function writeFile(): void {
  written++;
  const ids = known();
  const mine: Side = { firstName: `F${written}` };
  if (ids.length < 5 || (ids.length < 40 && happens(0.15))) sides.add(`key-${written}`, mine);
  else if (happens(0.1)) sides.remove(pick(ids));
  else sides.edit(pick(ids), ...edit());
}

test('both sides are equal after 500 writes, with stops at any time and a new epoch', async () => {
  let stops = 0;
  sides.before = async () => {
    if (happens(0.2)) await writeApi();
    // Other software writes while the program waits for an answer.
    if (happens(0.2)) writeFile();
  };
  sides.stops = (method) => {
    const isStopped = happens(method === 'GET' ? 0.02 : 0.05);
    if (isStopped) stops++;
    return isStopped;
  };
  let isNewEpoch = false;
  while (written < writes) {
    if (happens(0.5)) await writeApi();
    else writeFile();
    if (happens(0.08)) await sides.run();
    if (!isNewEpoch && written > writes / 2) {
      isNewEpoch = true;
      await beginEpoch(organization.openLedger().ledger, organization.code);
    }
  }
  sides.before = () => Promise.resolve();
  sides.stops = () => false;
  // A run sends, then reads, and so may find something to send.
  for (let runs = 0; runs < 3; runs++) await sides.run();
  expect(sides.inFile()).toEqual(await sides.inApi());
  expect(sides.file.prepare('SELECT count(*) AS n FROM leads WHERE refused IS NOT NULL').get()).toEqual({
    n: 0,
  });
  expect(sides.inFile().size).toBeGreaterThan(5);
  for (const kind of ['PUT 412', 'DELETE 412', 'PUT 404', 'GET 410', 'replayed'])
    expect(sides.answers.get(kind), kind).toBeGreaterThan(0);
  expect(stops).toBeGreaterThan(15);
});
