/** Price of an amount of a unit at AWS, without any free allowance or discount by volume. */
export interface Price {
  dollars: number;
  per: number;
  unit: string;
}

/** Region and date of the prices below. AWS changes prices: its pages have the last word. */
export const priceList = { region: 'us-east-1', asOf: '2026-06' } as const;

const million = 1_000_000;

/**
 * List prices for docs/cost.md and the dashboard: on demand, in dollars of the United States, before tax. Each
 * service has AWS's page with its prices.
 */
export const prices = {
  /** Functions on arm64. https://aws.amazon.com/lambda/pricing/ */
  lambda: {
    requests: { dollars: 0.2, per: million, unit: 'requests' },
    /** Memory in GB (1024 MB) times seconds, in steps of 1 ms. The start of a function counts, too. */
    compute: { dollars: 0.0000133334, per: 1, unit: 'GB-seconds' },
    /** Steps, waits and the like of durable functions, which the service does not use. Read on 2026-09-20. */
    durableOperations: { dollars: 8, per: million, unit: 'durable operations' },
  },
  /** A REST API. Requests that its authorizer or its throttling refused are free. https://aws.amazon.com/api-gateway/pricing/ */
  apiGateway: {
    requests: { dollars: 3.5, per: million, unit: 'requests' },
    /** An HTTP API, up to 300 million requests a month. The service does not use one. */
    httpRequests: { dollars: 1, per: million, unit: 'requests' },
  },
  /** A table of the class Standard, on demand. https://aws.amazon.com/dynamodb/pricing/on-demand/ */
  dynamodb: {
    readUnits: { dollars: 0.125, per: million, unit: 'read request units' },
    writeUnits: { dollars: 0.625, per: million, unit: 'write request units' },
    /** The table and its indexes, with 100 bytes for each item. */
    storage: { dollars: 0.25, per: 1, unit: 'GB-months' },
    /** Charged for the table's size, without its global indexes, whatever the recovery period. */
    pointInTimeRecovery: { dollars: 0.2, per: 1, unit: 'GB-months' },
    backups: { dollars: 0.1, per: 1, unit: 'GB-months' },
    restores: { dollars: 0.15, per: 1, unit: 'GB restored' },
  },
  /** https://aws.amazon.com/cloudwatch/pricing/ */
  cloudWatch: {
    logIngestion: { dollars: 0.5, per: 1, unit: 'GB' },
    /** Charged for the compressed size. */
    logStorage: { dollars: 0.03, per: 1, unit: 'GB-months' },
    /** Logs Insights. Each time a table of the dashboard is opened, it scans the logs of its time range. */
    logQueries: { dollars: 0.005, per: 1, unit: 'GB scanned' },
    /** Each value of a dimension is one metric. Hours without a value are not charged. */
    customMetrics: { dollars: 0.3, per: 1, unit: 'metric-months' },
    /** Charged for each metric that an alarm reads. */
    alarms: { dollars: 0.1, per: 1, unit: 'alarm metric-months' },
    dashboards: { dollars: 3, per: 1, unit: 'dashboard-months' },
  },
  /**
   * Price of up to 1500 units of capacity, and bodies up to the size that a web ACL inspects by default.
   * https://aws.amazon.com/waf/pricing/
   */
  waf: {
    webAcls: { dollars: 5, per: 1, unit: 'web ACL-months' },
    /** A group of managed rules counts as one. */
    rules: { dollars: 1, per: 1, unit: 'rule-months' },
    requests: { dollars: 0.6, per: million, unit: 'requests' },
  },
  /** Tracing, if it is on. https://aws.amazon.com/xray/pricing/ */
  xray: {
    traces: { dollars: 5, per: million, unit: 'traces recorded' },
  },
  /** A key that the account manages. https://aws.amazon.com/kms/pricing/ */
  kms: {
    keys: { dollars: 1, per: 1, unit: 'key-months' },
    requests: { dollars: 0.03, per: 10_000, unit: 'requests' },
  },
  /** Deliveries to a queue are free. https://aws.amazon.com/sns/pricing/ */
  sns: {
    emails: { dollars: 2, per: 100_000, unit: 'emails' },
    requests: { dollars: 0.5, per: million, unit: 'requests' },
  },
  /** Polling a queue is a request, also if it is empty. https://aws.amazon.com/sqs/pricing/ */
  sqs: {
    requests: { dollars: 0.4, per: million, unit: 'requests' },
    fifoRequests: { dollars: 0.5, per: million, unit: 'requests' },
  },
  /** https://aws.amazon.com/ec2/pricing/on-demand/#Data_Transfer */
  dataTransfer: {
    /** Traffic to the internet, up to 10 TB a month. */
    out: { dollars: 0.09, per: 1, unit: 'GB' },
  },
} as const satisfies Record<string, Record<string, Price>>;

/**
 * Prices of requests to REST APIs, each up to a number of requests of the account in the region in a month:
 * https://aws.amazon.com/api-gateway/pricing/
 */
export const apiGatewayTiers: readonly { upTo: number; price: Price }[] = [
  { upTo: 333 * million, price: prices.apiGateway.requests },
  { upTo: 1000 * million, price: { dollars: 2.8, per: million, unit: 'requests' } },
  { upTo: 20_000 * million, price: { dollars: 2.38, per: million, unit: 'requests' } },
  { upTo: Infinity, price: { dollars: 1.51, per: million, unit: 'requests' } },
];

/** Price of an amount of a unit, in dollars. */
export const dollarsFor = ({ dollars, per }: Price, amount: number) => (dollars * amount) / per;
