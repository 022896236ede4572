import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { Invalid, NotSimulated } from './errors.ts';
import { canonicalNumber, compareNumbers, numberSize } from './numbers.ts';

/** An item as it is stored; never changed, always replaced. */
export type Item = Record<string, AttributeValue>;

/** A value of an attribute, of a type that the simulation has. */
export type Value =
  | { S: string }
  | { N: string }
  | { BOOL: boolean }
  | { NULL: true }
  | { M: Item }
  | { L: AttributeValue[] }
  | { SS: string[] }
  | { NS: string[] };

/** A copy that nobody else has, with numbers in DynamoDB's form. @throws Invalid; NotSimulated for binary values. */
export function copyOfValue(value: AttributeValue): Value {
  if (value.S !== undefined) return { S: value.S };
  if (value.N !== undefined) return { N: canonicalNumber(value.N) };
  if (value.BOOL !== undefined) return { BOOL: value.BOOL };
  if (value.NULL !== undefined) {
    if (!value.NULL) throw new Invalid('Null attribute value types must have the value of true');
    return { NULL: true };
  }
  if (value.M !== undefined) return { M: copyOfItem(value.M) };
  if (value.L !== undefined) return { L: value.L.map(copyOfValue) };
  if (value.SS !== undefined) return { SS: checkedSet(value.SS) };
  if (value.NS !== undefined) return { NS: checkedSet(value.NS.map(canonicalNumber)) };
  if (value.B !== undefined || value.BS !== undefined) throw new NotSimulated('binary values');
  throw new Invalid('Supplied AttributeValue is empty, must contain exactly one of the supported datatypes');
}

/** A copy that nobody else has; attributes that are undefined, which the SDK does not send, are left out. */
export function copyOfItem(attributes: Record<string, AttributeValue | undefined>): Item {
  const copy: Item = {};
  // A plain loop: it takes half the time of one over `Object.keys`.
  for (const name in attributes) {
    const value = attributes[name];
    if (value === undefined) continue;
    if (name === '') throw new Invalid('Empty attribute name');
    // Assigned, it would not become a property.
    if (name === '__proto__') throw new NotSimulated('an attribute named __proto__');
    copy[name] = copyOfValue(value);
  }
  return copy;
}

function checkedSet(members: string[]): string[] {
  if (members.length === 0) throw new Invalid('An set  may not be empty');
  if (new Set(members).size < members.length) throw new Invalid('Input collection contains duplicates');
  return members;
}

const byteLength = (text: string) => Buffer.byteLength(text);

/** The bytes that a value is counted as. */
function valueSize(value: AttributeValue): number {
  if (value.S !== undefined) return byteLength(value.S);
  if (value.N !== undefined) return numberSize(value.N);
  if (value.BOOL !== undefined || value.NULL !== undefined) return 1;
  if (value.SS !== undefined) return value.SS.reduce((sum, member) => sum + byteLength(member), 0);
  if (value.NS !== undefined) return value.NS.reduce((sum, member) => sum + numberSize(member), 0);
  // A map or a list is 3 bytes, and 1 more for each member.
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + itemSize(value.M);
  if (value.L !== undefined) return value.L.reduce((sum, member) => sum + 1 + valueSize(member), 3);
  return 0;
}

/** The bytes that an item is counted as: names and values. */
export function itemSize(item: Item): number {
  let size = 0;
  for (const name in item) size += byteLength(name) + valueSize(item[name]!);
  return size;
}

/** The name of a value's type, such as `S`. */
export const typeOf = (value: AttributeValue): string => Object.keys(value)[0] ?? '';

/** Whether two values are the same; the order of a set's members does not count. */
export function areEqual(a: AttributeValue, b: AttributeValue): boolean {
  if (a === b) return true;
  if (a.S !== undefined) return a.S === b.S;
  if (a.N !== undefined) return a.N === b.N;
  if (a.BOOL !== undefined) return a.BOOL === b.BOOL;
  if (a.NULL !== undefined) return b.NULL !== undefined;
  if (a.SS !== undefined) return b.SS !== undefined && haveSameMembers(a.SS, b.SS);
  if (a.NS !== undefined) return b.NS !== undefined && haveSameMembers(a.NS, b.NS);
  if (a.L !== undefined) {
    const others = b.L;
    return others?.length === a.L.length && a.L.every((member, at) => areEqual(member, others[at]!));
  }
  return a.M !== undefined && b.M !== undefined && areEqualItems(a.M, b.M);
}

/** Whether two items have the same attributes with the same values. */
export function areEqualItems(a: Item, b: Item): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => {
      const other = b[name];
      return other !== undefined && areEqual(a[name]!, other);
    })
  );
}

const haveSameMembers = (a: readonly string[], b: readonly string[]) => {
  const members = new Set(a);
  return a.length === b.length && b.every((member) => members.has(member));
};

const surrogates = /[\ud800-\udfff]/;

/** The order of DynamoDB's strings, by their UTF-8 bytes. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  // Without surrogates, the order of UTF-16 units is the same.
  if (surrogates.test(a) || surrogates.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

/** The order of two strings or two numbers; undefined for values that have none. */
export function compareValues(a: AttributeValue, b: AttributeValue): number | undefined {
  if (a.S !== undefined && b.S !== undefined) return compareStrings(a.S, b.S);
  if (a.N !== undefined && b.N !== undefined) return compareNumbers(a.N, b.N);
  return undefined;
}
