import * as v from 'valibot';
import { NewAppointment } from '../../../shared/contract/appointments.ts';
import { createCompanyNote, createCompany } from '../../../shared/domain/companies/companies.ts';
import { createAppointment } from '../../../shared/domain/appointments/create-appointment.ts';
import { updateMemberSchedule } from '../../../shared/domain/calendar/member-schedule.ts';
import { storeInquiry } from '../../../shared/domain/inquiries/inquiries.ts';
import { createLead } from '../../../shared/domain/leads/leads.ts';
import { updateLead } from '../../../shared/domain/leads/update-lead.ts';
import { newOrganizationCode, numberInId, type OrganizationCode } from '../../../shared/core/ids.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { createMember, ownerIdOf } from '../../../shared/domain/members/members.ts';
import { foundOrganization } from '../../../shared/domain/organizations/found-organization.ts';
import { findOrganization } from '../../../shared/domain/organizations/organizations.ts';
import type { SmsProvider } from '../../../shared/domain/sms/sms-provider.ts';
import { sendSms } from '../../../shared/domain/sms/sms.ts';
import { newToken, type RandomBytes } from '../../../shared/domain/tokens/token.ts';
import {
  issueToken,
  ownersScopes,
  listTokens,
  stateOf,
  type ShownToken,
  type TokenState,
} from '../../../shared/domain/tokens/tokens.ts';
import { demos, type DemoOrganization, type DemoEvent, type Team } from './demo-data.ts';
import type { DemoInquiry } from './demo-inquiry.ts';
import type { Machine } from '../machine.ts';
import { seededRandom } from './seeded-random.ts';
import { ensureChannels, type Channels } from './channels.ts';
import {
  type Principal,
  type Ledger,
  newConsumedCapacity,
  openStore,
  type Store,
} from '../../../shared/ledger/index.ts';

export interface DemoAccess {
  name: string;
  /** Valid on local machines alone. Public, because it can be derived from the source. */
  token: string;
  /** A user may have revoked the token. */
  state: TokenState;
  /**
   * True if an earlier start was interrupted while it filled the organization. The token is issued last, so
   * that organization has no token. This organization is another one, and its ids differ from those on other
   * machines.
   */
  isSecondTry: boolean;
  channels: Channels;
}

/** Clock of the demo, with the same times on every machine. */
interface Clock {
  now: number;
}

const minute = 60_000;
const week = 7 * 24 * 60 * minute;

/**
 * Founds and fills the demo organizations that do not exist yet. Gives each a number and a token for forms,
 * if it has none. Returns their names and tokens.
 */
export async function ensureDemo(machine: Pick<Machine, 'client' | 'tableName'>): Promise<DemoAccess[]> {
  const clock: Clock = { now: 0 };
  const store = openStore(machine.client, machine.tableName, { ...realSystem, now: () => clock.now });
  const access: DemoAccess[] = [];
  for (const [at, demo] of demos.entries()) {
    clock.now = Date.parse(demo.foundedAt);
    const limits = (): Pick<Principal, 'deadline' | 'capacity'> => ({
      deadline: clock.now + week,
      capacity: newConsumedCapacity(),
    });
    const tokenBytes = () => seededRandom(at + 1);
    const codeNumbers = () => seededRandom(at + 100);
    const found = await findDemo(store, limits(), codeNumbers().random);
    const { random } = codeNumbers();
    const { randomBytes } = tokenBytes();
    const code = found.token
      ? found.code
      : await make(store, clock, demo, { limits: limits(), random, randomBytes });
    // If an earlier start ended before the organization had its channels, it gets them with the present time.
    clock.now = found.token ? Date.now() : clock.now + minute;
    const ownerId = ownerIdOf(code);
    const channels = await ensureChannels(
      store.ledgerOf({ organization: code, userId: ownerId, ...limits() }),
      {
        number: demo.number,
        userId: ownerId,
        randomBytes: () => seededRandom(at + 200).randomBytes,
      },
    );
    access.push({
      name: demo.organization.name,
      token: newToken('test', tokenBytes().randomBytes),
      state: found.token ? stateOf(found.token, Date.now()) : 'active',
      isSecondTry: found.code !== newOrganizationCode(codeNumbers().random),
      channels,
    });
  }
  return access;
}

interface MakeOptions {
  limits: Pick<Principal, 'deadline' | 'capacity'>;
  random: () => number;
  randomBytes: RandomBytes;
}

/** Founds and fills an organization, and issues its token last. */
async function make(
  store: Store,
  clock: Clock,
  demo: DemoOrganization,
  { limits, random, randomBytes }: MakeOptions,
): Promise<OrganizationCode> {
  const { code, ownerId } = await foundOrganization(store, limits, demo.organization, random, () => ({}));
  const ledgerOf = (userId: string) => store.ledgerOf({ organization: code, userId, ...limits });
  await fill(ledgerOf, clock, ownerId, demo);
  const input = { name: 'Demo', mode: 'test', scopes: ownersScopes, userId: ownerId } as const;
  await issueToken(ledgerOf(ownerId), input, randomBytes);
  return code;
}

/**
 * Finds the first of the demo's codes that is free, or that has a complete organization. An organization with
 * its token is complete.
 */
async function findDemo(
  store: Store,
  limits: Pick<Principal, 'deadline' | 'capacity'>,
  random: () => number,
): Promise<{ code: OrganizationCode; token?: ShownToken }> {
  for (;;) {
    const code = newOrganizationCode(random);
    const ledger = store.ledgerOf({ organization: code, userId: ownerIdOf(code), ...limits });
    if ((await findOrganization(ledger)) === undefined) return { code };
    const [token] = await listTokens(ledger);
    if (token) return { code, token };
  }
}

/** Returns the organization's ledger for a user. */
type LedgerOf = (userId: string) => Ledger;

async function fill(
  ledgerOf: LedgerOf,
  clock: Clock,
  ownerId: string,
  { organization, team, events }: DemoOrganization,
): Promise<void> {
  const ledger = ledgerOf(ownerId);
  const userIds = new Map([[organization.owner.firstName, ownerId]]);
  if (team) for (const [name, userId] of await addTeam(ledger, clock, team)) userIds.set(name, userId);
  const known: RecordIds = { userIds, leadIds: new Map(), threadIds: new Map(), companyIds: new Map() };
  for (const event of events) {
    clock.now = Date.parse(event.at);
    const by = 'by' in event ? named(userIds, event.by) : ownerId;
    await storeDemoEvent(ledgerOf(by), by, clock.now, event, known);
  }
}

/** Stores members, one a minute. Returns the user ids of the members, by first name. */
async function addTeam(ledger: Ledger, clock: Clock, { members }: Team): Promise<Map<string, string>> {
  const userIds = new Map<string, string>();
  for (const member of members) {
    clock.now += minute;
    const { firstName, user } = await createMember(ledger, member);
    userIds.set(firstName, user.id);
  }
  return userIds;
}

/** Ids of the stored records, by the names in the demo data. */
interface RecordIds {
  /** Users by first name. */
  userIds: ReadonlyMap<string, string>;
  leadIds: Map<string, string>;
  /** Message threads that leads began, by the name of the lead. */
  threadIds: Map<string, number>;
  companyIds: Map<string, string>;
}

/** Stores an event of this time, done by this user. */
async function storeDemoEvent(
  ledger: Ledger,
  userId: string,
  now: number,
  event: DemoEvent,
  { userIds, leadIds, threadIds, companyIds }: RecordIds,
): Promise<void> {
  const inquire = async (leadName: string, inquiry: DemoInquiry) => {
    const { source, sourceId } = await storeInquiry(ledger, named(leadIds, leadName), inquiry(now));
    if (source === 'SMS') threadIds.set(leadName, Number(sourceId));
  };
  switch (event.what) {
    case 'lead': {
      const { lead, inquiry } = event;
      const { id } = await createLead(ledger, lead);
      leadIds.set(lead.name, id);
      if (inquiry) await inquire(lead.name, inquiry);
      return;
    }
    case 'inquiry':
      return inquire(event.of, event.inquiry);
    case 'status':
      await updateLead(ledger, named(leadIds, event.of), { status: event.becomes });
      return;
    case 'sms': {
      const { to, message } = event;
      const sms = { userId, leadId: named(leadIds, to), message, messageThreadId: threadIds.get(to) };
      await sendSms({ before: ledger, after: ledger }, pretending, sms, raise);
      return;
    }
    case 'schedule':
      await updateMemberSchedule(ledger, numberInId(named(userIds, event.of)), event.schedule);
      return;
    case 'appointment': {
      const booking = { leadId: named(leadIds, event.of), attendees: [named(userIds, event.with)] };
      const options = { fillsContacts: true, now };
      const appointment = v.parse(NewAppointment, { ...event.appointment, ...booking });
      await createAppointment(ledger, appointment, options);
      return;
    }
    case 'company': {
      const { id } = await createCompany(ledger, event);
      companyIds.set(event.name, id);
      return;
    }
    case 'note': {
      const { about, value } = event;
      await createCompanyNote(ledger, named(companyIds, about), { value, userId });
    }
  }
}

/** Pretends to send: demo messages go to nobody, and the terminal does not show them. */
const pretending: SmsProvider = {
  send: ({ context }) => Promise.resolve({ status: 'SENT', providerId: `demo-${context['message']}` }),
  from: 'demo',
};

function raise(error: unknown): never {
  throw error;
}

/** @throws Error for a name that the data misspells, or uses too early */
function named<T>(ids: ReadonlyMap<string, T>, name: string): T {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`The demo data has no ${name} at that point`);
  return id;
}
