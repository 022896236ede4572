import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import type { Outcome } from '../functions/function-messages.ts';
import { logicalIdOf, region, streamArnOf } from '../arns.ts';
import { tryOrReport } from '../local-error.ts';
import { passes } from '../template/filter-pattern.ts';
import type { TableStream } from '../template/streams.ts';
import { failureOf, logOf, type WorkerDependencies, type WorkerRun } from '../workers/worker-run.ts';

interface StreamDependencies extends WorkerDependencies {
  /** True if a function's role allows it to send to a queue, which Lambda needs for its dead letters. */
  maySend: (functionName: string, queue: string) => boolean;
}

const Key = v.object({ pk: v.object({ S: v.string() }), sk: v.object({ S: v.string() }) });
const Transaction = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    TransactItems: v.array(
      v.object({ Put: v.optional(v.object({ TableName: v.string(), Item: v.looseObject(Key.entries) })) }),
    ),
  }),
);

type StreamRecord = ReturnType<typeof recordOf>;

/** Records that wait for a call. */
interface Source {
  stream: TableStream;
  waiting: StreamRecord[];
  isRunning: boolean;
}

/**
 * Streams of tables with Lambda's event source mappings. Each item that a transaction puts makes a record, which has
 * the new image alone. The records are in the order of the engine's answers to the transactions. Other writes make
 * no record, and records that a kill interrupts are lost. As with one shard, one batch is under way at a time.
 */
export class TableStreams {
  readonly #dependencies: StreamDependencies;
  #sources: readonly Source[] = [];
  #lastSequence = 0n;

  constructor(dependencies: StreamDependencies) {
    this.#dependencies = dependencies;
  }

  /** Replaces the streams. An unchanged one continues. */
  keep(streams: readonly TableStream[]): void {
    const before = this.#sources;
    this.#sources = streams.map((stream) => {
      const known = before.find((source) => isDeepStrictEqual(source.stream, stream));
      return known ?? { stream, waiting: [], isRunning: false };
    });
  }

  /** Calls no more functions. */
  stop(): void {
    this.#sources = [];
  }

  /** Makes records of a call that the engine carried out. */
  follow(operation: string, body: Buffer): void {
    if (operation !== 'TransactWriteItems' || this.#sources.length === 0) return;
    const { TransactItems } = v.parse(Transaction, body.toString());
    for (const { Put } of TransactItems) {
      if (!Put) continue;
      const record = recordOf(Put, this.#nextSequence(), this.#dependencies.clock.now());
      for (const source of this.#sources) {
        if (source.stream.table !== Put.TableName || !passes(source.stream.pattern, record)) continue;
        source.waiting.push(record);
        void this.#run(source);
      }
    }
  }

  #nextSequence(): string {
    // Greater than the numbers of an earlier start.
    const now = BigInt(this.#dependencies.clock.now()) * 1_000_000n;
    this.#lastSequence = now > this.#lastSequence ? now : this.#lastSequence + 1n;
    return String(this.#lastSequence).padStart(21, '0');
  }

  async #run(source: Source): Promise<void> {
    if (source.isRunning) return;
    source.isRunning = true;
    while (source.waiting.length > 0 && this.#sources.includes(source))
      await this.#process(source, source.waiting.splice(0, source.stream.batchSize));
    source.isRunning = false;
  }

  /** Calls the function with a batch. A failed batch is halved. A single record is tried again, then given up. */
  async #process(source: Source, records: StreamRecord[], tries = 1): Promise<void> {
    const { invoke, onRun } = this.#dependencies;
    const { functionName, retries } = source.stream;
    const startedAt = performance.now();
    const outcome = await invoke(functionName, { Records: records }).catch(failureOf);
    if (!outcome || !this.#sources.includes(source)) return;
    const isLast = records.length === 1 && tries > retries;
    const failed =
      outcome.error && (isLast ? this.#giveUp(source.stream, records, tries, outcome) : 'is tried again');
    onRun({ ...logOf(outcome, functionName), failed, milliseconds: performance.now() - startedAt });
    if (!outcome.error || isLast) return;
    if (records.length === 1) return this.#process(source, records, tries + 1);
    const half = Math.ceil(records.length / 2);
    await this.#process(source, records.slice(0, half));
    await this.#process(source, records.slice(half));
  }

  #giveUp(
    { functionName, table, deadLetters }: TableStream,
    records: readonly StreamRecord[],
    tries: number,
    outcome: Outcome,
  ): WorkerRun['failed'] {
    if (!this.#dependencies.maySend(functionName, deadLetters)) return 'is lost';
    const [first = '', last = first] = [records[0], records.at(-1)].map(
      (record) => record?.dynamodb.SequenceNumber,
    );
    const letter = { queue: logicalIdOf(deadLetters), functionName, table, first, last, tries, outcome };
    return tryOrReport(() => {
      this.#dependencies.keepDeadLetter({ ...letter, size: records.length });
    })
      ? 'is a dead letter'
      : 'is lost';
  }
}

/**
 * Builds the record of a put item. Nobody knows here whether the item was there before.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_StreamRecord.html
 */
const recordOf = (
  { TableName, Item }: { TableName: string; Item: v.InferOutput<typeof Key> },
  SequenceNumber: string,
  now: number,
) => ({
  eventID: randomUUID().replaceAll('-', ''),
  eventName: 'MODIFY',
  eventVersion: '1.1',
  eventSource: 'aws:dynamodb',
  awsRegion: region,
  dynamodb: {
    ApproximateCreationDateTime: Math.floor(now / 1000),
    Keys: { pk: Item.pk, sk: Item.sk },
    NewImage: Item,
    SequenceNumber,
    SizeBytes: Buffer.byteLength(JSON.stringify(Item)),
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  },
  eventSourceARN: streamArnOf(TableName),
});
