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
import { readableLine } from '../../core/readable.ts';
import { fieldsInJson } from './flatten-json.ts';
import { recognizedFields } from './recognized-fields.ts';

/** The fields of a form that fill a lead and an inquiry. */
export interface ChosenFields {
  sender: InquirySender;
  /** Candidates for the phone number, likeliest first. */
  phones: string[];
  message: string;
  externalId: string | null;
}

const ExternalId = filledLine(200);

/**
 * Chooses a form's values for the lead and the inquiry: for each name in `known`, the first value that is
 * valid.
 */
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

/** Longest text of a phone number that an inquiry keeps. */
const maxPhone = 200;

/** Length beyond any field of a lead. Longer values are skipped unread. */
const tooLong = 2000;

/** The value as the lead stores it; undefined if it is invalid. */
function partOf(name: LeadFieldName, value: string): string | undefined {
  if (value.length > tooLong) return undefined;
  // A note beside a number may be long, or have several lines.
  if (name === 'phone') return readableLine(value, maxPhone) || undefined;
  const result = v.safeParse(InquirySender.entries[name], value);
  return result.success ? result.output : undefined;
}

/** Maximum number of values that are tried as a phone number. */
const maxPhones = 100;

const likeliestFirst = (texts: readonly string[]): string[] =>
  [...texts.filter(isLikeNumber), ...texts.filter((text) => !isLikeNumber(text))].slice(0, maxPhones);

/** True if a text looks like a phone number. A date does, too. Used to rank the answers to several questions. */
const isLikeNumber = (text: string): boolean => /^[^@]{0,40}$/.test(text) && /(?:\d\D{0,3}){6}/.test(text);

/**
 * Lists what each field of a form may stand for: first by the map, in its order, then by the field's name. Fields inside
 * a value that is itself JSON count as well, because some providers send the answers that way.
 */
export function knownFields(
  fields: readonly SentField[],
  map: readonly Mapping[] = [],
): Map<SentField, MappedName[]> {
  const all = [...fields, ...nestedFields(fields)];
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
  // The halves of a name would come before a name of the map.
  const isNameMapped = [...known.values()].flat().includes('name');
  for (const [field, name] of recognizedFields(all))
    if (!isNameMapped || (name !== 'firstName' && name !== 'lastName')) addName(field, name);
  return known;
}

/** The fields inside values that are JSON, at most `maxRead`. */
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
