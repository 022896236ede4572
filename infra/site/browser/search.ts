import MiniSearch from 'minisearch';

/** A part of a page, from one heading to the next. */
export interface Section {
  /** Path below `/docs`, with its anchor. */
  path: string;
  title: string;
  /** Empty before the first heading below the title. */
  heading: string;
  text: string;
  /** Code of the part. */
  code: string;
}

/** A section that a query finds, with the part of its text around a match. */
export interface Found extends Pick<Section, 'path' | 'title' | 'heading'> {
  part: [before: string, match: string, after: string];
}

/** Most results of a query. */
const most = 8;
/** Words that nearly every section has. */
const small = new Set(
  'a an and any are as at be by can do does for from get how i if in is it my of on or the to we what when with you'.split(
    ' ',
  ),
);
/** Characters that a result shows on each side of the match. */
const around = 60;

/** Sections of all pages. The build replaces this name by them. */
declare const SECTIONS: readonly Section[];

/** Search in all pages. */
export const search = () => searchIn(SECTIONS);

/** Words of a text. A name with dots, hyphens or underscores is a word, and so is each of its parts. */
const wordsOf = (text: string): string[] =>
  text.split(/[^\p{L}\p{N}._+-]+/u).flatMap((name) => {
    const word = name.replaceAll(/^[.-]+|[.-]+$/g, '');
    const parts = word.split(/[._-]+/);
    return parts.length > 1 ? [word, ...parts] : [word];
  });

/**
 * Search in sections: each word of a query as a beginning, with small mistakes in longer words. Sections with all words come
 * first, then sections with some of the words.
 */
export function searchIn(sections: readonly Section[]): (query: string) => Found[] {
  const index = new MiniSearch<Section & { id: number }>({
    fields: ['title', 'heading', 'text', 'code'],
    storeFields: ['path', 'heading'],
    tokenize: wordsOf,
    processTerm: (word) => {
      const term = word.toLowerCase();
      return term === '' || small.has(term) ? null : term;
    },
    searchOptions: {
      boost: { title: 4, heading: 3, code: 0.3 },
      prefix: true,
      fuzzy: (word) => (word.length > 4 ? 0.2 : false),
      // The beginning of a guide comes before its parts, and a guide before the reference.
      boostDocument: (_, __, { path, heading } = {}) =>
        (heading === '' ? 1.5 : 1) * (String(path).startsWith('reference/') ? 0.6 : 1),
    },
  });
  index.addAll(sections.map((section, id) => ({ ...section, id })));
  return (query) => {
    const results = [...index.search(query, { combineWith: 'AND' }), ...index.search(query)];
    const ids = new Set(results.map(({ id }) => Number(id)));
    const terms = new Map(results.map((result) => [Number(result.id), result.terms]));
    return [...ids].slice(0, most).flatMap((id) => {
      const section = sections[id];
      return section ? [{ ...section, part: partOf(section, terms.get(id) ?? []) }] : [];
    });
  };
}

/** The text around the longest term of a section, or its code around it. Without one, the beginning of the text. */
function partOf({ text, code }: Section, terms: readonly string[]): Found['part'] {
  const longest = terms.toSorted((one, other) => other.length - one.length);
  for (const shown of [text, code])
    for (const term of longest) {
      const at = shown.toLowerCase().indexOf(term);
      if (at >= 0) return cut(shown, at, at + term.length);
    }
  return cut(text, 0, 0);
}

const cut = (text: string, from: number, to: number): Found['part'] => [
  (from > around ? '…' : '') + text.slice(Math.max(0, from - around), from),
  text.slice(from, to),
  text.slice(to, to + around) + (to + around < text.length ? '…' : ''),
];
