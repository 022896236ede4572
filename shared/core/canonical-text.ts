/**
 * Serializes a JSON value. Equal values give the same text, whatever the order of their keys. Different values give
 * different texts. In the text, an array begins with 0; an object is an array of 1 and its sorted keys, each followed
 * by its value. This is faster than building an object with sorted keys.
 */
export const canonicalText = (value: unknown): string => JSON.stringify(inOrder(value));

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return [0, ...value.map(inOrder)];
  if (!isObject(value)) return value;
  const ordered: unknown[] = [1];
  for (const key of Object.keys(value).sort()) {
    const part = value[key];
    // JSON leaves undefined values out, too.
    if (part !== undefined) ordered.push(key, inOrder(part));
  }
  return ordered;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
