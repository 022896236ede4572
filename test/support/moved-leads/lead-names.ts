/** Names of a lead. */
interface Names {
  firstName: string;
  lastName: string;
  businessName: string;
}

/** A search by the beginning of a name. */
export interface Search {
  q: string;
  what: string;
  /** Numbers of the leads that match among `size` leads, ascending. This is also their alphabetical order. */
  matches: (size: number) => number[];
  /** Number of searchable names of each matching lead that match. */
  textsEach: number;
}

/** Ranges of leads that have the words below in their names, as shares of all leads. */
const parts = { miller: [0.1, 0.2], thomas: [0.2, 0.5], daniel: [0.5, 0.6] } as const;

const isIn = (part: keyof typeof parts, number: number, size: number) =>
  number > parts[part][0] * size && number <= parts[part][1] * size;

const from = (size: number, isMatch: (number: number) => boolean) =>
  Array.from({ length: size }, (_, at) => at + 1).filter(isMatch);

/**
 * Makes the names of a lead from words of six letters, so that all leads have the same size. Numbers tell the
 * leads apart.
 */
export function namesOf(number: number, size: number): Names {
  const words = { firstName: 'Robert', lastName: 'Nguyen', businessName: 'Office' };
  if (number <= 3) words.lastName = 'Quilty';
  else if (number <= 103) words.lastName = 'Harrow';
  else if (isIn('miller', number, size)) words.lastName = 'Miller';
  else if (isIn('thomas', number, size))
    words[(['firstName', 'lastName', 'businessName'] as const)[number % 3]!] = 'Thomas';
  else if (isIn('daniel', number, size)) words.firstName = words.lastName = words.businessName = 'Daniel';
  const numbered = (word: string) => `${word} ${String(number).padStart(7, '0')}`;
  return {
    firstName: numbered(words.firstName),
    lastName: numbered(words.lastName),
    businessName: numbered(words.businessName),
  };
}

export const searches: readonly Search[] = [
  { q: 'zz', what: 'None', matches: () => [], textsEach: 1 },
  {
    q: 'quilty',
    what: 'Few, by their last name',
    matches: (size) => from(size, (n) => n <= 3),
    textsEach: 1,
  },
  {
    q: 'harrow',
    what: '100, by their last name',
    matches: (size) => from(size, (n) => n > 3 && n <= 103),
    textsEach: 1,
  },
  {
    q: 'miller',
    what: 'A tenth of all, by their last name',
    matches: (size) => from(size, (n) => n > 103 && isIn('miller', n, size)),
    textsEach: 1,
  },
  {
    q: 'TH',
    what: 'Three tenths of all, each by its first, last or business name',
    matches: (size) => from(size, (n) => n > 103 && isIn('thomas', n, size)),
    textsEach: 1,
  },
  {
    q: 'daniel',
    what: 'A tenth of all, each by all three names',
    matches: (size) => from(size, (n) => n > 103 && isIn('daniel', n, size)),
    textsEach: 3,
  },
];
