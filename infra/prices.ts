/** Price of an amount of a unit at AWS, without any free allowance or discount by volume. */
export interface Price {
  dollars: number;
  per: number;
  unit: string;
  /** AWS's page with this price. */
  page: string;
}

/** Region and date of the prices below. AWS changes prices: its pages have the last word. */
export const priceList = { region: 'us-east-1', asOf: '2026-06' } as const;

const million = 1_000_000;

/** List prices for docs/cost.md and the dashboard: on demand, in dollars of the United States, before tax. */
export const prices = {
  /** Functions on arm64. */
  lambda: {
    requests: {
      dollars: 0.2,
      per: million,
      unit: 'requests',
      page: 'https://aws.amazon.com/lambda/pricing/',
    },
    /** Memory in GB (1024 MB) times seconds, in steps of 1 ms. The start of a function counts, too. */
    compute: {
      dollars: 0.0000133334,
      per: 1,
      unit: 'GB-seconds',
      page: 'https://aws.amazon.com/lambda/pricing/',
    },
  },
  /** A REST API. Requests that its authorizer or its throttling refused are free. */
  apiGateway: {
    requests: {
      dollars: 3.5,
      per: million,
      unit: 'requests',
      page: 'https://aws.amazon.com/api-gateway/pricing/',
    },
  },
  /** A table of the class Standard, on demand. */
  dynamodb: {
    readUnits: {
      dollars: 0.125,
      per: million,
      unit: 'read request units',
      page: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
    },
    writeUnits: {
      dollars: 0.625,
      per: million,
      unit: 'write request units',
      page: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
    },
    /** The table and its indexes, with 100 bytes for each item. */
    storage: {
      dollars: 0.25,
      per: 1,
      unit: 'GB-months',
      page: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
    },
    /** Charged for the table's size, without its global indexes, whatever the recovery period. */
    pointInTimeRecovery: {
      dollars: 0.2,
      per: 1,
      unit: 'GB-months',
      page: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
    },
    backups: {
      dollars: 0.1,
      per: 1,
      unit: 'GB-months',
      page: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
    },
    restores: {
      dollars: 0.15,
      per: 1,
      unit: 'GB restored',
      page: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
    },
  },
  cloudWatch: {
    logIngestion: {
      dollars: 0.5,
      per: 1,
      unit: 'GB',
      page: 'https://aws.amazon.com/cloudwatch/pricing/',
    },
    /** Charged for the compressed size. */
    logStorage: {
      dollars: 0.03,
      per: 1,
      unit: 'GB-months',
      page: 'https://aws.amazon.com/cloudwatch/pricing/',
    },
    /** Logs Insights. Each time a table of the dashboard is opened, it scans the logs of its time range. */
    logQueries: {
      dollars: 0.005,
      per: 1,
      unit: 'GB scanned',
      page: 'https://aws.amazon.com/cloudwatch/pricing/',
    },
    /** Each value of a dimension is one metric. Only hours in which a metric is sent are charged. */
    customMetrics: {
      dollars: 0.3,
      per: 1,
      unit: 'metric-months',
      page: 'https://aws.amazon.com/cloudwatch/pricing/',
    },
    /** Charged for each metric that an alarm reads. */
    alarms: {
      dollars: 0.1,
      per: 1,
      unit: 'alarm metric-months',
      page: 'https://aws.amazon.com/cloudwatch/pricing/',
    },
    dashboards: {
      dollars: 3,
      per: 1,
      unit: 'dashboard-months',
      page: 'https://aws.amazon.com/cloudwatch/pricing/',
    },
  },
  /** Price of up to 1500 units of capacity, and bodies up to the size that a web ACL inspects by default. */
  waf: {
    webAcls: {
      dollars: 5,
      per: 1,
      unit: 'web ACL-months',
      page: 'https://aws.amazon.com/waf/pricing/',
    },
    /** A group of managed rules counts as one. */
    rules: {
      dollars: 1,
      per: 1,
      unit: 'rule-months',
      page: 'https://aws.amazon.com/waf/pricing/',
    },
    requests: {
      dollars: 0.6,
      per: million,
      unit: 'requests',
      page: 'https://aws.amazon.com/waf/pricing/',
    },
  },
  /** Tracing, if it is on. */
  xray: {
    traces: {
      dollars: 5,
      per: million,
      unit: 'traces recorded',
      page: 'https://aws.amazon.com/xray/pricing/',
    },
  },
  /** Deliveries to a queue are free. */
  sns: {
    emails: {
      dollars: 2,
      per: 100_000,
      unit: 'emails',
      page: 'https://aws.amazon.com/sns/pricing/',
    },
    requests: {
      dollars: 0.5,
      per: million,
      unit: 'requests',
      page: 'https://aws.amazon.com/sns/pricing/',
    },
  },
  /** A standard queue. Polling it is a request, also if it is empty. */
  sqs: {
    requests: {
      dollars: 0.4,
      per: million,
      unit: 'requests',
      page: 'https://aws.amazon.com/sqs/pricing/',
    },
  },
  dataTransfer: {
    /** Traffic to the internet, up to 10 TB a month. */
    out: {
      dollars: 0.09,
      per: 1,
      unit: 'GB',
      page: 'https://aws.amazon.com/ec2/pricing/on-demand/#Data_Transfer',
    },
  },
} as const satisfies Record<string, Record<string, Price>>;

/** Large parts of a bill that are not in the list above, with the reason. */
export const notPriced = {
  sms: {
    reason:
      'The price of a text depends on the country, the carrier and the kind of number, and is charged for each of its parts.',
    page: 'https://aws.amazon.com/end-user-messaging/pricing/',
  },
} as const;

/** Price of an amount of a unit, in dollars. */
export const dollarsFor = ({ dollars, per }: Price, amount: number) => (dollars * amount) / per;
