/** Names and values in JSON, each once. */
export interface Leaves {
  /** Names of fields, at any depth. */
  names: Set<string>;
  texts: Set<string>;
  /** Numbers, booleans and null, as text. */
  others: Set<string>;
}

/**
 * Collects names and values, without the contents of fields with names that match `without`. Not recursive:
 * one test nests a body 100,000 deep.
 */
export function leavesOf(values: readonly unknown[], without?: RegExp): Leaves {
  const leaves: Leaves = { names: new Set(), texts: new Set(), others: new Set() };
  const left = [...values];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string') leaves.texts.add(value);
    else if (typeof value !== 'object' || value === null) leaves.others.add(String(value));
    else if (Array.isArray(value)) for (const inner of value) left.push(inner);
    else {
      for (const [name, inner] of Object.entries(value)) {
        leaves.names.add(name);
        if (!without?.test(name)) left.push(inner);
      }
    }
  }
  return leaves;
}

/** Parses a text as JSON. Returns the text itself if it is not JSON. */
export function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
