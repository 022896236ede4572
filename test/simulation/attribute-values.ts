import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { Invalid, NotSimulated } from './errors.ts';

/**
 * Formats a number as DynamoDB returns it: no exponent, no unneeded zeros. Numbers have JavaScript's exactness,
 * because the service stores JavaScript's numbers. @throws Invalid for text that is no number
 */
function canonicalNumber(text: string): string {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number))
    throw new Invalid(`The parameter cannot be converted to a numeric value: ${text}`);
  return String(number);
}

/** Bytes of a number: 1 for two digits, 1 more, and 1 for a minus sign. */
function numberSize(text: string): number {
  const digits = text.replaceAll(/[-.]/g, '').replaceAll(/^0+|0+$/g, '');
  return Math.ceil(digits.length / 2) + (text.startsWith('-') ? 2 : 1);
}

/** Adds two numbers. The ledger adds only whole ones, of up to 52 bits. */
export const addNumbers = (a: string, b: string): string => canonicalNumber(String(Number(a) + Number(b)));

/** A stored item. Items are never changed, only replaced. */
export type Item = Record<string, AttributeValue>;

/** An attribute value of a type that the simulation supports. */
export type Value =
  | { S: string }
  | { N: string }
  | { BOOL: boolean }
  | { NULL: true }
  | { M: Item }
  | { L: AttributeValue[] }
  | { SS: string[] }
  | { NS: string[] };

/** Copies a value, with numbers in DynamoDB's form. @throws Invalid; NotSimulated for binary values */
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

/** Copies an item. Leaves out undefined attributes, as the SDK does. */
export function copyOfItem(attributes: Record<string, AttributeValue | undefined>): Item {
  const copy: Item = {};
  // A plain loop takes half the time of one over `Object.keys`.
  for (const name in attributes) {
    const value = attributes[name];
    if (value === undefined) continue;
    if (name === '') throw new Invalid('Empty attribute name');
    // An assignment to this name would create no property.
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

/** Size of a value in bytes, as DynamoDB counts it. */
function valueSize(value: AttributeValue): number {
  if (value.S !== undefined) return byteLength(value.S);
  if (value.N !== undefined) return numberSize(value.N);
  if (value.BOOL !== undefined || value.NULL !== undefined) return 1;
  if (value.SS !== undefined) return value.SS.reduce((sum, member) => sum + byteLength(member), 0);
  if (value.NS !== undefined) return value.NS.reduce((sum, member) => sum + numberSize(member), 0);
  // A map or a list takes 3 bytes, and 1 more for each member.
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + itemSize(value.M);
  if (value.L !== undefined) return value.L.reduce((sum, member) => sum + 1 + valueSize(member), 3);
  return 0;
}

/** Size of an item in bytes, as DynamoDB counts it: names and values. */
export function itemSize(item: Item): number {
  let size = 0;
  for (const name in item) size += byteLength(name) + valueSize(item[name]!);
  return size;
}

/** Type of a value, such as `S`. */
export const typeOf = (value: AttributeValue): string => Object.keys(value)[0] ?? '';

/** True if two values are equal. The order of a set's members does not count. */
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

/** True if two items have equal attributes. */
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

/** Compares strings as DynamoDB does: by their UTF-8 bytes. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  // Without surrogates, UTF-16 order is the same.
  if (surrogates.test(a) || surrogates.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

/** Compares two strings or two numbers; undefined for values without an order. */
export function compareValues(a: AttributeValue, b: AttributeValue): number | undefined {
  if (a.S !== undefined && b.S !== undefined) return compareStrings(a.S, b.S);
  if (a.N !== undefined && b.N !== undefined) return Number(a.N) - Number(b.N);
  return undefined;
}
