import type { OrganizationCode } from '../../../shared/core/ids.ts';
import type { SimulatedDynamoDb } from '../dynamodb.ts';
import type { VirtualTime } from '../virtual-time.ts';
import { OrganizationModel } from './model/organization-model.ts';
import { Tags } from './model/tags.ts';
import { Window } from './model/window.ts';
import type { Plan, Request } from './plan.ts';
import { Violation } from './violation.ts';

/** A commit, as a report shows it. */
export interface NotedCommit {
  organization: string;
  version: number;
  at: number;
  request: string;
  wrote: string[];
}

/** A lead that was erased, and the time at which a client learned that. */
export interface Erased {
  organization: OrganizationModel;
  lead: number;
  at: number;
}

/** Words that only the lead has: a form that is sent again gives its words to another lead. */
export const wordsOf = ({ organization, lead }: Erased): string[] =>
  organization.belongings.wordsOfNoOtherLead(lead);

/** Words that a text has of people who were erased. */
export const erasedIn = (text: string, erased: readonly Erased[]): string[] =>
  erased.flatMap((one) => wordsOf(one).filter((word) => text.includes(word)));

/** Number of commits and requests that are kept for a report. */
const kept = 300;

/** State of the running episode: the organizations' models, the requests, and the first violation. */
export class World {
  readonly time: VirtualTime;
  readonly database: SimulatedDynamoDb;
  /** Maximum lag of an index behind the table, in milliseconds. */
  readonly indexLag: number;
  /** True if a read of several items may end its tries before they show one version: see `Conditions.isSlow`. */
  isSlow = false;
  /** Called when a client learns that a lead is erased. */
  onErased: (erased: Erased) => void = () => undefined;
  readonly erased: Erased[] = [];
  readonly organizations = new Map<string, OrganizationModel>();
  /** Request that each transaction was sent for, by client request token. */
  readonly requestOf = new Map<string, Request>();
  readonly running = new Set<Request>();
  /** Tags that clients know. */
  readonly tags = new Tags();
  readonly commits: NotedCommit[] = [];
  readonly requests: Request[] = [];
  /** First violation, and the request that it is about. */
  violation: { violation: Violation; request: Request | undefined } | undefined;
  /** Organization that the next founding begins. Its code is unknown before its commit. */
  founding: { country: string; plan: Plan } | undefined;
  #count = 0;

  constructor(time: VirtualTime, database: SimulatedDynamoDb, indexLag: number) {
    this.time = time;
    this.database = database;
    this.indexLag = indexLag;
  }

  /** Creates a request that no function serves yet. */
  newRequest(plan: Plan): Request {
    const request: Request = {
      number: ++this.#count,
      plan,
      startedAt: this.time.now,
      version: 0,
      decided: 0,
      userId: '',
      scopes: ['read', 'write'],
      skew: 0,
      made: [],
      handovers: [],
      publishedAt: '',
      response: undefined,
      log: '',
    };
    this.requests.push(request);
    if (this.requests.length > 2 * kept) this.requests.splice(0, kept);
    return request;
  }

  /** Registers the start of a request. The request must see all items that are visible by now. */
  start(request: Request, skew: number): void {
    this.noteShown();
    request.startedAt = this.time.now;
    request.version = request.plan.organization.completeVersion;
    request.decided = request.plan.organization.version;
    request.skew = skew;
    this.running.delete(request);
    this.running.add(request);
  }

  /** Organization with a code. A new one begins here. */
  organizationOf(code: string): OrganizationModel | undefined {
    const known = this.organizations.get(code);
    if (known || !this.founding) return known;
    const { country, plan } = this.founding;
    const organization = new OrganizationModel(code as OrganizationCode, country);
    organization.isSlow = this.isSlow;
    this.organizations.set(code, organization);
    plan.organization = organization;
    this.founding = undefined;
    return organization;
  }

  noteShown(): void {
    for (const organization of this.organizations.values()) {
      organization.noteShown(this.time.now, (key) => this.database.item(key));
    }
  }

  /** Window of a request until now. */
  windowOf({ plan, startedAt, version, decided, skew }: Request): Window {
    const times = [this.time.now, startedAt].map((at) => new Date(Math.floor(at + skew)).toISOString());
    const { indexLag } = this;
    return new Window(plan.organization, { since: startedAt, version, decided, times, indexLag });
  }

  /** Registers that a client learns that a lead is erased. @throws Violation if a record of the lead can still be read */
  noteErased(organization: OrganizationModel, lead: number): void {
    const left = [...organization.belongings.of(lead).items].filter((name) => {
      const [pk = '', sk = ''] = name.split(' ');
      return this.database.item({ pk, sk }) !== undefined;
    });
    if (left.length > 0)
      throw new Violation('After a finished erasure no record of the lead may be read', [], left);
    const erased = { organization, lead, at: this.time.now };
    this.erased.push(erased);
    organization.lastErased = lead;
    this.onErased(erased);
  }

  noteCommit(commit: NotedCommit): void {
    this.commits.push(commit);
    if (this.commits.length > 2 * kept) this.commits.splice(0, kept);
  }

  /** Registers a violation, if it is the first. */
  fail(error: unknown, request?: Request): void {
    const violation =
      error instanceof Violation
        ? error
        : new Violation(
            'The simulation met an error',
            'none',
            error instanceof Error ? (error.stack ?? error.message) : error,
          );
    this.violation ??= { violation, request };
  }
}
