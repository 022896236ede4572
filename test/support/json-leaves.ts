/** What values of JSON consist of, each once. */
export interface Leaves {
  /** Of fields, wherever they are. */
  names: Set<string>;
  texts: Set<string>;
  /** As texts, with `true` and its kin. */
  others: Set<string>;
}

/** What values consist of, without what fields of some names hold. No recursion: a test nests a body 100,000 deep. */
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

/** The value of a text as JSON; the text itself where it is none. */
export function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
