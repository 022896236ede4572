import { maxRead, sentField, type SentField, type SentFields } from '../../contract/sent-form.ts';
import { cutText } from '../../core/cut-text.ts';

/** Number of levels of nesting that are read. */
const maxLevels = 50;
/** Maximum length of a field's name, in code points. */
export const maxNameLength = 200;

const tooDeep = '(nested too deep, not kept)';

/**
 * The fields of a JSON text that is an object or an array. Each is named by its path below `under`, such as
 * `answers.0.text`. Undefined for any other text. Never throws.
 */
export function fieldsInJson(text: string, under?: string): SentFields | undefined {
  const value = parsed(text);
  return isObject(value) ? flattened(value, under) : undefined;
}

function flattened(value: object, under: string | undefined): SentFields {
  const fields: SentField[] = [];
  let unread = 0;

  const add = (name: string, text: string): void => {
    const field = sentField(name, text);
    if (field.value.trim() === '') return;
    if (fields.length < maxRead) fields.push(field);
    else unread += 1;
  };

  const visit = (part: unknown, path: string, level: number): void => {
    if (!isObject(part)) add(path, textOf(part));
    else if (level === maxLevels) add(path, tooDeep);
    else visitAll(part, path, level);
  };

  function visitAll(object: object, path: string | undefined, level: number): void {
    const visitPart = (part: unknown, name: string | number): void => {
      // Beyond `maxRead`, fields are only counted.
      if (fields.length === maxRead) visit(part, '', level + 1);
      // Cut at every level: otherwise a name of megabytes would be copied for each field below it.
      else visit(part, cutText(path === undefined ? `${name}` : `${path}.${name}`, maxNameLength), level + 1);
    };
    if (Array.isArray(object)) object.forEach(visitPart);
    else for (const name of Object.keys(object)) visitPart(Reflect.get(object, name), name);
  }

  visitAll(value, under, 0);
  return { fields, unread };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Numbers and booleans as text; `""` for null. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/**
 * Length of the longest text with exact long numbers, in characters. Exact reading takes many times as long as a plain
 * parse.
 */
const maxExact = 256 * 1024;

/**
 * Parses JSON; undefined for any other text. In a text of at most `maxExact` characters, a number of many digits, such
 * as an id, becomes a string with all its digits.
 */
function parsed(text: string): unknown {
  try {
    return text.length <= maxExact && /\d{16}/.test(text) ? exactlyParsed(text) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function exactlyParsed(text: string): unknown {
  try {
    return JSON.parse(text, (_name, value: unknown, ...more: unknown[]) =>
      typeof value === 'number' ? (sourceIn(more[0]) ?? value) : value,
    );
  } catch (error) {
    // JSON.parse allows less nesting with a reviver than without.
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

/** The digits of a number as written, which JSON.parse passes to a reviver as its third argument. */
const sourceIn = (context: unknown): string | undefined =>
  isObject(context) && 'source' in context && typeof context.source === 'string' ? context.source : undefined;
