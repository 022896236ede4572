import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { startServer } from '../../infra/local/loopback.ts';
import { unthrottledOptions } from '../support/machine/unthrottled.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/machine/webhook-receiver.ts';
import { median, quantile, type Chapter, type Run } from './chapter.ts';
import { withMachine, type Machine } from './start.ts';

/**
 * Measures how soon an event is at the receiver of a webhook, alone and beside many other events. The machine
 * has no limits of a stage, so that the machine itself is measured.
 */
export const measureWebhooks = (run: Run): Promise<Chapter> =>
  withMachine([process.execPath, 'infra/local/start.ts', ...unthrottledOptions, '--no-watch'], (machine) =>
    measure(run, machine),
  );

/** An organization with a webhook, and the receiver of the webhook. */
class Sender {
  readonly #baseUrl: string;
  readonly #token: string;
  readonly receiver: WebhookReceiver;

  private constructor(baseUrl: string, token: string, receiver: WebhookReceiver) {
    this.#baseUrl = baseUrl;
    this.#token = token;
    this.receiver = receiver;
  }

  /** Makes the webhook. The first events start the functions. */
  static async start(baseUrl: string, token: string): Promise<Sender> {
    const sender = new Sender(baseUrl, token, await startWebhookReceiver());
    await sender.addWebhook(sender.receiver.url);
    await sender.delaysUntil((sent) => sent === 3);
    return sender;
  }

  addWebhook(url: string): Promise<void> {
    return this.post('/v1/webhooks', { url, types: ['lead.created'] });
  }

  /** Creates a lead, which is one event. */
  addLead(): Promise<void> {
    return this.post('/v1/leads', { name: 'Ann Ash' });
  }

  async post(path: string, body: object): Promise<void> {
    const headers = { Authorization: `Bearer ${this.#token}`, 'Content-Type': 'application/json' };
    const answer = await fetch(this.#baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`POST ${path} was answered ${answer.status} ${text}`);
  }

  /** Waits until so many events have arrived. Returns the milliseconds from each event's own time. */
  async arrived(count: number): Promise<number[]> {
    const events = await this.receiver.take(count);
    return events.map(({ body, at }) => at - Date.parse(v.parse(Sent, JSON.parse(body)).timestamp));
  }

  /**
   * Creates leads until enough are sent. Each lead is created once the event of the lead before has arrived.
   */
  async delaysUntil(isEnough: (sent: number) => boolean): Promise<number[]> {
    const delays: number[] = [];
    while (!isEnough(delays.length)) {
      await this.addLead();
      delays.push(...(await this.arrived(1)));
    }
    return delays;
  }
}

const Sent = v.object({ timestamp: v.string() });
const writers = 10;

async function measure({ quick, progress }: Run, { baseUrl, tokens }: Machine): Promise<Chapter> {
  const count = quick ? 50 : 200;
  const imported = quick ? 1000 : 10_000;
  await using opened = new AsyncDisposableStack();
  const [busy, other] = await Promise.all(
    tokens.slice(0, 2).map(async (token) => {
      const sender = await Sender.start(baseUrl, token);
      opened.defer(() => sender.receiver.close());
      return sender;
    }),
  );
  if (!busy || !other) throw new Error('The machine has not two organizations');

  progress('one writer');
  const all = (sent: number) => sent === count;
  const alone = await other.delaysUntil(all);
  progress('ten writers');
  const writer = async (at: number) => {
    await setTimeout((500 * at) / writers);
    for (let written = 0; written < count / writers; written++) {
      await busy.addLead();
      await setTimeout(500);
    }
  };
  const [beside] = await Promise.all([
    busy.arrived(count),
    ...Array.from({ length: writers }, (_, at) => writer(at)),
  ]);
  progress(`importing ${imported} leads beside another organization`);
  const importing = { isOver: false };
  const leads = Array.from({ length: 100 }, () => ({ name: 'Di Dow' }));
  const [besideImport] = await Promise.all([
    other.delaysUntil(() => importing.isOver),
    (async () => {
      for (let at = 0; at < imported; at += leads.length) await busy.post('/v1/leads/batch', { leads });
      importing.isOver = true;
    })(),
  ]);
  await busy.arrived(imported);
  progress('a receiver that does not answer');
  const silent = await startServer(() => new Promise(() => undefined));
  opened.defer(() => silent.close());
  await busy.addWebhook(`${silent.endpoint}/`);
  await busy.addLead();
  const besideSilent = await other.delaysUntil(all);

  const loads = [
    ['one writer', alone],
    [`${writers} writers of the organization, each twice a second`, beside],
    [`one writer, while another organization imports ${imported.toLocaleString('en')} leads`, besideImport],
    ["one writer, while another organization's receiver does not answer", besideSilent],
  ] as const;
  return {
    title: 'Webhooks',
    about:
      'Milliseconds from an event to its receiver, on the local machine: stream, queue and functions are its own, in one process with the API and the database, on the ' +
      'same cores as the writers and the receivers. An event begins at its own time, which its write takes before the transaction. The receiver answers at once.',
    table: {
      columns: ['Load', 'Events', 'Median', '95th percentile', 'Longest'],
      rows: loads.map(([what, delays]) => [
        what,
        ...[delays.length, median(delays), quantile(delays, 0.95), Math.max(...delays)],
      ]),
    },
    budgets: [
      { what: `Median beside ${writers} writers`, limit: 200, unit: ' ms', measured: median(beside) },
      {
        what: '… more beside an import, than alone',
        limit: 1000,
        unit: ' ms',
        measured: median(besideImport) - median(alone),
      },
      {
        what: '… more beside a receiver that does not answer, than alone',
        limit: 100,
        unit: ' ms',
        measured: median(besideSilent) - median(alone),
      },
    ],
  };
}
