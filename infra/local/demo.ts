import type { NewLead } from '../../shared/endpoints/leads.ts';
import type { Caller } from '../../shared/ledger/caller.ts';
import { newMeter } from '../../shared/ledger/meter.ts';
import { realOutside } from '../../shared/ledger/outside.ts';
import { openStore } from '../../shared/ledger/store.ts';
import * as leads from '../../shared/leads/leads.ts';
import { createOrganization, type NewOrganization } from '../../shared/organizations/organizations.ts';
import { hashToken, newToken } from '../../shared/tokens/token.ts';
import type { Machine } from './machine.ts';
import { seededRandom } from './seeded-random.ts';

interface DemoOrganization {
  organization: Omit<NewOrganization, 'token'>;
  leads: NewLead[];
}

const demos: DemoOrganization[] = [
  {
    organization: {
      name: 'Harbour Plumbing',
      country: 'AU',
      owner: { firstName: 'Mia', lastName: 'Tran', email: 'mia@harbourplumbing.example' },
    },
    leads: [
      {
        name: 'Oliver Bennett',
        email: 'oliver.bennett@example.com',
        phone: '0491 570 156',
        suburb: 'Manly',
        status: 'won',
      },
      {
        name: 'Priya Nair',
        email: 'priya.nair@example.com',
        phone: '0491 570 157',
        suburb: 'Balmain',
        status: 'quoted',
      },
      {
        name: 'Corner Bakery',
        businessName: 'Corner Bakery Pty Ltd',
        email: 'hello@cornerbakery.example',
        suburb: 'Newtown',
        socials: { instagram: 'https://instagram.com/cornerbakery.example' },
        status: 'active',
      },
      { name: 'Jack Wilson', phone: '0491 570 158', suburb: 'Bondi', status: 'lost' },
      { name: 'Sofia Rossi', email: 'sofia.rossi@example.com', phone: '0491 570 159', suburb: 'Leichhardt' },
    ],
  },
  {
    organization: {
      name: 'Summit Electrical',
      country: 'NZ',
      owner: { firstName: 'Liam', lastName: 'Parata', email: 'liam@summitelectrical.example' },
    },
    leads: [
      { name: 'Charlotte King', email: 'charlotte.king@example.com', suburb: 'Ponsonby' },
      { name: 'Noah Walker', email: 'noah.walker@example.com', suburb: 'Remuera', status: 'active' },
    ],
  },
];

/** When the first demo organization is founded; everything after follows at fixed distances, the same everywhere. */
const start = Date.parse('2026-11-02T08:00:00.000Z');
const hour = 3_600_000;

export interface DemoAccess {
  name: string;
  /** Works on this machine alone: whoever reads this project can know it. */
  token: string;
}

/** Founds the demo organizations, unless they are there; tells their names and tokens. */
export async function ensureDemo(machine: Machine): Promise<DemoAccess[]> {
  let now = start;
  const store = openStore(machine.client, machine.tableName, { ...realOutside, now: () => now });
  const access: DemoAccess[] = [];
  for (const [at, { organization, leads: newLeads }] of demos.entries()) {
    const limits: Pick<Caller, 'deadline' | 'meter'> = { deadline: now + 24 * hour, meter: newMeter() };
    const token = newToken('test', seededRandom(at + 1).randomBytes);
    access.push({ name: organization.name, token });
    if (await store.grantOf(hashToken(token), limits)) continue;
    const input = {
      ...organization,
      token: { name: 'Demo', mode: 'test', scopes: ['read', 'write'] },
    } as const;
    const { random } = seededRandom(at + 100);
    const { randomBytes } = seededRandom(at + 1);
    const { code, ownerId } = await createOrganization(store, limits, input, { random, randomBytes });
    const ledger = store.ledgerOf({ organization: code, userId: ownerId, ...limits });
    for (const lead of newLeads) {
      now += hour;
      await leads.createLead(ledger, lead);
    }
  }
  return access;
}
