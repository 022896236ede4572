import type { SimulatedDynamoDb } from '../dynamodb.ts';
import type { VirtualTime } from '../virtual-time.ts';
import { OrganizationModel } from './model/organization-model.ts';
import { Tags } from './model/tags.ts';
import { Window } from './model/window.ts';
import type { Plan } from './plan.ts';
import type { Request } from './request.ts';
import { Violation } from './violation.ts';

/** A commit, as a report shows it. */
export interface NotedCommit {
  organization: string;
  version: number;
  at: number;
  request: string;
  wrote: string[];
}

/** How many commits and requests are kept for a report. */
const kept = 300;

/** One episode under way: its organizations as the model has them, its requests, and what was found wrong. */
export class World {
  readonly time: VirtualTime;
  readonly database: SimulatedDynamoDb;
  /** How much later than the table an index may show an item, in milliseconds, at most. */
  readonly indexLag: number;
  /** Whether organizations keep every value that anything had, so that they can be asked for the state at any version. */
  keepsAll = false;
  readonly organizations = new Map<string, OrganizationModel>();
  /** The request that each transaction was sent for, by its token. */
  readonly requestOf = new Map<string, Request>();
  readonly running = new Set<Request>();
  /** What clients know of the tags of records. */
  readonly tags = new Tags();
  readonly commits: NotedCommit[] = [];
  readonly requests: Request[] = [];
  /** The first thing that was wrong, and the request that it is about. */
  violation: { violation: Violation; request: Request | undefined } | undefined;
  /** What the next founding begins: its code is not known before its commit. */
  founding: { country: string; plan: Plan } | undefined;
  #count = 0;

  constructor(time: VirtualTime, database: SimulatedDynamoDb, indexLag: number) {
    this.time = time;
    this.database = database;
    this.indexLag = indexLag;
  }

  /** A new request, which nothing has begun to serve. */
  newRequest(plan: Plan): Request {
    const request: Request = {
      number: ++this.#count,
      plan,
      startedAt: this.time.now,
      version: 0,
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

  /** Notes that something begins to serve a request: what is complete by now, it must see. */
  start(request: Request, skew: number): void {
    this.noteShown();
    request.startedAt = this.time.now;
    request.version = request.plan.organization.completeVersion;
    request.skew = skew;
    this.running.delete(request);
    this.running.add(request);
  }

  /** The organization with a code; one that is being founded begins here. */
  organizationOf(code: string): OrganizationModel | undefined {
    const known = this.organizations.get(code);
    if (known || !this.founding) return known;
    const { country, plan } = this.founding;
    const organization = new OrganizationModel(code, country);
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

  /** What a request can have seen until now. */
  windowOf({ plan, startedAt, version }: Request): Window {
    return new Window(plan.organization, { since: startedAt, version, indexLag: this.indexLag });
  }

  /** Until when no running request asks what was. Requests stand in the order in which they started. */
  get horizon(): number {
    if (this.keepsAll) return -Infinity;
    const [oldest] = this.running;
    return (oldest?.startedAt ?? this.time.now) - this.indexLag - 1;
  }

  noteCommit(commit: NotedCommit): void {
    this.commits.push(commit);
    if (this.commits.length > 2 * kept) this.commits.splice(0, kept);
  }

  /** Notes what is wrong; only the first counts. */
  fail(error: unknown, request?: Request): void {
    const violation =
      error instanceof Violation
        ? error
        : new Violation('The simulation met an error', {
            expected: 'none',
            observed: error instanceof Error ? (error.stack ?? error.message) : error,
          });
    this.violation ??= { violation, request };
  }
}
