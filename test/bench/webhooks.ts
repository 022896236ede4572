import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import type { Budget, Measure } from './section.ts';
import { withService, type Service } from './service.ts';
import { median, quantile } from './statistics.ts';
import { WebhookReceiver, type ReceivedEvent } from '../support/webhook-receiver.ts';
import { startServer } from '../../infra/local/loopback.ts';

const types = ['lead.created'];
const writers = 10;

const Sent = v.object({ id: v.number(), timestamp: v.string() });

/** An event that arrived. */
interface Arrival {
  /** Number of the event. */
  id: number;
  /** Milliseconds from the event's own time, which is taken before its transaction, to the receiver. */
  delay: number;
  /** Epoch milliseconds. */
  at: number;
}

/** Waits until so many events have arrived. */
async function arrived(receiver: WebhookReceiver, count: number): Promise<Arrival[]> {
  return (await receiver.take(count)).map(({ body, at }: ReceivedEvent) => {
    const { id, timestamp } = v.parse(Sent, JSON.parse(body));
    return { id, at, delay: at - Date.parse(timestamp) };
  });
}

const Made = v.object({ webhook: v.object({ id: v.number() }) });

/** Sends a request with an organization's token. */
type Post = (path: string, body: object) => Promise<unknown>;

async function post(
  { baseUrl, token }: Pick<Service, 'baseUrl' | 'token'>,
  path: string,
  body: object,
): Promise<unknown> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`POST ${path} was answered ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Measures how soon an event is at the receiver of a webhook, alone and beside much else, and how many a second. */
export const measureWebhooks: Measure = ({ quick, progress }) =>
  withService(async ({ baseUrl, tokens }) => {
    const [busy, other] = tokens.map(
      (token): Post =>
        (path, body) =>
          post({ baseUrl, token }, path, body),
    );
    if (!busy || !other) throw new Error('The machine has not two organizations');
    const seconds = quick ? 5 : 20;
    const imported = quick ? 1000 : 10_000;
    await using opened = new AsyncDisposableStack();
    const receiving = async (api: Post) => {
      const receiver = opened.adopt(await WebhookReceiver.start(), (one) => one.close());
      const { webhook } = v.parse(Made, await api('/v1/webhooks', { url: receiver.url, types }));
      return { receiver, webhook };
    };
    const [{ receiver: ofBusy, webhook }, { receiver: ofOther }] = [
      await receiving(busy),
      await receiving(other),
    ];
    // The first event starts the functions.
    await arrivalsOf(other, ofOther, 3);
    await arrivalsOf(busy, ofBusy, 3);

    progress('one writer');
    const alone = await arrivalsOf(other, ofOther, 10 * seconds);
    const besideWriters = async (milliseconds: number, pause: number) => {
      const until = Date.now() + milliseconds;
      const written = await Promise.all(
        Array.from({ length: writers }, (_, at) =>
          writeUntil(busy, until, { pause, delay: (pause * at) / writers }),
        ),
      );
      return arrived(
        ofBusy,
        written.reduce((sum, count) => sum + count, 0),
      );
    };
    progress('ten writers');
    // They need more functions at once than one does.
    await besideWriters(3000, 0);
    const beside = await besideWriters(1000 * seconds, 500);
    progress('ten writers, as fast as they can');
    const besideFast = await besideWriters(1000 * seconds, 0);
    progress('the same events again');
    const first = Math.min(...besideFast.map(({ id }) => id));
    await busy(`/v1/webhooks/${webhook.id}/replay`, { after: first - 1 });
    const again = await arrived(ofBusy, besideFast.length);

    progress(`importing ${imported} leads beside another organization`);
    const importing = importLeads(busy, imported);
    const besideImport = await arrivalsWhile(other, ofOther, importing);
    await arrived(ofBusy, imported);
    progress('a receiver that does not answer');
    const silent = await startServer(() => new Promise(() => undefined));
    const dead = opened.adopt(silent, (one) => one.close());
    await busy('/v1/webhooks', { url: `${dead.endpoint}/`, types });
    await busy('/v1/leads', { name: 'Bea Budd' });
    const besideDead = await arrivalsOf(other, ofOther, 10 * seconds);

    const rows: [string, Arrival[]][] = [
      ['one writer', alone],
      ['10 writers of the organization, each twice a second', beside],
      ['10 writers of the organization, as fast as they can', besideFast],
      [`one writer, while another organization imports ${imported.toLocaleString('en')} leads`, besideImport],
      ["one writer, while another organization's receiver does not answer", besideDead],
    ];
    const delayOf = (arrivals: Arrival[]) => median(arrivals.map(({ delay }) => delay));
    return {
      title: 'Webhooks',
      about: [
        'Milliseconds from an event to its receiver, on the local machine: stream, queue and functions are its own, in one process ' +
          'with the API and the database, on the same cores as the writers and the receivers. An event begins at its own time, which ' +
          'its write takes before the transaction. Each lead that is created is one event; the receiver answers at once. Ten writers without a pause ' +
          'take the whole CPU of the machine, with a webhook or without.',
        `The same events again: ${besideFast.length} events that a replay sends anew, one after the other, since a webhook has an order.`,
      ],
      budgets: [
        atMost('Median from an event to its receiver, while 10 writers write', delayOf(beside), 200),
        atMost(
          `… more, while another organization imports ${imported.toLocaleString('en')} leads`,
          delayOf(besideImport) - delayOf(alone),
          1000,
        ),
        atMost(
          "… more, while another organization's receiver does not answer",
          delayOf(besideDead) - delayOf(alone),
          100,
        ),
      ],
      tables: [
        {
          caption: 'From an event to its receiver, milliseconds',
          columns: ['Load', 'Events', 'Events a second', 'Median', '95th percentile', 'Longest'],
          rows: [...rows, ['the same events again', again] as const].map(([what, arrivals]) => {
            const delays = arrivals.map(({ delay }) => delay);
            const shown =
              arrivals === again
                ? ['', '', '']
                : [median(delays), quantile(delays, 0.95), Math.max(...delays)];
            return [what, arrivals.length, rateOf(arrivals).toFixed(0), ...shown.map(String)];
          }),
        },
      ],
    };
  });

/** Creates leads one after the other, each once the one before has arrived. */
async function arrivalsOf(api: Post, receiver: WebhookReceiver, count: number): Promise<Arrival[]> {
  const arrivals: Arrival[] = [];
  while (arrivals.length < count) {
    await api('/v1/leads', { name: 'Ann Ash' });
    arrivals.push(...(await arrived(receiver, 1)));
  }
  return arrivals;
}

/** Creates leads in the same way until something else is done. */
async function arrivalsWhile(
  api: Post,
  receiver: WebhookReceiver,
  other: Promise<unknown>,
): Promise<Arrival[]> {
  const state = { isDone: false };
  const done = other.finally(() => (state.isDone = true));
  const arrivals: Arrival[] = [];
  while (!state.isDone) arrivals.push(...(await arrivalsOf(api, receiver, 1)));
  await done;
  return arrivals;
}

/** Creates leads until a time, with a pause before each, and the given delay before the first. Returns their number. */
async function writeUntil(
  api: Post,
  time: number,
  { pause, delay }: { pause: number; delay: number },
): Promise<number> {
  await setTimeout(delay);
  for (let count = 0; ; count++) {
    if (Date.now() >= time) return count;
    await api('/v1/leads', { name: 'Cy Coe' });
    await setTimeout(pause);
  }
}

async function importLeads(api: Post, count: number): Promise<void> {
  const leads = Array.from({ length: 100 }, () => ({ name: 'Di Dow' }));
  for (let at = 0; at < count; at += leads.length) await api('/v1/leads/batch', { leads });
}

/** Events a second, from the first arrival to the last. */
function rateOf(arrivals: readonly Arrival[]): number {
  const times = arrivals.map(({ at }) => at);
  return ((arrivals.length - 1) * 1000) / (Math.max(...times) - Math.min(...times));
}

const atMost = (what: string, measured: number, limit: number): Budget => ({
  what,
  limit: `at most ${limit} ms`,
  measured: `${measured.toFixed(0)} ms`,
  met: measured <= limit,
});
