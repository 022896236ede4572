import type {
  AttributeValue,
  UpdateItemCommandInput,
  UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import type { Item } from './attribute-values.ts';
import { capacityOf, indexUnits, writeUnits } from './capacity.ts';
import { Invalid, metadataOf, NotSimulated, sdkErrors } from './errors.ts';
import { isSatisfied } from './evaluation.ts';
import type { Version } from './table-items.ts';
import { wantsCapacity } from './requests.ts';
import type { CarryOut, Result, Sender, Server } from './server.ts';
import { resultOf, updateOperationOf } from './write-operations.ts';

/**
 * Prepares an update outside a transaction. It is applied at one instant, or refused if a transaction holds
 * the item.
 */
export function prepareUpdateItem(server: Server, input: UpdateItemCommandInput, sender: Sender): CarryOut {
  const { ReturnValues, ReturnConsumedCapacity, ...update } = input;
  const returned = ReturnValues ?? 'NONE';
  if (returned !== 'NONE' && returned !== 'UPDATED_NEW' && returned !== 'ALL_NEW') {
    throw new NotSimulated(`ReturnValues ${returned}`);
  }
  const operation = updateOperationOf(update, server.table, []);
  const { key, condition, placeholders, returnsOld, change } = operation;
  const wanted = wantsCapacity(ReturnConsumedCapacity);

  const refuse = (code: string, error: Error): Result => {
    const { onRefusal } = server.observers;
    onRefusal?.({
      sender,
      command: 'UpdateItem',
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
    const attributes = attributesFor(returned, after?.item ?? {}, change.names);
    const output: UpdateItemCommandOutput = {
      $metadata: metadataOf(200),
      ...(attributes && { Attributes: attributes }),
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

function attributesFor(
  returned: 'NONE' | 'UPDATED_NEW' | 'ALL_NEW',
  after: Item,
  names: readonly string[],
): Record<string, AttributeValue> | undefined {
  if (returned === 'NONE') return undefined;
  if (returned === 'ALL_NEW') return after;
  return Object.fromEntries(names.flatMap((name) => (after[name] ? [[name, after[name]]] : [])));
}
