import MiniSearch from 'minisearch';

/** A part of a page, from one heading to the next. */
export interface Section {
  /** Path below `/docs`, with its anchor. */
  path: string;
  title: string;
  /** Empty before the first heading below the title. */
  heading: string;
  text: string;
}

/** A section that a query finds, with the part of its text around the first match. */
export interface Found extends Omit<Section, 'text'> {
  part: [before: string, match: string, after: string];
}

/** Most results of a query. */
const most = 8;
/** Words that nearly every section has. */
const small = new Set([
  'a',
  'an',
  'and',
  'do',
  'for',
  'how',
  'i',
  'in',
  'is',
  'of',
  'on',
  'or',
  'the',
  'to',
  'with',
]);
/** Characters that a result shows on each side of the match. */
const around = 60;

/** Sections of all pages. The build replaces this name by them. */
declare const SECTIONS: readonly Section[];

/** Search in all pages. */
export const search = () => searchIn(SECTIONS);

/** Search in sections: all words of a query, each as a beginning, with small mistakes in longer words. */
export function searchIn(sections: readonly Section[]): (query: string) => Found[] {
  const index = new MiniSearch<Section & { id: number }>({
    fields: ['title', 'heading', 'text'],
    storeFields: ['path', 'heading'],
    processTerm: (word) => (small.has(word.toLowerCase()) ? null : word.toLowerCase()),
    searchOptions: {
      boost: { title: 4, heading: 3 },
      prefix: true,
      fuzzy: (word) => (word.length > 4 ? 0.2 : false),
      combineWith: 'AND',
      // The beginning of a guide comes before its parts, and a guide before the reference.
      boostDocument: (_, __, { path, heading } = {}) =>
        (heading === '' ? 1.5 : 1) * (String(path).startsWith('reference/') ? 0.6 : 1),
    },
  });
  index.addAll(sections.map((section, id) => ({ ...section, id })));
  return (query) =>
    index
      .search(query)
      .slice(0, most)
      .flatMap(({ id, terms }) => {
        const section = sections[Number(id)];
        return section ? [{ ...section, part: partOf(section.text, terms) }] : [];
      });
}

/** The text around the longest term that the section has as it is. Without one, the beginning of the text. */
function partOf(text: string, terms: readonly string[]): Found['part'] {
  const lower = text.toLowerCase();
  const places = terms.map((term) => ({ term, at: lower.indexOf(term) })).filter(({ at }) => at >= 0);
  const [first = { term: '', at: 0 }] = places.sort((one, other) => other.term.length - one.term.length);
  const end = first.at + first.term.length;
  return [
    (first.at > around ? '…' : '') + text.slice(Math.max(0, first.at - around), first.at),
    text.slice(first.at, end),
    text.slice(end, end + around) + (end + around < text.length ? '…' : ''),
  ];
}
