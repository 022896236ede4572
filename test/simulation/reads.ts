import type {
  AttributeValue,
  BatchGetItemCommandInput,
  BatchGetItemCommandOutput,
  GetItemCommandInput,
  GetItemCommandOutput,
  TransactGetItemsCommandInput,
  TransactGetItemsCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { capacityOf, readCapacityOf, readUnits, transactReadUnits } from './capacity.ts';
import { Invalid, metadataOf, reasons, sdkErrors } from './errors.ts';
import { nameOf, tableKeyOf } from './index-keys.ts';
import { checkParameters, checkTable, wantsCapacity } from './requests.ts';
import type { CarryOut, Sender, Server } from './server.ts';
import type { TableKey } from './table-items.ts';

/** DynamoDB's limit on one batch or one transaction. */
const maxItems = 100;
const maxBatchBytes = 16 * 1024 * 1024;

export function prepareGetItem(server: Server, input: GetItemCommandInput): CarryOut {
  checkParameters(input, ['TableName', 'Key', 'ConsistentRead', 'ReturnConsumedCapacity']);
  checkTable(server.table, input.TableName);
  const key = tableKeyOf(input.Key);
  const wanted = wantsCapacity(input.ReturnConsumedCapacity);
  const { ConsistentRead = false } = input;
  return (reply) => {
    server.time.atQuietly(server.chance.within(server.behaviour.read), () => {
      const version = server.versionFor(key, { isConsistent: ConsistentRead });
      const units = server.chargeRead(readUnits(version?.size ?? 0, ConsistentRead));
      const output: GetItemCommandOutput = {
        $metadata: metadataOf(200),
        ...(version && { Item: version.item }),
        ...(wanted && { ConsumedCapacity: capacityOf(server.table.name, units) }),
      };
      reply({ output });
    });
  };
}

export function prepareBatchGetItem(server: Server, input: BatchGetItemCommandInput): CarryOut {
  checkParameters(input, ['RequestItems', 'ReturnConsumedCapacity']);
  const { name } = server.table;
  const [request, ...others] = Object.entries(input.RequestItems ?? {});
  if (!request || others.length > 0) throw new Invalid('RequestItems must name one table');
  const [tableName, asked] = request;
  checkTable(server.table, tableName);
  checkParameters(asked, ['Keys', 'ConsistentRead']);
  const { Keys = [], ConsistentRead = false } = asked;
  const keys = distinctKeys(Keys);
  const wanted = wantsCapacity(input.ReturnConsumedCapacity);
  return (reply) => {
    const unprocessed: TableKey[] = [];
    // At least one key is processed: DynamoDB would refuse the whole batch otherwise.
    const processed = server.chance.shuffled(keys).filter((key, at) => {
      const left = at > 0 && server.chance.happens(server.behaviour.unprocessedChance);
      if (left) unprocessed.push(key);
      return !left;
    });
    const found: Record<string, AttributeValue>[] = [];
    let [units, bytes] = [0, 0];
    const readOne = (key: TableKey) => {
      const version = server.versionFor(key, { isConsistent: ConsistentRead });
      const size = version?.size ?? 0;
      if (found.length > 0 && bytes + size > maxBatchBytes) {
        unprocessed.push(key);
        return;
      }
      bytes += size;
      units += readUnits(size, ConsistentRead);
      if (version) found.push(version.item);
    };
    inSteps(server, (stepsLeft) => {
      const count = Math.ceil(processed.length / stepsLeft);
      processed.splice(0, count).forEach(readOne);
      if (stepsLeft > 1) return;
      server.chargeRead(units);
      const left = unprocessed.map(({ pk, sk }) => ({ pk: { S: pk }, sk: { S: sk } }));
      const output: BatchGetItemCommandOutput = {
        $metadata: metadataOf(200),
        Responses: { [name]: found },
        UnprocessedKeys:
          left.length === 0
            ? {}
            : { [name]: { Keys: left, ...(asked.ConsistentRead !== undefined && { ConsistentRead }) } },
        ...(wanted && { ConsumedCapacity: [capacityOf(name, units)] }),
      };
      reply({ output });
    });
  };
}

/**
 * Calls `read` two or three times, spread over the duration of a read. `stepsLeft` counts the current call
 * too. A read in steps is no snapshot.
 */
export function inSteps(server: Server, read: (stepsLeft: number) => void): void {
  const { time, chance, behaviour } = server;
  const steps = chance.happens(0.5) ? 3 : 2;
  const duration = chance.within(behaviour.read);
  const next = (stepsLeft: number) => {
    time.atQuietly(duration / steps, () => {
      read(stepsLeft);
      if (stepsLeft > 1) next(stepsLeft - 1);
    });
  };
  next(steps);
}

export function prepareTransactGetItems(
  server: Server,
  input: TransactGetItemsCommandInput,
  sender: Sender,
): CarryOut {
  checkParameters(input, ['TransactItems', 'ReturnConsumedCapacity']);
  const keys = distinctKeys(
    (input.TransactItems ?? []).map((item) => {
      checkParameters(item, ['Get']);
      if (!item.Get) throw new Invalid('TransactItems must have a Get each');
      checkParameters(item.Get, ['TableName', 'Key']);
      checkTable(server.table, item.Get.TableName);
      return item.Get.Key;
    }),
  );
  const wanted = wantsCapacity(input.ReturnConsumedCapacity);
  return (reply) => {
    const { time, chance, behaviour } = server;
    const duration = chance.within(behaviour.transactRead);
    const firstRead = duration * (0.2 + 0.3 * chance.random());
    time.atQuietly(firstRead, () => {
      const observed = keys.map((key) => ({
        key,
        version: server.items.versionAt(key),
        held: server.items.holderOf(key) !== undefined,
      }));
      const units = server.chargeRead(
        observed.reduce((sum, { version }) => sum + transactReadUnits(version?.size ?? 0), 0),
      );
      time.at(duration - firstRead, () => {
        // Versions are never changed, only replaced; so the same version means no change.
        const conflicts = observed.map(
          ({ key, version, held }) =>
            held || server.items.holderOf(key) !== undefined || server.items.versionAt(key) !== version,
        );
        if (conflicts.includes(true)) {
          const causes = conflicts.map((conflict) => (conflict ? reasons.conflict() : reasons.none()));
          server.observers.onRefusal?.({
            sender,
            command: 'TransactGetItems',
            token: undefined,
            at: time.now,
            reasons: keys.map((key, at) => ({ key, code: causes[at]?.Code ?? 'None' })),
          });
          reply({ error: sdkErrors.cancelled(causes) });
          return;
        }
        const output: TransactGetItemsCommandOutput = {
          $metadata: metadataOf(200),
          Responses: observed.map(({ version }) => (version ? { Item: version.item } : {})),
          ...(wanted && { ConsumedCapacity: [readCapacityOf(server.table.name, units)] }),
        };
        reply({ output });
      });
    });
  };
}

function distinctKeys(attributes: readonly (Record<string, AttributeValue> | undefined)[]): TableKey[] {
  if (attributes.length === 0 || attributes.length > maxItems) {
    throw new Invalid(`Between 1 and ${maxItems} items can be asked for, not ${attributes.length}`);
  }
  const keys = attributes.map(tableKeyOf);
  if (new Set(keys.map(nameOf)).size < keys.length) {
    throw new Invalid('Provided list of item keys contains duplicates');
  }
  return keys;
}
