import { Lazy } from 'aws-cdk-lib/core';
import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { ServiceUse } from './service-function.ts';

interface Props {
  /** ARN of the key of secrets. */
  keyArn: string;
  /**
   * Returns the queue of the worker that sends webhooks. The queue may be made after the functions that use
   * it.
   */
  queue: () => IQueue;
  /** Maximum number of senders that run at once. */
  senders: number;
}

/** Maximum concurrency that Lambda accepts for a queue: the API reference of Lambda, ScalingConfig. */
const accepted = { min: 2, max: 1000 };

/**
 * Number of senders of webhooks that run at once: a tenth of the account's concurrency, so that webhooks never take the
 * invocations that requests need.
 */
export const sendersIn = (accountConcurrency: number): number =>
  Math.min(accepted.max, Math.max(accepted.min, Math.floor(accountConcurrency / 10)));

/** Lanes of an organization: a quarter of the senders. Its slow receivers leave the other senders to other organizations. */
export const lanesOf = (senders: number): number => Math.max(1, Math.floor(senders / 4));

/** Uses of the key of secrets and of the queue of webhooks. */
export const webhookUses = [
  'secrets',
  'givenSecrets',
  'webhookQueue',
  'webhooks',
  'signingSecrets',
] as const satisfies readonly ServiceUse['name'][];

/**
 * Services of webhooks and of platforms that sign: the key and the queue. Endpoints encrypt and decrypt secrets by the
 * key, and the sender decrypts them. The dispatcher, the sweeper and the sender send to the queue.
 */
export function webhookServices({
  keyArn,
  queue,
  senders,
}: Props): Record<(typeof webhookUses)[number], ServiceUse> {
  const queueArn = Lazy.string({ produce: () => queue().queueArn });
  const ofKey = { SECRETS_KEY: keyArn };
  const ofQueue = {
    WEBHOOK_QUEUE_URL: Lazy.string({ produce: () => queue().queueUrl }),
    WEBHOOK_LANES: String(lanesOf(senders)),
  };
  const allow = (resource: string, ...actions: string[]) =>
    new PolicyStatement({ actions, resources: [resource] });
  const use = <Name extends ServiceUse['name']>(
    name: Name,
    environment: Record<string, string>,
    ...statements: PolicyStatement[]
  ) => ({ name, environment, policy: new PolicyDocument({ statements }), acknowledged: {} });
  const mayQueue = () => allow(queueArn, 'sqs:SendMessage');
  return {
    secrets: use('secrets', ofKey, allow(keyArn, 'kms:Decrypt', 'kms:Encrypt')),
    givenSecrets: use('givenSecrets', ofKey, allow(keyArn, 'kms:Encrypt')),
    signingSecrets: use('signingSecrets', ofKey, allow(keyArn, 'kms:Decrypt')),
    webhookQueue: use('webhookQueue', ofQueue, mayQueue()),
    // Its event source lets it hide messages, too.
    webhooks: use('webhooks', { ...ofKey, ...ofQueue }, allow(keyArn, 'kms:Decrypt'), mayQueue()),
  };
}
