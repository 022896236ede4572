import type { DatabaseSync } from 'node:sqlite';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordedEvent } from '../../../shared/contract/event-feed.ts';
import type { ApiClient } from '../api-client.ts';
import { twoWayProgram, type Request, type TwoWayAnswer } from './copy-program.ts';

/** The program was stopped: its request has arrived, and its file does not know. */
class Stopped extends Error {}

/** The fields that the program keeps in step. */
const fields = ['firstName', 'lastName', 'email', 'phone', 'suburb', 'businessName', 'status'] as const;
export type Side = Record<string, string>;

/** No test stops the machine, so none waits until the disk has a write. */
const unsynced = 'PRAGMA synchronous = OFF';
const { openFile, step, upToDate } = await twoWayProgram();

/** The API and a file, with the program of docs/guides/keeping-in-step.md for both directions between them. */
export class TwoSides {
  readonly name = join(mkdtempSync(join(tmpdir(), 'two-way-')), 'leads.db');
  file: DatabaseSync = openFile(this.name);
  readonly #api: ApiClient;
  /** Events of others that the program told. */
  readonly told: RecordedEvent[] = [];
  /** Number of answers of each kind: a method and a status. */
  readonly answers = new Map<string, number>();
  /** Runs before the program's next change is sent, as if another client were faster. */
  before: (method: string) => Promise<unknown> = () => Promise.resolve();
  /** True if the program is stopped after this request, before it stores the answer. */
  stops: (method: string) => boolean = () => false;

  constructor(api: ApiClient) {
    this.#api = api;
    this.file.exec(unsynced);
  }

  /** Lets the program run until it is stopped, or finds nothing new. */
  async run(): Promise<void> {
    for (let wait = 0; wait !== upToDate;) {
      try {
        wait = await step(this.file, this.#ask, (event) => this.told.push(event));
      } catch (error) {
        if (!(error instanceof Stopped)) throw error;
        this.file.close();
        this.file = openFile(this.name);
        this.file.exec(unsynced);
        return;
      }
    }
  }

  readonly #ask = async (
    path: string,
    { method = 'GET', headers, body }: Request = {},
  ): Promise<TwoWayAnswer> => {
    if (method !== 'GET') await this.before(method);
    const json = { 'Content-Type': 'application/json', ...headers };
    const answer = await this.#api.send(method, path, { headers: json, ...(body !== undefined && { body }) });
    const [kind, replays] = [`${method} ${answer.status}`, answer.headers.has('Idempotency-Replayed')];
    for (const name of [kind, ...(replays ? ['replayed'] : [])])
      this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
    if (this.stops(method)) throw new Stopped();
    return {
      status: answer.status,
      retryAfter: answer.headers.get('Retry-After'),
      etag: answer.headers.get('ETag'),
      requestId: answer.headers.get('X-Request-Id'),
      body: answer.body,
    };
  };

  /** A lead in the file. */
  mine(id: string): Side | undefined {
    const row = this.file.prepare('SELECT mine FROM leads WHERE id = ?').get(id);
    return row && sideOf(JSON.parse(String(row['mine'])) as Side);
  }

  /** All leads in the file, by id. */
  inFile(): Map<string, Side> {
    const rows = this.file.prepare('SELECT * FROM leads').all();
    return new Map(rows.map(({ id, mine }) => [String(id), sideOf(JSON.parse(String(mine)) as Side)]));
  }

  /** All leads of the API, by id. */
  async inApi(): Promise<Map<string, Side>> {
    const found = new Map<string, Side>();
    for (let after: string | null | undefined = ''; after !== null && after !== undefined;) {
      const query: Record<string, string> = { limit: '100', ...(after === '' ? {} : { after }) };
      const page: { leads: { id: string }[]; nextAfter?: string | null } = await this.#api.call('listLeads', {
        query,
      });
      for (const lead of page.leads) found.set(lead.id, sideOf(lead));
      after = page.nextAfter;
    }
    return found;
  }

  /** Adds a lead to the file, as other software does. */
  add(key: string, mine: Side): void {
    this.file.prepare('INSERT INTO leads (key, mine) VALUES (?, ?)').run(key, JSON.stringify(mine));
  }

  /** Changes a field of a lead in the file, as other software does. */
  edit(id: string, field: string, value: string): void {
    this.file.prepare(`UPDATE leads SET mine = json_set(mine, '$.${field}', ?) WHERE id = ?`).run(value, id);
  }

  /** Deletes a lead in the file, as other software does. */
  remove(id: string): void {
    this.file.prepare('UPDATE leads SET gone = 1 WHERE id = ?').run(id);
  }
}

const sideOf = (record: object): Side =>
  Object.fromEntries(fields.map((name) => [name, String(Reflect.get(record, name))]));
