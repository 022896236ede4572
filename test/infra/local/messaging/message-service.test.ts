import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MachineClock } from '../../../../infra/local/clock.ts';
import { LocalError } from '../../../../infra/local/local-error.ts';
import { MessageService } from '../../../../infra/local/messaging/message-service.ts';
import type { QueueDependencies } from '../../../../infra/local/messaging/queues.ts';
import type { Messaging } from '../../../../infra/local/template/messaging.ts';
import { readTemplate } from '../../../../infra/local/template/template.ts';
import { worker } from '../../../../shared/contract/worker.ts';
import { synthesizeWorkers } from '../../../support/made-up-workers.ts';

const answering = worker({
  name: 'answer-texts',
  summary: 'Answers',
  breaks: 'Nothing.',
  on: { queue: { maxConcurrency: 3, isBehindTopic: true } },
  access: 'none',
  uses: 'sms',
  timeoutSeconds: 10,
  retries: 4,
  deadLetters: { keptDays: 14 },
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'messaging-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

interface Statement {
  Effect: string;
  Action: unknown;
}
interface Resource {
  Type: string;
  Properties: Record<string, unknown> & {
    PolicyDocument: { Statement: Statement[] };
    Policies?: { PolicyDocument: { Statement: Statement[] } }[];
  };
}

/** Templates of stacks with the worker, after a change of its resources of a type. */
function read(type?: string, change: (properties: Resource['Properties']) => unknown = () => undefined) {
  synthesizeWorkers(folder, [{ worker: answering }]);
  for (const stack of ['MadeUp', 'MadeUp-data']) {
    const file = join(folder, `${stack}.template.json`);
    const template = JSON.parse(readFileSync(file, 'utf8')) as { Resources: Record<string, Resource> };
    for (const { Type, Properties } of Object.values(template.Resources))
      if (Type === type) change(Properties);
    writeFileSync(file, JSON.stringify(template));
  }
  return readTemplate(folder);
}

/** Removes an allowed action from a policy. */
const disallow = ({ PolicyDocument }: Resource['Properties']) => {
  PolicyDocument.Statement = PolicyDocument.Statement.filter(({ Effect }) => Effect === 'Deny');
};

describe('a worker behind a queue and a topic', () => {
  test("is read: its queue, the topic's subscribers, and the destinations of reports", () => {
    const { messaging, functions } = read();
    const { name: functionName } = functions.find(({ name }) => name.startsWith('AnswerTextsFunction'))!;
    const [queue] = messaging.queues;
    expect(messaging.queues).toEqual([
      {
        id: expect.stringMatching(/^AnswerTextsQueue/) as string,
        functionName,
        isFifo: false,
        maxConcurrency: 3,
        visibilityTimeout: 60_000,
        maxReceives: 5,
        deadLetters: expect.stringMatching(/^AnswerTextsDeadLetters/) as string,
      },
    ]);
    expect(messaging.subscribers.get(messaging.textsTopic!)).toEqual([queue!.id]);
    expect([...messaging.configurationSets]).toEqual([
      [
        'SalesPipeline-dev-texts',
        [{ topic: messaging.textsTopic, eventTypes: expect.arrayContaining(['TEXT_DELIVERED']) as unknown }],
      ],
    ]);
  });

  test.each<[string, Parameters<typeof read>, RegExp]>([
    [
      'its topic may not send to its queue',
      ['AWS::SQS::QueuePolicy', disallow],
      /^sns\.amazonaws\.com may not sqs:SendMessage to AnswerTextsQueue\w+: no policy of it says so$/,
    ],
    [
      'the policy of its queue is about another topic',
      [
        'AWS::SQS::QueuePolicy',
        ({ PolicyDocument }) => {
          for (const statement of PolicyDocument.Statement)
            if (statement.Effect === 'Allow')
              Object.assign(statement, { Condition: { ArnEquals: { 'aws:SourceArn': 'Other' } } });
        },
      ],
      /^sns\.amazonaws\.com may not sqs:SendMessage/,
    ],
    [
      'the provider may not publish to its topic',
      ['AWS::SNS::TopicPolicy', disallow],
      /^sms-voice\.amazonaws\.com may not sns:Publish to SalesPipeline-dev-texts: no policy of it says so$/,
    ],
    [
      'the provider may publish of another account alone',
      [
        'AWS::SNS::TopicPolicy',
        ({ PolicyDocument }) => {
          for (const statement of PolicyDocument.Statement)
            if (statement.Effect === 'Allow')
              Object.assign(statement, { Condition: { StringEquals: { 'aws:SourceAccount': '1' } } });
        },
      ],
      /^sms-voice\.amazonaws\.com may not sns:Publish/,
    ],
    [
      'its role may not take messages from its queue',
      [
        'AWS::IAM::Role',
        ({ Policies = [] }) => {
          for (const { PolicyDocument } of Policies)
            PolicyDocument.Statement = PolicyDocument.Statement.filter(
              ({ Action }) => !JSON.stringify(Action).includes('sqs:DeleteMessage'),
            );
        },
      ],
      /^The role of AnswerTextsFunction\w+ does not allow sqs:ReceiveMessage on its queue AnswerTextsQueue\w+$/,
    ],
    [
      'it is given what is published without its envelope',
      ['AWS::SNS::Subscription', (properties) => (properties['RawMessageDelivery'] = true)],
      /\(AWS::SNS::Subscription\): Properties\.RawMessageDelivery Invalid key/,
    ],
    [
      'it is given several messages at once',
      ['AWS::Lambda::EventSourceMapping', (properties) => (properties['BatchSize'] = 10)],
      /\(AWS::Lambda::EventSourceMapping\): Properties\.BatchSize Invalid type: Expected 1 but received 10$/,
    ],
  ])('is refused at start if %s', (_, change, message) => {
    const start = () => read(...change);
    expect(start).toThrow(LocalError);
    expect(start).toThrow(message);
  });
});

describe('a published message', () => {
  const now = Date.parse('2026-11-05T01:02:03.004Z');
  let bodies: Record<string, unknown>[];
  beforeEach(() => {
    bodies = [];
  });

  function service(
    changes: Partial<Messaging> = {},
    around: Partial<QueueDependencies> = {},
  ): MessageService {
    const all = { topic: 'Topic', eventTypes: ['TEXT_ALL'] };
    const queue = {
      functionName: 'F',
      isFifo: false,
      maxConcurrency: 9,
      visibilityTimeout: 1,
      maxReceives: 1,
    };
    const messaging: Messaging = {
      queues: ['One', 'Two'].map((id) => ({ ...queue, id, deadLetters: undefined })),
      subscribers: new Map([['Topic', ['One', 'Two']]]),
      configurationSets: new Map([
        ['all', [all]],
        ['delivered', [{ topic: 'Topic', eventTypes: ['TEXT_DELIVERED'] }]],
        ['none', []],
      ]),
      textsTopic: 'Topic',
      ...changes,
    };
    const made = new MessageService(messaging, {
      clock: { now: () => now, sleep: () => new Promise(() => undefined) },
      invoke: (_, event) => {
        const { Records } = event as { Records: [{ body: string }] };
        bodies.push(JSON.parse(Records[0].body) as Record<string, unknown>);
        return Promise.resolve({ id: '1', result: 'null', output: '' });
      },
      onRun: () => undefined,
      keepDeadLetter: () => undefined,
      folder: undefined,
      ...around,
    });
    made.keep(messaging);
    made.queues.open();
    return made;
  }

  const incoming = {
    originationNumber: '+61491570156',
    destinationNumber: '+61491570737',
    messageKeyword: 'KEYWORD_000000000000',
    messageBody: 'Hi',
    inboundMessageId: 'text-1',
  };
  const sent = {
    id: 'message-1',
    to: '+61491570156',
    from: 'arn:aws:sms-voice:us-east-1:000000000000:phone-number/phone-61491570737',
    text: 'We come at 3.',
    messageType: 'TRANSACTIONAL',
    context: { organization: '6H8EV880', message: '7' },
    configurationSet: 'all',
  };

  test("goes to each queue of the topic, in the topic's envelope", () => {
    expect(service().receiveSms(incoming)).toBe(true);
    expect(bodies).toHaveLength(2);
    expect(bodies[0]).toMatchObject({
      Type: 'Notification',
      MessageId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      TopicArn: 'arn:aws:sns:us-east-1:000000000000:Topic',
      Timestamp: '2026-11-05T01:02:03.004Z',
    });
    expect(JSON.parse(bodies[1]!['Message'] as string)).toEqual(incoming);
  });

  test('is refused without a topic for incoming SMS', () => {
    expect(service({ textsTopic: undefined }).receiveSms(incoming)).toBe(false);
    expect(bodies).toEqual([]);
  });

  test('includes a delivery report for each SMS, with its context', () => {
    service().reportDelivery(sent);
    expect(JSON.parse(bodies[0]!['Message'] as string)).toEqual({
      eventType: 'TEXT_DELIVERED',
      messageStatus: 'DELIVERED',
      messageStatusDescription: 'Message has been accepted by phone',
      eventVersion: '1.0',
      eventTimestamp: now,
      isFinal: true,
      originationPhoneNumber: '+61491570737',
      destinationPhoneNumber: '+61491570156',
      isoCountryCode: 'AU',
      mcc: '505',
      mnc: '01',
      messageId: 'message-1',
      messageRequestTimestamp: now,
      messageEncoding: 'GSM',
      messageType: 'TRANSACTIONAL',
      context: { organization: '6H8EV880', message: '7' },
      totalMessageParts: 1,
      totalMessagePrice: 0,
      totalCarrierFee: 0,
    });
  });

  test('is retried until the queue can store a delivery report; an incoming SMS is refused', async () => {
    const file = join(folder, 'queues');
    writeFileSync(file, 'A file is where the folder should be');
    const clock = new MachineClock();
    const made = service({}, { clock, folder: file });
    expect(() => made.receiveSms(incoming)).toThrow(LocalError);
    made.reportDelivery(sent);
    for (const count of [0, 2]) {
      clock.moveBy(20_000);
      await new Promise((resolve) => setImmediate(resolve));
      expect(bodies).toHaveLength(count);
      rmSync(file, { force: true, recursive: true });
    }
  });

  test('is a different report for an unreachable number, if the configuration set wants it', () => {
    const unreachable = { ...sent, to: '+61491572549' };
    service().reportDelivery({ ...unreachable, configurationSet: 'delivered' });
    service().reportDelivery({ ...sent, configurationSet: 'none' });
    service().reportDelivery({ ...sent, configurationSet: undefined });
    expect(bodies).toEqual([]);
    service().reportDelivery(unreachable);
    expect(JSON.parse(bodies[0]!['Message'] as string)).toMatchObject({
      eventType: 'TEXT_CARRIER_UNREACHABLE',
      messageStatus: 'CARRIER_UNREACHABLE',
      isFinal: true,
    });
  });
});
