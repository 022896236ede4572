/** What AWS asks for so many of a unit, without any free allowance or discount by volume. */
export interface Price {
  dollars: number;
  per: number;
  unit: string;
  /** AWS's page that says so. */
  page: string;
}

/** Of which region and when the prices below are. AWS changes them: its pages have the last word. */
export const priceList = { region: 'us-east-1', asOf: '2026-06' } as const;

const million = 1_000_000;

/** The list prices that docs/cost.md and the dashboard are made of, on demand, in dollars of the United States, before tax. */
export const prices = {
  /** Functions on arm64. */
  lambda: {
    requests: {
      dollars: 0.2,
      per: million,
      unit: 'requests',
      page: 'https://aws.amazon.com/lambda/pricing/',
    },
    /** Memory in GB (1024 MB) times seconds, in steps of 1 ms; the time in which a function starts counts too. */
    compute: {
      dollars: 0.0000133334,
      per: 1,
      unit: 'GB-seconds',
      page: 'https://aws.amazon.com/lambda/pricing/',
    },
  },
  /** A REST API. Not charged: requests that its authorizer or its throttling refused. */
  apiGateway: {
    requests: {
      dollars: 3.5,
      per: million,
      unit: 'requests',
      page: 'https://aws.amazon.com/api-gateway/pricing/',
    },
  },
  /** A table in the class Standard, on demand. */
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
    /** Of the table's size, without its global indexes, whatever the recovery period. */
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
    /** Of what is stored, which is compressed. */
    logStorage: {
      dollars: 0.03,
      per: 1,
      unit: 'GB-months',
      page: 'https://aws.amazon.com/cloudwatch/pricing/',
    },
    /** Logs Insights: each look at a table of the dashboard scans the logs of its time range. */
    logQueries: {
      dollars: 0.005,
      per: 1,
      unit: 'GB scanned',
      page: 'https://aws.amazon.com/cloudwatch/pricing/',
    },
    /** Each value of a dimension is one more; charged by the hours in which it is sent. */
    customMetrics: {
      dollars: 0.3,
      per: 1,
      unit: 'metric-months',
      page: 'https://aws.amazon.com/cloudwatch/pricing/',
    },
    /** Each metric that an alarm reads. */
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
  /** Up to 1500 units of capacity, and bodies up to what a web ACL inspects by default. */
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
  /** Tracing, where it is on. */
  xray: {
    traces: {
      dollars: 5,
      per: million,
      unit: 'traces recorded',
      page: 'https://aws.amazon.com/xray/pricing/',
    },
  },
  /** What is delivered to a queue has no price. */
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
  /** A standard queue. Looking into it is a request, also where nothing is in it. */
  sqs: {
    requests: {
      dollars: 0.4,
      per: million,
      unit: 'requests',
      page: 'https://aws.amazon.com/sqs/pricing/',
    },
  },
  dataTransfer: {
    /** To the internet, up to 10 TB a month. */
    out: {
      dollars: 0.09,
      per: 1,
      unit: 'GB',
      page: 'https://aws.amazon.com/ec2/pricing/on-demand/#Data_Transfer',
    },
  },
} as const satisfies Record<string, Record<string, Price>>;

/** What makes most of a bill and is not in the list above, with the reason. */
export const notPriced = {
  sms: {
    reason:
      'The price of a text depends on the country, the carrier and the kind of number, and is charged for each of its parts.',
    page: 'https://aws.amazon.com/end-user-messaging/pricing/',
  },
} as const;

/** What an amount of a unit costs, in dollars. */
export const dollarsFor = ({ dollars, per }: Price, amount: number) => (dollars * amount) / per;
