import type { System } from '../../../shared/core/system.ts';
import { tryOrReport } from '../say.ts';
import type { AcceptedSms } from '../sms-stand-in.ts';
import { deliveryReport } from './delivery-reports.ts';
import { Queues, type QueueDependencies } from './queues.ts';
import type { Messaging } from './messaging.ts';
import type { IncomingSms } from './incoming-sms.ts';
import { envelopeOf } from './topics.ts';

/** The wait before each retry, in milliseconds. */
const retryDelay = 20_000;

/** The part of SNS and SQS that the template uses, and what the SMS provider publishes there. */
export class MessageService {
  readonly queues: Queues;
  readonly #clock: Pick<System, 'now' | 'sleep'>;
  #messaging: Messaging;

  constructor(messaging: Messaging, dependencies: QueueDependencies) {
    this.#messaging = messaging;
    this.#clock = dependencies.clock;
    this.queues = new Queues(dependencies);
  }

  /** Replaces what is there, with another template. */
  keep(messaging: Messaging): void {
    this.#messaging = messaging;
    this.queues.keep(messaging.queues);
  }

  hasConfigurationSet(name: string): boolean {
    return this.#messaging.configurationSets.has(name);
  }

  /** Publishes a text that comes in. False where the template has no topic for it. @throws LocalError if no queue could keep it */
  receiveSms(text: IncomingSms): boolean {
    const { textsTopic } = this.#messaging;
    if (textsTopic === undefined) return false;
    this.#publish(textsTopic, text);
    return true;
  }

  /** Publishes what became of a text that was sent, where its configuration set wants to know: as soon as queues can keep it. */
  reportDelivery(text: AcceptedSms): void {
    const destinations = this.#messaging.configurationSets.get(text.configurationSet ?? '') ?? [];
    const report = deliveryReport(text, this.#clock.now());
    const wanted = ['ALL', 'TEXT_ALL', report.eventType];
    for (const { topic, eventTypes } of destinations)
      if (eventTypes.some((type) => wanted.includes(type))) void this.#publishInTime(topic, report);
  }

  /** SNS tries again what a queue did not take. https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html */
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
