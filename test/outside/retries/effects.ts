import type { KeyedRequest } from './task.ts';

/** The service behind the proxy. */
export interface Service {
  baseUrl: string;
  token: string;
  key: string;
  /** Every SMS that was handed over. */
  sent: readonly unknown[];
}

/** Requests of one kind, and a count of their effects. */
interface Effect {
  /** Name of the effects, as in "200 leads". */
  what: string;
  requests: readonly KeyedRequest[];
  /** Number of effects of each request. */
  each: number;
  count: () => Promise<number>;
}

/** Requests of each kind that has a separate effect. */
export async function effectsOn({ baseUrl, token, key, sent }: Service): Promise<Effect[]> {
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const post = body && { method: 'POST', body: JSON.stringify(body) };
    return (await fetch(`${baseUrl}${path}`, { headers, ...post })).json();
  };
  const lengthOf = (path: string) => async () =>
    ((await ask(`${path}?limit=1`)) as { totalCount: number }).totalCount;
  const [leads, inquiries] = [lengthOf('/v1/leads'), lengthOf('/v1/inquiries')];
  const { lead } = (await ask('/v1/leads', { name: 'Al Ash', phone: '+61491579455' })) as {
    lead: { id: string };
  };
  const { members } = (await ask('/v1/organization/members')) as { members: [{ user: { id: string } }] };
  const many = (count: number, path: string, body: (n: number) => object): readonly KeyedRequest[] =>
    Array.from({ length: count }, (_, n) => ({ path, body: body(n), key: `${path}-${n}` }));
  const thirty = (n: number) => Array.from({ length: 30 }, (_, at) => ({ name: `Lead ${n}-${at}` }));
  return [
    {
      what: 'leads',
      requests: many(200, '/v1/leads', (n) => ({ name: `Lead ${n}`, email: `lead${n}@example.org` })),
      each: 1,
      count: leads,
    },
    {
      what: 'leads in batches',
      requests: many(20, '/v1/leads/batch', (n) => ({ leads: thirty(n) })),
      each: 30,
      count: leads,
    },
    {
      what: 'forms',
      requests: many(20, `/v1/forms/submissions?key=${key}`, (n) => ({ name: `Visitor ${n}` })),
      each: 1,
      count: inquiries,
    },
    {
      what: 'inquiries',
      requests: many(20, '/v1/inquiries', (n) => ({
        source: 'EMAIL',
        lead: { name: `Sender ${n}` },
        data: { subject: 'Gate' },
      })),
      each: 1,
      count: inquiries,
    },
    {
      what: 'SMS',
      requests: many(20, '/v1/sms', (n) => ({
        userId: members[0].user.id,
        leadId: lead.id,
        message: `Text ${n}`,
      })),
      each: 1,
      count: () => Promise.resolve(sent.length),
    },
  ];
}
