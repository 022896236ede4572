import {
  BatchGetItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type AttributeValue,
  type DynamoDBClient,
  type QueryCommandInput,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb';

/** A call that can be made with any client. */
export interface RandomCall {
  kind: string;
  /** Input of the call, to report which call failed. */
  input: object;
  send: (client: DynamoDBClient) => Promise<object>;
}

type Values = Record<string, AttributeValue>;
interface Expressions {
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Values;
}

const numbers = ['0', '-1', '7', '12', '100', '1.5', '-0.25', '123456789012', '12.500', '-40'];
const total = { ReturnConsumedCapacity: 'TOTAL' } as const;
const sortKeys = ['a', 'ab', 'b', 'ba', 'é', 'z'];

/**
 * Draws valid calls of every kind that the simulation supports. The calls use few items, so that they
 * conflict.
 */
export class RandomCalls {
  readonly #random: () => number;
  readonly #tableName: string;
  #ranks = 0;

  constructor(random: () => number, tableName: string) {
    this.#random = random;
    this.#tableName = tableName;
  }

  next(): RandomCall {
    return this.oneOf(
      () => this.write(),
      () => this.write(),
      () => this.write(),
      () => this.update(),
      () => this.put(),
      () => this.delete(),
      () => this.get(),
      () => this.batch(),
      () => this.snapshot(),
      () => this.query(),
      () => this.query(),
      () => this.indexQuery(),
      () => this.indexQuery(),
      () => this.textQuery(),
      () => this.scan(),
    )();
  }

  write(): RandomCall {
    const parts = this.#several(5, () => this.#part());
    const input = { TransactItems: distinct(parts, nameOfPart), ...total };
    return { kind: 'write', input, send: (client) => client.send(new TransactWriteItemsCommand(input)) };
  }

  update(): RandomCall {
    const input = {
      TableName: this.#tableName,
      Key: this.key(),
      ...(this.#chance(0.3) ? merged(this.#condition(), this.#update()) : this.#update()),
      ...this.#returnsOld(),
      ReturnValues: this.oneOf('NONE', 'ALL_NEW'),
      ...total,
    } as const;
    return { kind: 'update', input, send: (client) => client.send(new UpdateItemCommand(input)) };
  }

  put(): RandomCall {
    const input = {
      TableName: this.#tableName,
      Item: this.item(),
      ...(this.#chance(0.3) && { ...this.#condition(), ...this.#returnsOld() }),
      ...total,
    };
    return { kind: 'put', input, send: (client) => client.send(new PutItemCommand(input)) };
  }

  delete(): RandomCall {
    const input = {
      TableName: this.#tableName,
      Key: this.key(),
      ...(this.#chance(0.3) && { ...this.#condition(), ...this.#returnsOld() }),
      ...total,
    };
    return { kind: 'delete', input, send: (client) => client.send(new DeleteItemCommand(input)) };
  }

  get(): RandomCall {
    const input = {
      TableName: this.#tableName,
      Key: this.key(),
      ConsistentRead: this.#chance(0.5),
      ...total,
    };
    return { kind: 'get', input, send: (client) => client.send(new GetItemCommand(input)) };
  }

  batch(): RandomCall {
    const Keys = distinct(
      this.#several(6, () => this.key()),
      nameOfKey,
    );
    const input = {
      RequestItems: { [this.#tableName]: { Keys, ConsistentRead: this.#chance(0.5) } },
      ...total,
    };
    return { kind: 'batch', input, send: (client) => client.send(new BatchGetItemCommand(input)) };
  }

  snapshot(): RandomCall {
    const keys = distinct(
      this.#several(6, () => this.key()),
      nameOfKey,
    );
    const input = {
      TransactItems: keys.map((Key) => ({ Get: { TableName: this.#tableName, Key } })),
      ...total,
    };
    return { kind: 'snapshot', input, send: (client) => client.send(new TransactGetItemsCommand(input)) };
  }

  query(): RandomCall {
    const pk = { S: `P${this.#upTo(5)}` };
    const [one, other] = [this.oneOf(...sortKeys), this.oneOf(...sortKeys)].sort();
    return this.#queryOf('query', {
      ConsistentRead: this.#chance(0.5),
      ...this.#keyCondition('pk', pk, 'sk', [{ S: one! }, { S: other! }]),
      // Only a query of the whole partition can continue from this position.
      ...(this.#chance(0.2) && {
        ...wholePartition('pk', pk),
        ExclusiveStartKey: { pk, sk: { S: this.oneOf('ab', 'b', 'bb') } },
      }),
    });
  }

  indexQuery(): RandomCall {
    const index = this.oneOf('gsi1', 'gsi2');
    const pk = { S: this.oneOf('V', 'W') };
    const low = this.#upTo(this.#ranks + 1);
    const bounds = [{ N: String(low) }, { N: String(low + this.#upTo(200)) }] as const;
    return this.#queryOf('index', {
      IndexName: index,
      ...this.#keyCondition(`${index}pk`, pk, `${index}sk`, bounds),
    });
  }

  /** Queries the index that is sorted by a string, or the index that contains only keys. */
  textQuery(): RandomCall {
    const index = this.oneOf('gsi6', 'gsi9');
    const pk = { S: this.oneOf('V', 'W') };
    const [one, other] = [this.#time(), this.#time()].sort();
    return this.#queryOf(index === 'gsi6' ? 'text' : 'keys', {
      IndexName: index,
      ...(this.#chance(0.3)
        ? this.#beginning(index, pk, one!)
        : this.#keyCondition(`${index}pk`, pk, `${index}sk`, [{ S: one! }, { S: other! }])),
    });
  }

  /** A `begins_with` query: from the start, or after a position with the same prefix. */
  #beginning(index: string, pk: AttributeValue, text: string): Partial<QueryCommandInput> {
    return {
      KeyConditionExpression: '#pk = :pk AND begins_with(#sk, :prefix)',
      ExpressionAttributeNames: { '#pk': `${index}pk`, '#sk': `${index}sk` },
      // A prefix of up to a tenth of a second, or the whole text.
      ExpressionAttributeValues: { ':pk': pk, ':prefix': { S: text.slice(0, this.oneOf(10, 21, 24)) } },
      ...(this.#chance(0.3) && {
        ExclusiveStartKey: { ...this.key(), [`${index}pk`]: pk, [`${index}sk`]: { S: text } },
      }),
    };
  }

  scan(): RandomCall {
    const input = {
      TableName: this.#tableName,
      ConsistentRead: this.#chance(0.5),
      ...this.oneOf(
        {},
        {
          FilterExpression: 'begins_with(pk, :x)',
          ExpressionAttributeValues: { ':x': { S: this.oneOf('P1', 'P', 'Q') } },
        },
        {
          FilterExpression: 'begins_with(pk, :x)',
          ExpressionAttributeValues: { ':x': { S: 'P2' } },
          ProjectionExpression: '#p, sk, version',
          ExpressionAttributeNames: { '#p': 'pk' },
        },
      ),
      ...total,
    };
    return { kind: 'scan', input, send: (client) => client.send(new ScanCommand(input)) };
  }

  key(): { pk: { S: string }; sk: { S: string } } {
    return { pk: { S: `P${this.#upTo(4)}` }, sk: { S: this.oneOf(...sortKeys) } };
  }

  item(): Values {
    const number = () => ({ N: this.oneOf(...numbers) });
    return {
      ...this.key(),
      ...(this.#chance(0.9) && { version: { N: String(this.#upTo(4)) } }),
      ...(this.#chance(0.5) && { gsi1pk: { S: this.oneOf('V', 'W') } }),
      ...(this.#chance(0.5) && { gsi1sk: { N: String(++this.#ranks) } }),
      ...(this.#chance(0.4) && {
        gsi2pk: { S: this.oneOf('V', 'W') },
        gsi2sk: { N: String(++this.#ranks) },
      }),
      ...(this.#chance(0.4) && { gsi6pk: { S: this.oneOf('V', 'W') }, gsi6sk: { S: this.#time() } }),
      ...(this.#chance(0.4) && { gsi9pk: { S: this.oneOf('V', 'W') } }),
      ...(this.#chance(0.4) && { gsi9sk: { S: this.#time() } }),
      ...(this.#chance(0.3) && { state: { S: `${this.#upTo(3)}` } }),
      // A number of 52 bits.
      ...(this.#chance(0.3) && { Z0: { N: String(2 ** 51 + this.#upTo(9)) } }),
      ...(this.#chance(0.5) && { text: { S: this.#text(this.oneOf(10, 1100, 5000)) } }),
      ...(this.#chance(0.3) && { offsets: { NS: distinct(this.#several(3, () => String(this.#upTo(9)))) } }),
      ...(this.#chance(0.3) && { more: { M: { a: { L: [number(), { NULL: true }] }, b: { BOOL: true } } } }),
      ...(this.#chance(0.3) && { tags: { SS: distinct(this.#several(3, () => `t${this.#text(4)}`)) } }),
      ...(this.#chance(0.3) && { amount: number() }),
    };
  }

  oneOf<T>(...choices: readonly T[]): T {
    return choices[this.#upTo(choices.length)]!;
  }

  #queryOf(kind: string, more: Partial<QueryCommandInput>): RandomCall {
    const input = {
      TableName: this.#tableName,
      ScanIndexForward: this.#chance(0.5),
      ...(this.#chance(0.4) && { Limit: 1 + this.#upTo(4) }),
      ...more,
      ...total,
    };
    return { kind, input, send: (client) => client.send(new QueryCommand(input)) };
  }

  #keyCondition(
    pkName: string,
    pk: AttributeValue,
    skName: string,
    [one, other]: readonly [AttributeValue, AttributeValue],
  ): Partial<QueryCommandInput> {
    const names = { ExpressionAttributeNames: { '#pk': pkName, '#sk': skName } };
    return this.oneOf<Partial<QueryCommandInput>>(
      wholePartition(pkName, pk),
      {
        KeyConditionExpression: `#pk = :pk AND #sk ${this.oneOf('<=', '<', '>=', '>', '=')} :from`,
        ...names,
        ExpressionAttributeValues: { ':pk': pk, ':from': one },
      },
      {
        KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :to AND :from',
        ...names,
        ExpressionAttributeValues: { ':pk': pk, ':to': one, ':from': other },
      },
    );
  }

  #part(): TransactWriteItem {
    const TableName = this.#tableName;
    const condition = this.#chance(0.5) ? { ...this.#condition(), ...this.#returnsOld() } : {};
    const put = () => ({ Put: { TableName, Item: this.item(), ...condition } });
    return this.oneOf<() => TransactWriteItem>(
      put,
      put,
      () => ({ Delete: { TableName, Key: this.key(), ...condition } }),
      () => ({
        Update: {
          TableName,
          Key: this.key(),
          ...(this.#chance(0.3) ? merged(this.#condition(), this.#update()) : this.#update()),
        },
      }),
      () => ({ ConditionCheck: { TableName, Key: this.key(), ...this.#condition(), ...this.#returnsOld() } }),
    )();
  }

  #condition(): { ConditionExpression: string } & Expressions {
    const number = () => ({ N: this.oneOf('0', '1', '2.0', '3') });
    return this.oneOf<{ ConditionExpression: string } & Expressions>(
      { ConditionExpression: 'attribute_not_exists(pk)' },
      { ConditionExpression: 'attribute_exists(pk)' },
      { ConditionExpression: 'version = :seen', ExpressionAttributeValues: { ':seen': number() } },
      {
        ConditionExpression: '#v = :seen AND attribute_exists(offsets)',
        ExpressionAttributeNames: { '#v': 'version' },
        ExpressionAttributeValues: { ':seen': number() },
      },
      {
        ConditionExpression: '#state = :before',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':before': { S: `${this.#upTo(3)}` } },
      },
      {
        ConditionExpression: 'attribute_not_exists(pk) OR #v < :seen',
        ExpressionAttributeNames: { '#v': 'version' },
        ExpressionAttributeValues: { ':seen': number() },
      },
    );
  }

  #update(): { UpdateExpression: string } & Expressions {
    return this.oneOf<{ UpdateExpression: string } & Expressions>(
      {
        UpdateExpression: 'ADD version :n',
        ExpressionAttributeValues: { ':n': { N: this.oneOf('1', '-2', '0.5') } },
      },
      { UpdateExpression: 'ADD amount :n', ExpressionAttributeValues: { ':n': { N: '3' } } },
      {
        UpdateExpression: 'SET #t = :t, gsi1sk = :rank',
        ExpressionAttributeNames: { '#t': 'text' },
        ExpressionAttributeValues: { ':t': { S: this.#text(2000) }, ':rank': { N: String(++this.#ranks) } },
      },
      {
        UpdateExpression: 'SET gsi1pk = :v ADD version :n',
        ExpressionAttributeValues: { ':v': { S: this.oneOf('V', 'W') }, ':n': { N: '1' } },
      },
      {
        UpdateExpression: 'SET gsi9sk = :at',
        ExpressionAttributeValues: { ':at': { S: this.#time() } },
      },
      // The ledger's form of a bucket of holes: packed numbers of 52 bits.
      {
        UpdateExpression: 'ADD #w0 :w0, #w1 :w1 SET #left = :left',
        ExpressionAttributeNames: { '#w0': '0', '#w1': 'Z0', '#left': 'left' },
        ExpressionAttributeValues: {
          ':w0': { N: String(2 ** this.#upTo(51)) },
          ':w1': { N: String(2 ** this.#upTo(51) + 1) },
          ':left': { N: String(this.#upTo(9000)) },
        },
      },
      {
        UpdateExpression: 'ADD #w0 :w0',
        ExpressionAttributeNames: { '#w0': this.oneOf('0', 'Z0') },
        ExpressionAttributeValues: { ':w0': { N: String(2 ** this.#upTo(52)) } },
      },
      { UpdateExpression: 'REMOVE gsi1pk, amount' },
      {
        UpdateExpression: 'SET tries = list_append(if_not_exists(tries, :none), :more) REMOVE #t',
        ExpressionAttributeNames: { '#t': 'total' },
        ExpressionAttributeValues: { ':none': { L: [] }, ':more': { L: [{ S: 'one' }] } },
      },
      // Refused if the map exists.
      { UpdateExpression: 'ADD more :n', ExpressionAttributeValues: { ':n': { N: '1' } } },
    );
  }

  #returnsOld() {
    return this.#chance(0.5) ? ({ ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const) : {};
  }

  #upTo(most: number): number {
    return Math.floor(this.#random() * most);
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #several<T>(most: number, make: () => T): T[] {
    return Array.from({ length: 1 + this.#upTo(most) }, make);
  }

  #time(): string {
    return new Date(1e12 + this.#upTo(2000)).toISOString();
  }

  #text(most: number): string {
    return this.oneOf('x', 'é', '😀').repeat(this.#upTo(most));
  }
}

const wholePartition = (pkName: string, pk: AttributeValue): Partial<QueryCommandInput> => ({
  KeyConditionExpression: `${pkName} = :pk`,
  ExpressionAttributeNames: undefined,
  ExpressionAttributeValues: { ':pk': pk },
});

const nameOfKey = ({ pk, sk }: Values) => `${pk?.S} ${sk?.S}`;
const nameOfPart = ({ Put, Delete, Update, ConditionCheck }: TransactWriteItem) =>
  nameOfKey(Put?.Item ?? Delete?.Key ?? Update?.Key ?? ConditionCheck?.Key ?? {});

const distinct = <T>(list: readonly T[], nameOf: (member: T) => unknown = (member) => member): T[] => [
  ...new Map(list.map((member) => [nameOf(member), member])).values(),
];

/** Merges a condition and an update into one request. */
function merged<C extends Expressions, U extends Expressions>(condition: C, update: U): C & U {
  const names = { ...condition.ExpressionAttributeNames, ...update.ExpressionAttributeNames };
  const values = { ...condition.ExpressionAttributeValues, ...update.ExpressionAttributeValues };
  return {
    ...condition,
    ...update,
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}
