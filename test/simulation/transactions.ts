import type {
  CancellationReason,
  TransactWriteItemsCommandInput,
  TransactWriteItemsCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { indexUnits, readCapacityOf, transactReadUnits, writeCapacityOf, writeUnits } from './capacity.ts';
import { Invalid, metadataOf, reasons, sdkErrors } from './errors.ts';
import { isSatisfied } from './evaluation.ts';
import { nameOf } from './index-keys.ts';
import { checkParameters, wantsCapacity } from './requests.ts';
import type { CarryOut, Result, Sender, Server } from './server.ts';
import type { Cell, Version } from './table-items.ts';
import type { VirtualTime } from './virtual-time.ts';
import { resultOf, writeOperationOf, type WriteOperation } from './write-operations.ts';

/** Milliseconds that DynamoDB remembers the token of a transaction that it carried out. */
const kept = 10 * 60_000;

interface RememberedToken {
  operations: readonly WriteOperation[];
  /** Time at which the token is forgotten; infinite while the transaction is under way. */
  until: number;
}

/** Client request tokens of the last ten minutes' transactions. */
export class RequestTokens {
  readonly #time: VirtualTime;
  /** Finished tokens are in the order of their ends. */
  readonly #remembered = new Map<string, RememberedToken>();

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** Registers the start of a transaction, if its token is new. */
  begin(
    token: string,
    operations: readonly WriteOperation[],
  ): 'new' | 'in progress' | 'done' | 'other parameters' {
    this.#forgetOld();
    const remembered = this.#remembered.get(token);
    if (!remembered) {
      this.#remembered.set(token, { operations, until: Infinity });
      return 'new';
    }
    // Rare, so the JSON text is not made for every transaction.
    if (JSON.stringify(remembered.operations) !== JSON.stringify(operations)) return 'other parameters';
    return remembered.until === Infinity ? 'in progress' : 'done';
  }

  /** Registers the end of a transaction. The token of a cancelled transaction may be sent again. */
  end(token: string, stored: boolean): void {
    const remembered = this.#remembered.get(token);
    this.#remembered.delete(token);
    if (remembered && stored) this.#remembered.set(token, { ...remembered, until: this.#time.now + kept });
  }

  #forgetOld(): void {
    for (const [token, { until }] of this.#remembered) {
      if (until === Infinity) continue;
      if (until > this.#time.now) return;
      this.#remembered.delete(token);
    }
  }
}

const maxOperations = 100;

export function prepareTransactWriteItems(
  server: Server,
  tokens: RequestTokens,
  input: TransactWriteItemsCommandInput,
  sender: Sender,
): CarryOut {
  checkParameters(input, ['TransactItems', 'ClientRequestToken', 'ReturnConsumedCapacity']);
  const { TransactItems = [], ClientRequestToken: token } = input;
  if (TransactItems.length === 0 || TransactItems.length > maxOperations) {
    throw new Invalid(`A transaction has 1 to ${maxOperations} items, not ${TransactItems.length}`);
  }
  if (token !== undefined && (token.length < 1 || token.length > 36)) {
    throw new Invalid('ClientRequestToken must have 1 to 36 characters');
  }
  const operations = TransactItems.map((part) => writeOperationOf(part, server.table));
  const keys = new Set(operations.map(({ key }) => nameOf(key)));
  if (keys.size < operations.length) {
    throw new Invalid('Transaction request cannot include multiple operations on one item');
  }
  const wanted = wantsCapacity(input.ReturnConsumedCapacity);
  const outputOf = (ConsumedCapacity: TransactWriteItemsCommandOutput['ConsumedCapacity']) => ({
    output: { $metadata: metadataOf(200), ...(wanted && { ConsumedCapacity }) },
  });
  return (reply) => {
    switch (token === undefined ? 'new' : tokens.begin(token, operations)) {
      case 'in progress':
        reply({ error: sdkErrors.inProgress() });
        return;
      case 'other parameters':
        reply({ error: sdkErrors.otherParameters() });
        return;
      case 'done': {
        server.stats.transactions.repeated++;
        const units = operations.reduce(
          (sum, { key }) => sum + transactReadUnits(server.items.versionAt(key)?.size ?? 0),
          0,
        );
        reply(outputOf([readCapacityOf(server.table.name, server.chargeRead(units))]));
        return;
      }
      case 'new': {
        const transaction = new Transaction(server, operations, { sender, token }, (result) => {
          if (token !== undefined) tokens.end(token, 'units' in result);
          reply('error' in result ? result : outputOf([writeCapacityOf(server.table.name, result.units)]));
        });
        transaction.begin();
      }
    }
  };
}

/** One part of a transaction under way. */
interface Part {
  operation: WriteOperation;
  cell: Cell | undefined;
  before: Version | undefined;
  after: Version | undefined;
  refusal: CancellationReason | undefined;
}

/**
 * A transaction on the server. The transaction holds every item, then decides, then applies each item at a
 * separate time.
 */
class Transaction {
  readonly #server: Server;
  readonly #parts: Part[];
  readonly #origin: { sender: Sender; token: string | undefined };
  /** Time that its coordinator's death stops it; 0 if the coordinator lives. */
  readonly #stop: number;
  readonly #isStoppedUndecided: boolean;
  readonly #end: (result: { units: number } | Extract<Result, { error: Error }>) => void;

  constructor(
    server: Server,
    operations: readonly WriteOperation[],
    origin: { sender: Sender; token: string | undefined },
    end: (result: { units: number } | Extract<Result, { error: Error }>) => void,
  ) {
    this.#server = server;
    this.#parts = operations.map((operation) => ({
      operation,
      cell: undefined,
      before: undefined,
      after: undefined,
      refusal: undefined,
    }));
    this.#origin = origin;
    this.#end = end;
    const { chance, behaviour } = server;
    this.#stop = chance.happens(behaviour.coordinatorDeathChance) ? chance.within(behaviour.recovery) : 0;
    this.#isStoppedUndecided = this.#stop > 0 && chance.happens(0.5);
  }

  begin(): void {
    const { time, chance, behaviour } = this.#server;
    const duration = chance.within(behaviour.prepare);
    for (const part of this.#parts) {
      time.atQuietly(chance.random() * duration * behaviour.preparedWithin, () => {
        this.#prepare(part);
      });
    }
    // Not `atQuietly`: observers may resolve promises that others await.
    time.at(duration + (this.#isStoppedUndecided ? this.#stop : 0), () => {
      this.#decide();
    });
  }

  /** Holds an item, unless another transaction holds it or its condition fails. */
  #prepare(part: Part): void {
    const { items, table } = this.#server;
    const { key, condition, placeholders, returnsOld } = part.operation;
    const cell = items.cellOf(key);
    part.before = cell.version;
    if (cell.holder) {
      part.refusal = reasons.conflict();
      return;
    }
    const old = cell.version?.item;
    if (condition && !isSatisfied(condition, placeholders, old)) {
      part.refusal = reasons.conditionFailed(returnsOld ? old : undefined);
      items.forgetEmpty(cell);
      return;
    }
    try {
      part.after = resultOf(part.operation, cell.version, table);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      part.refusal = reasons.invalid(error.message);
      items.forgetEmpty(cell);
      return;
    }
    cell.holder = this;
    part.cell = cell;
  }

  #decide(): void {
    if (this.#parts.some(({ refusal }) => refusal)) this.#cancel();
    else this.#apply();
  }

  #cancel(): void {
    const { items, stats, time, observers } = this.#server;
    const causes = this.#parts.map(({ refusal }) => refusal ?? reasons.none());
    for (const { cell } of this.#parts) if (cell) items.release(cell);
    this.#server.chargeWrite(this.#tableUnits());
    const first = causes.find(({ Code }) => Code !== 'None')?.Code ?? 'None';
    stats.transactions.refused[first] = (stats.transactions.refused[first] ?? 0) + 1;
    observers.onRefusal?.({
      ...this.#origin,
      command: 'TransactWriteItems',
      at: time.now,
      reasons: this.#parts.map(({ operation, refusal }) => ({
        key: operation.key,
        code: refusal?.Code ?? 'None',
      })),
    });
    this.#end({ error: sdkErrors.cancelled(causes) });
  }

  #apply(): void {
    const { stats, time, observers, chance, behaviour, table } = this.#server;
    const { apply, lateApplyChance, lateApply } = behaviour;
    stats.transactions.stored++;
    const inIndexes = this.#parts.reduce(
      (sum, { before, after }) => sum + indexUnits(table.indexes, before, after),
      0,
    );
    const units = this.#server.chargeWrite(this.#tableUnits() + inIndexes);
    observers.onCommit?.({
      ...this.#origin,
      at: time.now,
      writes: this.#parts
        .filter(({ operation }) => operation.change)
        .map(({ operation, before, after }) => ({
          key: operation.key,
          before: before?.item,
          after: after?.item,
        })),
    });
    let left = this.#parts.length;
    for (const part of this.#parts) {
      const late = chance.happens(lateApplyChance);
      const delay = chance.within(late ? [apply[1], Math.max(apply[1], lateApply)] : apply);
      const isStopped = this.#stop > 0 && !this.#isStoppedUndecided && chance.happens(0.5);
      time.atQuietly(delay + (isStopped ? this.#stop : 0), () => {
        this.#applyPart(part);
        if (--left === 0) this.#end({ units });
      });
    }
  }

  #applyPart({ operation, cell, after }: Part): void {
    if (!cell) return;
    if (operation.change) this.#server.commit(cell, after);
    this.#server.items.release(cell);
  }

  /** Capacity units: twice those of the single writes. A refused transaction pays them too. */
  #tableUnits(): number {
    return this.#parts.reduce((sum, { before, after, operation }) => {
      const wanted = operation.change?.kind === 'put' ? operation.change.version : after;
      return sum + 2 * writeUnits(before, wanted);
    }, 0);
  }
}
