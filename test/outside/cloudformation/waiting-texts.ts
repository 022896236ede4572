import { deepStrictEqual } from 'node:assert';
import { envelopeOf } from '../../../infra/local/messaging/message-service.ts';
import {
  queueNameOf,
  stackNameOf,
  topicNameOf,
  type QueueKind,
} from '../../../infra/stack/resource-names.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { receiveTextsWorker } from '../../../shared/contract/sms.ts';
import type { Store } from '../../../shared/ledger/index.ts';
import type { AwsCalls } from './aws-calls.ts';
import { from, leadOf, ledgerOf, notification, publishText } from './received-text.ts';

const mappings = '/2015-03-31/event-source-mappings/';

/** Numbers of leads whose texts wait. */
const numbers = { whileDeleted: '+61491570157', deadLetter: '+61491570158' };

/** Texts that come in while nothing stores them, and what becomes of them. */
export class WaitingTexts {
  readonly #aws: AwsCalls;
  readonly #topic: string;

  constructor(aws: AwsCalls, topic: string) {
    this.#aws = aws;
    this.#topic = topic;
  }

  /** Leaves a STOP in the queue, and a text among its dead letters. The worker takes nothing any more. */
  async comeBeforeDeletion(): Promise<void> {
    const FunctionName = `${stackNameOf('dev')}-ReceiveTexts`;
    const { EventSourceMappings } = await this.#aws.rest<{ EventSourceMappings: { UUID: string }[] }>(
      'lambda',
      'GET',
      `${mappings}?FunctionName=${FunctionName}`,
    );
    deepStrictEqual(EventSourceMappings.length, 1);
    const path = `${mappings}${EventSourceMappings[0]!.UUID}`;
    await this.#aws.rest('lambda', 'PUT', path, { Enabled: false });
    await publishText(this.#aws, this.#topic, { from, text: 'STOP', id: 'in-2' });
    const letter = notification({ from: numbers.deadLetter, text: 'A dead letter', id: 'in-3' });
    const MessageBody = envelopeOf(topicNameOf('dev', 'texts'), letter, Date.now());
    await this.#sqs('SendMessage', { QueueUrl: await this.#urlOf('DeadLetters'), MessageBody });
    await this.#checkCounts({ Queue: 1, DeadLetters: 1 });
  }

  /** Publishes a text while there is no service. @throws Error if a text is not kept */
  async comeWhileDeleted(): Promise<void> {
    await publishText(this.#aws, this.#topic, { from: numbers.whileDeleted, text: 'Hello?', id: 'in-4' });
    await this.#checkCounts({ Queue: 2, DeadLetters: 1 });
  }

  /** Proves that another service stores the texts, also the dead letter after it is sent again. @throws Error */
  async arrive(store: Store, organization: OrganizationCode): Promise<void> {
    const ledger = () => ledgerOf(store, organization);
    await leadOf(ledger, from, true);
    await leadOf(ledger, numbers.whileDeleted);
    const QueueUrl = await this.#urlOf('DeadLetters');
    const { Messages = [] } = await this.#sqs<{ Messages?: { Body: string }[] }>('ReceiveMessage', {
      QueueUrl,
    });
    deepStrictEqual(Messages.length, 1);
    const MessageBody = Messages[0]!.Body;
    await this.#sqs('SendMessage', { QueueUrl: await this.#urlOf('Queue'), MessageBody });
    await leadOf(ledger, numbers.deadLetter);
  }

  async #checkCounts(expected: Record<QueueKind, number>): Promise<void> {
    const countOf = async (kind: QueueKind) => {
      const AttributeNames = ['ApproximateNumberOfMessages'];
      const { Attributes } = await this.#sqs<{ Attributes: Record<string, string> }>('GetQueueAttributes', {
        QueueUrl: await this.#urlOf(kind),
        AttributeNames,
      });
      return Number(Attributes['ApproximateNumberOfMessages']);
    };
    const counts = { Queue: await countOf('Queue'), DeadLetters: await countOf('DeadLetters') };
    deepStrictEqual(counts, expected);
  }

  async #urlOf(kind: QueueKind): Promise<string> {
    const QueueName = queueNameOf('dev', receiveTextsWorker, kind);
    return (await this.#sqs<{ QueueUrl: string }>('GetQueueUrl', { QueueName })).QueueUrl;
  }

  #sqs<T>(operation: string, input: object): Promise<T> {
    return this.#aws.json<T>('sqs', `AmazonSQS.${operation}`, input);
  }
}
