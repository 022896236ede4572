/** A request about one lead. */
export interface LeadRequest {
  kind: 'read' | 'update' | 'upsert' | 'delete';
  /** Id of the lead; `""` for an upsert, which finds the lead by another id. */
  id: string;
  /** Suburb that it sets; undefined if it changes nothing. */
  suburb?: string;
  /** Tag in its `If-Match`; `""` without the header. */
  ifMatch: string;
}

/** The answer: its status, and the lead that it shows. A 412 shows the present tag alone. */
export interface LeadAnswer {
  status: number;
  id: string;
  suburb: string;
  tag: string;
}

/** A request with its answer, and the time of each in nanoseconds. */
export interface HistoryEntry {
  client: number;
  call: number;
  return: number;
  request: LeadRequest;
  answer: LeadAnswer;
}

/** Sends a request for one client. */
export type Send = (request: LeadRequest) => Promise<LeadAnswer>;

interface Recording {
  clients: readonly Send[];
  /** Number of requests of each client. */
  requests: number;
  random: () => number;
  /** Time in milliseconds. */
  now: () => number;
}

/** Lets clients read, change, upsert and delete one lead at the same time. Returns what each sent and got. */
export async function recordHistory({ clients, requests, random, now }: Recording): Promise<HistoryEntry[]> {
  const began = now();
  const history: HistoryEntry[] = [];
  let id = '';
  let changes = 0;
  const act = async (send: Send, client: number) => {
    let tag = '';
    for (let at = 0; at < requests; at++) {
      const request = someRequest({ random, id, tag, suburb: `Suburb ${++changes}` });
      const call = now();
      const answer = await send(request);
      // A 503 promises that nothing was stored.
      if (answer.status === 503) continue;
      history.push({ client, call: nanoseconds(call), return: nanoseconds(now()), request, answer });
      id = answer.id || id;
      tag = answer.tag || tag;
    }
  };
  const nanoseconds = (time: number) => Math.round((time - began) * 1_000_000);
  await Promise.all(clients.map(act));
  return history;
}

/** A random request of a client that knows the lead's id, and a tag that it had. */
function someRequest(known: { random: () => number; id: string; tag: string; suburb: string }): LeadRequest {
  const { random, id, tag, suburb } = known;
  const ifMatch = random() < 0.6 ? tag : '';
  const chance = random();
  if (id === '' || chance < 0.25) return { kind: 'upsert', id: '', suburb, ifMatch };
  if (chance < 0.35) return { kind: 'upsert', id: '', ifMatch };
  if (chance < 0.65) return { kind: 'read', id, ifMatch: '' };
  if (chance < 0.92) return { kind: 'update', id, suburb, ifMatch };
  return { kind: 'delete', id, ifMatch };
}
