import { randomUUID } from 'node:crypto';
import type { System } from '../../../shared/core/system.ts';
import { topicArnOf } from '../arns.ts';
import { tryOrReport } from '../local-error.ts';
import type { Messaging } from '../template/messaging.ts';
import { deliveryReport } from './delivery-reports.ts';
import type { IncomingSms } from './local-requests.ts';
import { type QueueDependencies, Queues } from './queues.ts';
import type { AcceptedSms } from './sms-stand-in.ts';

/** Milliseconds before each retry. */
const retryDelay = 20_000;

/** The part of SNS and SQS that the template uses, and the SMS provider's publishing to it. */
export class MessageService {
  readonly queues: Queues;
  readonly #clock: Pick<System, 'now' | 'sleep'>;
  #messaging: Messaging;

  constructor(messaging: Messaging, dependencies: QueueDependencies) {
    this.#messaging = messaging;
    this.#clock = dependencies.clock;
    this.queues = new Queues(dependencies);
  }

  /** Takes over the topics, queues and configuration sets of another template. */
  keep(messaging: Messaging): void {
    this.#messaging = messaging;
    this.queues.keep(messaging.queues);
  }

  hasConfigurationSet(name: string): boolean {
    return this.#messaging.configurationSets.has(name);
  }

  /**
   * Publishes an incoming SMS. Returns false if the template has no topic for it.
   * @throws LocalError if no queue could store it
   */
  receiveSms(sms: IncomingSms): boolean {
    const { textsTopic } = this.#messaging;
    if (textsTopic === undefined) return false;
    this.#publish(textsTopic, sms);
    return true;
  }

  /**
   * Publishes the delivery report of an SMS to the topics that its configuration set names. Retries until the
   * queues can store it.
   */
  reportDelivery(sms: AcceptedSms): void {
    const destinations = this.#messaging.configurationSets.get(sms.configurationSet ?? '') ?? [];
    const report = deliveryReport(sms, this.#clock.now());
    const wanted = ['ALL', 'TEXT_ALL', report.eventType];
    for (const { topic, eventTypes } of destinations)
      if (eventTypes.some((type) => wanted.includes(type))) void this.#publishInTime(topic, report);
  }

  /**
   * Retries until the queues took the message, as SNS does.
   * https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
   */
  async #publishInTime(topic: string, message: object): Promise<void> {
    const publish = () => {
      this.#publish(topic, message);
    };
    while (!tryOrReport(publish)) await this.#clock.sleep(retryDelay);
  }

  #publish(topic: string, message: object): void {
    const body = envelopeOf(topic, JSON.stringify(message), this.#clock.now());
    for (const queue of this.#messaging.subscribers.get(topic) ?? []) this.queues.send(queue, body);
  }
}

/**
 * Wraps a published message, as a topic does for its queues.
 * https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html
 */
export function envelopeOf(topic: string, message: string, now: number): string {
  const TopicArn = topicArnOf(topic);
  return JSON.stringify({
    Type: 'Notification',
    MessageId: randomUUID(),
    TopicArn,
    Message: message,
    Timestamp: new Date(now).toISOString(),
    SignatureVersion: '1',
    Signature: 'bG9jYWw=',
    SigningCertURL: 'https://sns.localhost/SimpleNotificationService.pem',
    UnsubscribeURL: `https://sns.localhost/?Action=Unsubscribe&SubscriptionArn=${TopicArn}:${randomUUID()}`,
  });
}
