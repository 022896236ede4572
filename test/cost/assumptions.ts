/** What no test can measure here, and docs/cost.md says it assumes. */
export const assumed = {
  /** How long a function runs: so much, and so much more for each time that it waits for DynamoDB. In milliseconds. */
  ownMilliseconds: 5,
  roundTripMilliseconds: 10,
  /** How long the SMS provider takes. */
  providerMilliseconds: 300,
  /** What part of the requests meets a cold start, and how long one takes, which is charged too. */
  coldShare: 0.02,
  coldMilliseconds: 400,
  /** What is stored of logs is compressed: to this part of them. */
  logsCompressedTo: 0.15,
  daysInMonth: 30.4,
  /** How Lambda looks into an empty queue: so many at once, each waiting so long for a message. */
  queueLooks: { atOnce: 5, seconds: 20 },
} as const;

/** What a business does on a day. */
export interface Customer {
  title: string;
  who: string;
  leads: number;
  inquiries: number;
  /** Inquiries by forms of websites. */
  forms: number;
  /** Messages by SMS to leads, and from them. */
  texts: number;
  textsIn: number;
  /** Pages of lists, and records by their id. */
  pages: number;
  records: number;
  /** Changes of products, services, rules and the like. */
  changes: number;
  /** Tokens in use, each for so many hours of the day. */
  tokens: number;
  hours: number;
}

export const customers: readonly Customer[] = [
  {
    title: 'Small',
    who: 'two vans',
    leads: 5,
    inquiries: 15,
    forms: 3,
    texts: 10,
    textsIn: 6,
    pages: 150,
    records: 150,
    changes: 5,
    tokens: 2,
    hours: 10,
  },
  {
    title: 'Middle',
    who: 'twenty people, one office',
    leads: 50,
    inquiries: 200,
    forms: 30,
    texts: 150,
    textsIn: 100,
    pages: 3000,
    records: 3000,
    changes: 50,
    tokens: 5,
    hours: 12,
  },
  {
    title: 'Large',
    who: 'a national franchise',
    leads: 1000,
    inquiries: 5000,
    forms: 800,
    texts: 4000,
    textsIn: 2500,
    pages: 80_000,
    records: 80_000,
    changes: 1000,
    tokens: 30,
    hours: 24,
  },
];
