import * as v from 'valibot';
import {
  leadFieldNames,
  type LeadFieldName,
  type MappedName,
  type Mapping,
} from '../../contract/field-map.ts';
import { filledLine } from '../../contract/fields.ts';
import { InquirySender } from '../../contract/new-inquiry.ts';
import { maxRead, type SentField } from '../../contract/sent-form.ts';
import { fieldsInJson } from './flatten-json.ts';

/** What a form says of its lead and its inquiry. */
export interface ChosenFields {
  sender: InquirySender;
  /** What may be the phone number, likeliest first. */
  phones: string[];
  message: string;
  externalId: string | null;
}

const ExternalId = filledLine(200);

/** Finds in the fields of a form what a lead and an inquiry can have, as `knownFields` tells, each the first that can be one. */
export function chooseFields(known: ReadonlyMap<SentField, readonly MappedName[]>): ChosenFields {
  const valuesFor = (name: MappedName): string[] =>
    [...known].flatMap(([{ value, isFile }, names]) => (names.includes(name) && !isFile ? [value] : []));
  const [message = ''] = valuesFor('message');
  const [externalId = null] = valuesFor('externalInquiryId').filter((value) => v.is(ExternalId, value));
  const ableFor = (name: LeadFieldName) => valuesFor(name).flatMap((value) => partOf(name, value) ?? []);
  const phones = likeliestFirst(ableFor('phone'));
  const sender = leadFieldNames.flatMap((name) => {
    const [best] = name === 'phone' ? phones : ableFor(name);
    return best === undefined ? [] : [[name, best] as const];
  });
  return { sender: Object.fromEntries(sender), phones, message, externalId: externalId?.trim() ?? null };
}

/** Longer than anything of a lead, so that what is much longer need not be looked at. */
const tooLong = 2000;

/** The value as the lead can have it; undefined for one that it cannot have. */
function partOf(name: LeadFieldName, value: string): string | undefined {
  if (value.length > tooLong) return undefined;
  const result = v.safeParse(InquirySender.entries[name], value);
  return result.success ? result.output : undefined;
}

/** How many texts are looked at, at most, to find the phone number among them. */
const maxPhones = 100;

const likeliestFirst = (texts: readonly string[]): string[] =>
  [...texts.filter(isLikeNumber), ...texts.filter((text) => !isLikeNumber(text))].slice(0, maxPhones);

/** Whether a text may be a phone number, as a date may, too: of the answers to several questions, one is. */
const isLikeNumber = (text: string): boolean => /^[^@]{0,40}$/.test(text) && /(?:\d\D{0,3}){6}/.test(text);

/**
 * What each field of a form can be taken for: by the map, the first pairs first, then by its name. With a map, fields within a
 * text that is JSON itself count as well: some providers send what was filled in that way.
 */
export function knownFields(
  fields: readonly SentField[],
  map: readonly Mapping[] = [],
): Map<SentField, MappedName[]> {
  const all = map.length === 0 ? fields : [...fields, ...nestedFields(fields)];
  const known = new Map<SentField, MappedName[]>();
  const addName = (field: SentField, name: MappedName): void => {
    const names = known.get(field);
    if (!names) known.set(field, [name]);
    else if (!names.includes(name)) names.push(name);
  };
  for (const { to, path } of map) {
    const pattern = patternOf(path);
    for (const field of all) if (pattern.test(field.name)) addName(field, to);
  }
  for (const field of fields) {
    const name = nameIn(field.name);
    if (name) addName(field, name);
  }
  return known;
}

/** The fields within those that are JSON themselves, `maxRead` at most. */
function nestedFields(fields: readonly SentField[]): SentField[] {
  const found: SentField[] = [];
  for (const { name, value } of fields) {
    if (found.length >= maxRead) break;
    if (/^\s*[[{]/.test(value)) found.push(...(fieldsInJson(value, name)?.fields ?? []));
  }
  return found.slice(0, maxRead);
}

const patternOf = (path: string): RegExp => {
  const parts = path.split('.').map((part) => (part === '*' ? '[^.]+' : RegExp.escape(part)));
  return new RegExp(`^${parts.join(String.raw`\.`)}$`, 'u');
};

const namedAlike = new Map<string, MappedName>(
  [...leadFieldNames, 'message' as const].map((name) => [name.toLowerCase(), name]),
);

/** What a field is by its name, whatever its case, and with or without spaces, `-` and `_`. */
const nameIn = (name: string): MappedName | undefined =>
  namedAlike.get(name.replaceAll(/[\s_-]/g, '').toLowerCase());
