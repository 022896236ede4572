import { isKeyed } from '../../../shared/contract/endpoint.ts';
import type { System } from '../../../shared/core/system.ts';
import type { OutgoingSms, SmsOutcome, SmsProvider } from '../../../shared/domain/sms/sms-provider.ts';
import type { SecretMaker } from '../../../shared/domain/webhooks/change-webhook.ts';
import type { QueueWebhooks } from '../../../shared/domain/webhooks/message.ts';
import type { Posted, PostWebhook } from '../../../shared/domain/webhooks/receiver.ts';
import type { SecretBox } from '../../../shared/domain/webhooks/secrets.ts';
import type { Store } from '../../../shared/ledger/index.ts';
import type { settings as Settings } from '../../../shared/http/outside/settings.ts';
import type { HideMessage } from '../../../shared/http/clients/webhook-queue.ts';
import { operations } from './contracts.ts';
import { currentInvocation, type Invocation } from './invocation.ts';

// Replaces every file of `shared/http/outside`, so it has the exports of all of them.

/** Settings of all functions. */
export const settings: typeof Settings = {
  metricsNamespace: undefined,
  rateLimitPolicy: undefined,
  // So few that some forms are refused.
  maxPerKeyAndDay: 12,
  keyedPaths: operations.flatMap(({ endpoint }) => (isKeyed(endpoint) ? [endpoint.path] : [])),
  refusedPerMinute: 60,
  functionNames: [],
  reachesLoopback: false,
};

/** Clock and chance of the running request's environment. */
export const system: System = {
  now: () => currentInvocation().environment.system.now(),
  random: () => currentInvocation().environment.system.random(),
  randomBytes: (size) => currentInvocation().environment.system.randomBytes(size),
  sleep: (milliseconds) => currentInvocation().environment.system.sleep(milliseconds),
};

/** Ledgers on the table, by the client of the running request's environment. */
export const ledgerOf: Store['ledgerOf'] = (principal, options) =>
  currentInvocation().environment.store.ledgerOf(principal, options);

export const organizationOfPhoneNumber: Store['organizationOfPhoneNumber'] = (phone, limits) =>
  currentInvocation().environment.store.organizationOfPhoneNumber(phone, limits);

export const grantOf: Store['grantOf'] = (tokenHash, limits) =>
  currentInvocation().environment.store.grantOf(tokenHash, limits);

export const noteUse: Store['noteUse'] = (...asked) =>
  currentInvocation().environment.store.noteUse(...asked);

export const dueCursors: Store['dueCursors'] = (...asked) =>
  currentInvocation().environment.store.dueCursors(...asked);

type HandOver = (invocation: Invocation, message: OutgoingSms) => Promise<SmsOutcome>;

let handOver: HandOver = () => Promise.reject(new Error('No provider is connected'));

/** Connects handovers of SMS to the provider of the running episode. */
export function sendSmsTo(provider: HandOver): void {
  handOver = provider;
}

/** Hands SMS to the simulated provider. */
export const smsProvider: SmsProvider = {
  send: (message) => handOver(currentInvocation(), message),
  from: 'arn:aws:sms-voice:us-east-1:000000000000:pool/pool-1',
};

/** A box that everybody can open. */
export const secretBox: SecretBox = {
  encrypt: (organization, secret) => {
    currentInvocation().environment.noteAwait();
    return Promise.resolve(`${organization}:${secret}`);
  },
  decrypt: (organization, encrypted) => {
    currentInvocation().environment.noteAwait();
    const [of, secret = ''] = encrypted.split(':');
    return of === organization ? Promise.resolve(secret) : Promise.reject(new Error('Another organization'));
  },
};

export const secretMaker: SecretMaker = {
  box: secretBox,
  randomBytes: (size) => system.randomBytes(size),
};

/** Services that the workers of webhooks use besides the table. */
interface WebhookWorld {
  queue: QueueWebhooks;
  /** Hides the message of a run for so many seconds. */
  hide: (invocation: Invocation, seconds: number) => void;
  post: (invocation: Invocation, posted: Parameters<PostWebhook>) => Promise<Posted>;
}

let webhookWorld: WebhookWorld | undefined;

/** Connects the workers of webhooks to the running episode. */
export function serveWebhooks(world: WebhookWorld): void {
  webhookWorld = world;
}

function connected(): WebhookWorld {
  if (!webhookWorld) throw new Error('The workers of webhooks are not connected');
  return webhookWorld;
}

export const queueWebhooks: QueueWebhooks = (messages) => {
  currentInvocation().environment.noteAwait();
  return connected().queue(messages);
};

export const hideWebhook: HideMessage = (_message, seconds) => {
  currentInvocation().environment.noteAwait();
  connected().hide(currentInvocation(), seconds);
  return Promise.resolve();
};

export const postWebhook: PostWebhook = (...posted) => connected().post(currentInvocation(), posted);
