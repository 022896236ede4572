import { ScanCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sumOf } from '../../../infra/admin/copy/files.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { toItem, type Item } from '../../../shared/ledger/internal/attributes.ts';
import { stateName } from '../../../shared/ledger/internal/keys.ts';

/** Items of a table by the names of their keys. */
export async function itemsIn(client: DynamoDBClient, TableName: string): Promise<Map<string, Item>> {
  const items = new Map<string, Item>();
  let ExclusiveStartKey: ScanCommand['input']['ExclusiveStartKey'];
  do {
    const page = await client.send(new ScanCommand({ TableName, ConsistentRead: true, ExclusiveStartKey }));
    for (const item of (page.Items ?? []).map(toItem))
      items.set(`${String(item['pk'])} ${String(item['sk'])}`, item);
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return items;
}

/** Items of one organization, with its code replaced by `as` everywhere. */
export function itemsOf(all: ReadonlyMap<string, Item>, code: OrganizationCode, as: string = code) {
  // Search indexes have ids in lower case.
  const named = (text: string) => text.replaceAll(code, as).replaceAll(code.toLowerCase(), as.toLowerCase());
  const own = [...all].filter(([name]) => new RegExp(`^ORG#${code}[# ]`).test(name));
  return new Map(own.map(([name, item]) => [named(name), JSON.parse(named(JSON.stringify(item))) as Item]));
}

/** Items without the items that are not exported, or not imported: see docs/organization-copy.md. */
export function withoutOwn(items: ReadonlyMap<string, Item>, version: number): Map<string, Item> {
  const left = new Map<string, Item>();
  // The list of a tag that no inquiry has any more.
  const isEmpty = ({ state }: Item) => typeof state === 'string' && /^([\dA-Z]+)-\1(?![\dA-Z])/.test(state);
  const ended = new Set([...items.values()].filter(isEmpty).map(({ pk }) => pk));
  for (const [name, item] of items) {
    const [, path = '', sk = ''] = /^ORG#.{8}#?(.*) (\S*|.*)$/.exec(name) ?? [];
    const isLater = path === 'EVENT' && Number(sk) > version;
    // Only an enabled webhook holds its address and types.
    const isOfWebhook = path === 'UNIQUE' && sk.startsWith('WEBHOOK.');
    if (
      /^(?:TOKEN(?:#LIST)?|TURN|CURSOR|(?:DELIVERY|ANSWER)#\d{12})$/.test(path) ||
      isLater ||
      isOfWebhook ||
      ended.has(item['pk'])
    )
      continue;
    if (sk === 'HEAD') {
      const { version: _, epoch, queue, lists, named, ...head } = item;
      const { [stateName({ collection: 'TOKEN' })]: _tokens, ...others } = lists as Item;
      left.set(name, { ...head, lists: others });
    } else if (path === 'ORGANIZATION') left.set(name, { ...item, numbers: [] });
    else if (path === 'WEBHOOK') {
      const { isEnabled, disabledAt, disabledReason, tokenId, secrets, startAfter, ...webhook } = item;
      left.set(name, webhook);
    } else if (path === 'EVENT') left.set(name, { ...item, touched: withoutTokens(item['touched']) });
    else if ((path.endsWith('#LIST') || path === 'BOOKED') && 'revision' in item)
      left.set(name, { ...item, revision: 0 });
    // Due items are spread over shards by the organization's code.
    else if ('gsi9pk' in item)
      left.set(name, { ...item, gsi9pk: String(item['gsi9pk']).replace(/#\d$/, '') });
    else left.set(name, item);
  }
  return left;
}

/** Touched records of an event, without tokens. */
export const withoutTokens = (touched: unknown): string =>
  String(touched)
    .split(' ')
    .filter((one) => !one.startsWith('TOKEN#'))
    .join(' ');

export const linesIn = (folder: string): Record<string, Item[]> =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [
      name,
      readFileSync(join(folder, name), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Item),
    ]),
  );

/** Updates the checksums of a changed copy. */
export function seal(folder: string): void {
  const path = join(folder, 'organization.jsonl');
  const [text = ''] = readFileSync(path, 'utf8').split('\n');
  const names = readdirSync(folder).filter((name) => name !== 'organization.jsonl');
  const files = Object.fromEntries(names.map((name) => [name, sumOf(join(folder, name))]));
  const line = JSON.stringify({ ...(JSON.parse(text) as Item), files });
  const sha256 = createHash('sha256').update(`${line}\n`).digest('hex');
  writeFileSync(path, `${line}\n${JSON.stringify({ sha256 })}\n`);
}

export function edit(folder: string, name: string, change: (text: string) => string | Buffer): void {
  const path = join(folder, name);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}
