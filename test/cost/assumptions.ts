/** Figures of docs/cost.md and docs/scale.md that no test can measure. */
export const assumed = {
  /** Milliseconds that a function runs: a constant, and more for each round trip to DynamoDB. */
  ownMilliseconds: 5,
  roundTripMilliseconds: 10,
  /** Milliseconds that the SMS provider takes, and the receiver of a webhook. */
  providerMilliseconds: 300,
  receiverMilliseconds: 200,
  /** Milliseconds of a call that keeps a function warm. */
  warmUpMilliseconds: 2,
  /** Share of the calls with a cold start, and its duration, which AWS charges too. */
  coldShare: 0.02,
  coldMilliseconds: 400,
  /** Bytes of log of a request, of a call of the authorizer or a worker, and of a call that keeps a function warm. */
  logBytes: { request: 1400, other: 650, warmUp: 270 },
  /** Share of a log's size after compression, which AWS charges for storage. */
  logsCompressedTo: 0.15,
  /** Bytes of an event that is sent to a webhook, with its headers and the bytes of TLS. */
  sentBytes: 2000,
  daysInMonth: 30.4,
  /** Polling of an empty queue by Lambda: number of pollers, and seconds that each waits for a message. */
  emptyQueue: { pollers: 5, seconds: 20 },
} as const;

/**
 * Units a second that AWS gives an on-demand table: a new one at once, and any one by its default quota.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
 */
export const tableLimits = { newReads: 12_000, newWrites: 4000, quota: 40_000 } as const;

/**
 * Bytes stored of each record, rounded up to a hundred. The bytes include its event, its unique values, and
 * the 100 bytes that DynamoDB adds to each item. AWS charges point-in-time recovery by the bytes in the table alone.
 * cost.full.test.ts measures them.
 */
export const storedBytes = {
  table: { lead: 2000, inquiry: 1600 },
  indexes: { lead: 1100, inquiry: 3600 },
};

/** A business's use of the service in a day. */
export interface Customer {
  title: string;
  who: string;
  leads: number;
  inquiries: number;
  /** Inquiries by website forms. */
  forms: number;
  /** SMS to leads, and from them. */
  texts: number;
  textsIn: number;
  /** Pages of lists, and records by their id. */
  pages: number;
  records: number;
  /** Changes of products, services, rules and the like. */
  changes: number;
  /** Tokens in use, and the hours of the day that each is in use. */
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
