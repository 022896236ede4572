import type {
  DeleteItemCommandInput,
  PutItemCommandInput,
  TransactWriteItem,
  UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { capacityOf, indexUnits, writeUnits } from './capacity.ts';
import { Invalid, metadataOf, NotSimulated, sdkErrors } from './errors.ts';
import { isSatisfied } from './evaluation.ts';
import type { Version } from './table-items.ts';
import { wantsCapacity } from './requests.ts';
import type { CarryOut, Result, Sender, Server } from './server.ts';
import { resultOf, writeOperationOf, type WriteOperation } from './write-operations.ts';

/** A write of one item outside a transaction, by its operation. */
export type SingleWrite =
  | { command: 'PutItem'; input: PutItemCommandInput }
  | { command: 'UpdateItem'; input: UpdateItemCommandInput }
  | { command: 'DeleteItem'; input: DeleteItemCommandInput };

/**
 * Prepares a write outside a transaction. The write is applied at one instant, or refused if a transaction
 * holds the item.
 */
export function prepareSingleWrite(server: Server, write: SingleWrite, sender: Sender): CarryOut {
  const { command } = write;
  const { ReturnValues: returned = 'NONE', ReturnConsumedCapacity } = write.input;
  if (returned !== 'NONE' && !(command === 'UpdateItem' && returned === 'ALL_NEW')) {
    throw new NotSimulated(`ReturnValues ${returned} of ${command}`);
  }
  const operation = operationOf(write, server);
  const { key, condition, placeholders, returnsOld } = operation;
  const wanted = wantsCapacity(ReturnConsumedCapacity);

  const refuse = (code: string, error: Error): Result => {
    const { onRefusal } = server.observers;
    onRefusal?.({
      sender,
      command,
      token: undefined,
      at: server.time.now,
      reasons: [{ key, code }],
    });
    return { error };
  };

  const carryOut = (): Result => {
    const cell = server.items.cellOf(key);
    const before = cell.version;
    if (cell.holder) return refuse('TransactionConflict', sdkErrors.conflict());
    if (condition && !isSatisfied(condition, placeholders, before?.item)) {
      server.items.forgetEmpty(cell);
      server.chargeWrite(writeUnits(before, undefined));
      return refuse(
        'ConditionalCheckFailed',
        sdkErrors.conditionFailed(returnsOld ? before?.item : undefined),
      );
    }
    let after: Version | undefined;
    try {
      after = resultOf(operation, before, server.table);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      server.items.forgetEmpty(cell);
      return refuse('ValidationError', sdkErrors.invalid(error.message));
    }
    server.commit(cell, after);
    const units = server.chargeWrite(
      writeUnits(before, after) + indexUnits(server.table.indexes, before, after),
    );
    server.observers.onCommit?.({
      sender,
      token: undefined,
      at: server.time.now,
      writes: [{ key, before: before?.item, after: after?.item }],
    });
    const output = {
      $metadata: metadataOf(200),
      ...(returned === 'ALL_NEW' && { Attributes: after?.item ?? {} }),
      ...(wanted && { ConsumedCapacity: capacityOf(server.table.name, units) }),
    };
    return { output };
  };

  return (reply) => {
    const { time, chance, behaviour } = server;
    const duration = chance.within(behaviour.update);
    const appliedAfter = duration * chance.random();
    // Not `atQuietly`: observers may resolve promises that others await.
    time.at(appliedAfter, () => {
      const result = carryOut();
      time.atQuietly(duration - appliedAfter, () => {
        reply(result);
      });
    });
  };
}

function operationOf({ command, input }: SingleWrite, { table }: Server): WriteOperation {
  const { ReturnValues, ReturnConsumedCapacity, ...rest } = input;
  const part = { [command.slice(0, -'Item'.length)]: rest } as TransactWriteItem;
  return writeOperationOf(part, table);
}
