import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { arnOf } from '../arns.ts';
import { operation, Refusal, startJsonService } from '../json-service.ts';
import type { RunningServer } from '../loopback.ts';
import { localMessageOf } from '../local-error.ts';
import type { Permissions } from '../role.ts';
import type { Queues } from './queues.ts';

/** Stands in for SQS: takes the messages that functions send to FIFO queues, and hides those that they received. */
export type SqsStandIn = RunningServer;

interface SqsDependencies {
  permissions: Permissions;
  queues: () => Pick<Queues, 'send' | 'hide' | 'has'>;
}

/** Token of up to 128 letters, digits and punctuation. */
const Token = v.pipe(v.string(), v.regex(/^[!-~]{1,128}$/));
const Entry = v.strictObject({
  Id: v.pipe(v.string(), v.regex(/^[\w-]{1,80}$/)),
  MessageBody: v.pipe(v.string(), v.minLength(1), v.maxBytes(1024 * 1024)),
  MessageGroupId: Token,
  MessageDeduplicationId: Token,
});

const SendMessageBatch = v.strictObject({
  QueueUrl: v.string(),
  Entries: v.pipe(
    v.array(Entry),
    v.minLength(1),
    v.maxLength(10),
    v.check((entries) => new Set(entries.map(({ Id }) => Id)).size === entries.length, 'has an Id twice'),
  ),
});

const ChangeMessageVisibility = v.strictObject({
  QueueUrl: v.string(),
  ReceiptHandle: v.string(),
  VisibilityTimeout: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(12 * 3600)),
});

/** Starts the stand-in. The URL of a queue is its logical id. */
export function startSqsStandIn({ permissions, queues }: SqsDependencies): Promise<SqsStandIn> {
  const check = (queue: string) => {
    if (!queues().has(queue)) throw new Refusal('QueueDoesNotExist', `There is no queue ${queue}`);
  };
  return startJsonService(
    {
      SendMessageBatch: operation(SendMessageBatch, ({ QueueUrl: queue, Entries }, call) => {
        call.requirePermission({ action: 'sqs:SendMessage', resource: arnOf(queue) });
        check(queue);
        const Successful: object[] = [];
        const Failed: object[] = [];
        for (const {
          Id,
          MessageBody,
          MessageGroupId: group,
          MessageDeduplicationId: deduplication,
        } of Entries)
          try {
            const { id, place } = queues().send(queue, MessageBody, { group, deduplication });
            const MD5OfMessageBody = createHash('md5').update(MessageBody).digest('hex');
            Successful.push({ Id, MessageId: id, MD5OfMessageBody, SequenceNumber: String(place?.sequence) });
          } catch (error) {
            const Message = localMessageOf(error);
            Failed.push({ Id, Code: 'InternalFailure', SenderFault: false, Message });
          }
        return { Successful, Failed };
      }),
      ChangeMessageVisibility: operation(
        ChangeMessageVisibility,
        ({ QueueUrl: queue, ReceiptHandle, VisibilityTimeout }, { functionName }) => {
          // Not reported as a permission that the function used: Lambda itself needs it, too.
          const permission = { action: 'sqs:ChangeMessageVisibility', resource: arnOf(queue) };
          if (!permissions.allows(functionName, permission))
            throw new Refusal('AccessDeniedException', `${functionName} may not hide messages of ${queue}`);
          check(queue);
          if (!queues().hide(queue, ReceiptHandle, VisibilityTimeout * 1000))
            throw new Refusal(
              'ReceiptHandleIsInvalid',
              'The receipt is of no message that is being processed',
            );
          return {};
        },
      ),
    },
    permissions,
  );
}
