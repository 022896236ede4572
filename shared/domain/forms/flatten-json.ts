import { maxRead, type SentField, type SentFields } from '../../contract/sent-form.ts';
import { cutText } from '../../core/cut-text.ts';

/** How deep what is nested is read. */
const maxLevels = 50;
/** How long a field's name can be, in code points. */
export const maxNameLength = 200;

const tooDeep = '(nested too deep, not kept)';

/**
 * The fields of a JSON text that is an object or an array, each named by its path below `under`: `answers.0.text`. Undefined for
 * any other text. Nothing that such a text can hold makes it throw.
 */
export function fieldsInJson(text: string, under?: string): SentFields | undefined {
  const value = parsed(text);
  return isObject(value) ? flattened(value, under) : undefined;
}

function flattened(value: object, under: string | undefined): SentFields {
  const fields: SentField[] = [];
  let unread = 0;

  const add = (name: string, text: string): void => {
    if (text.trim() === '') return;
    if (fields.length < maxRead) fields.push({ name, value: text });
    else unread += 1;
  };

  const visit = (part: unknown, path: string, level: number): void => {
    if (!isObject(part)) add(path, textOf(part));
    else if (level === maxLevels) add(path, tooDeep);
    else visitAll(part, path, level);
  };

  function visitAll(object: object, path: string | undefined, level: number): void {
    const visitPart = (part: unknown, name: string | number): void => {
      // What is not read is counted alone.
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

/** Numbers and booleans as text; nothing for null. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Up to this many characters each number of a text is looked at, which takes many times longer than to read it. */
const maxExact = 256 * 1024;

/**
 * As `JSON.parse`; undefined for what is no JSON. A number of many digits, such as an id, keeps them: it becomes a text. But not in
 * a text of more than `maxExact` characters.
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
    // With a function to call, JavaScript's own parser cannot go as deep as without.
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

/** How a number is written, as JavaScript tells it in the third argument. */
const sourceIn = (context: unknown): string | undefined =>
  isObject(context) && 'source' in context && typeof context.source === 'string' ? context.source : undefined;
