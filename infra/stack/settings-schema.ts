import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as v from 'valibot';
import type { FunctionDefinition } from '../functions.ts';
import { SynthesisError } from '../synthesis-error.ts';
import { OriginationIdentity } from './sms.ts';
import { models } from './stage.ts';

/** Retention periods of CloudWatch Logs, in days, except for ever. */
const periods = Object.values(RetentionDays)
  .filter((days) => typeof days === 'number')
  .filter((days) => days !== RetentionDays.INFINITE);

const matching = (pattern: RegExp, what: string) => v.pipe(v.string(what), v.regex(pattern, what));
/** Accepts one of the words, or an ARN. */
const wordOrArn = <const Words extends [string, ...string[]]>(words: Words, pattern: RegExp, what: string) =>
  v.union([v.picklist(words), matching(pattern, what)], what);
/** API Gateway's quota of an account, in requests a second. */
const maxRate = 10_000;
/** API Gateway's quota of an account for a burst of requests. */
const maxBurst = 5000;
const within = (min: number, max: number, what: string) =>
  v.pipe(v.number(what), v.integer(what), v.minValue(min, what), v.maxValue(max, what));
const whole = (min: number, max: number) => within(min, max, `a whole number from ${min} to ${max}`);
/**
 * Requests a minute: the lowest limit that AWS WAF accepts for a rate rule, and API Gateway's quota of an
 * account.
 */
const tokenRates = { min: 10, max: 60 * maxRate };
/** Forms that an organization can store in a day, at some ten a second. */
const maxFormsPerDay = 1_000_000;
/** A lower limit could be below one transaction of a batch. */
const minWriteUnits = 2000;
/** DynamoDB's quota for a table, which AWS raises on request. */
const maxWriteUnits = 40_000;
/** Most concurrent invocations that an operation may reserve. */
const maxReserved = 10_000;
/**
 * Longest time that an alarm of one-hour periods may look back, in hours.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
 */
const maxAlarmHours = 7 * 24;
const reservations = `operations, each once, with how many requests each serves at once, from 1 to ${maxReserved}, such as listLeads:5,createLead:10`;
const yesOrNo = 'true or false';
const days = `one of ${periods.join(', ')}`;
const addresses = 'email addresses, each once, or none';
const table =
  'the name of a table, 3 to 255 of letters, digits, "_", "-" and ".", such as SalesPipeline-prod';
const operator = 'the name of a business, of at most 80 characters, such as Harbour Digital';
const support = 'an address such as https://example.com/help or mailto:help@example.com';
const domain = 'a domain name, such as api.example.com';

/** Settings of a stage. Each message completes "it must be …". */
const Settings = v.strictObject({
  /** Stage that the stage is like. The data of a stage that is like `dev` is deleted with its stack. */
  like: v.picklist(models, `one of ${models.join(', ')}`),
  /** Account that the stage is in. The CDK refuses to deploy it with credentials of another one. */
  account: v.exactOptional(matching(/^\d{12}$/, 'the 12 digits of an AWS account, such as 123456789012')),
  /** Region that the stage is in, whatever region the person who deploys uses otherwise. */
  region: v.exactOptional(matching(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region of AWS, such as us-east-1')),
  /**
   * Name of the table. Another name means another table: a new table, or with `--import-existing-resources`
   * the existing table of that name (docs/operations.md, Restoring to a point in time).
   */
  tableName: matching(/^[\w.-]{3,255}$/, table),
  /**
   * True if organizations send and receive SMS. Otherwise nothing for SMS is deployed: not every region has the
   * service.
   */
  sms: v.boolean(yesOrNo),
  /** Sender of SMS for organizations without a number. Without either, `POST /v1/sms` answers 502. */
  smsOriginationIdentity: v.exactOptional(OriginationIdentity),
  logRetentionDays: v.picklist(periods, days),
  /**
   * Rate of each operation, over all organizations: API Gateway applies the limits of a stage to each method.
   */
  requestsPerSecond: whole(1, maxRate),
  /** Burst of each operation. */
  requestBurst: whole(1, maxBurst),
  /** Limit of the stack's web ACL for one token. One IP address may send ten times as many. */
  requestsPerTokenPerMinute: whole(tokenRates.min, tokenRates.max),
  /**
   * Limit for one token that is sent as `key`, as a website's form does. Anyone can read a key, so it gets
   * fewer requests.
   */
  requestsPerKeyPerMinute: whole(tokenRates.min, tokenRates.max),
  /** Number of forms stored in a day (UTC) that one key may send. */
  formsPerKeyPerDay: whole(1, maxFormsPerDay),
  /** Limit for one key from one IP address, so that one visitor is refused before the whole website is. */
  requestsPerKeyAndAddressPerMinute: whole(tokenRates.min, tokenRates.max),
  /**
   * Number of unknown tokens in a minute after which an instance of the authorizer reads no more tokens of
   * that IP address.
   */
  refusedTokensPerAddressPerMinute: whole(1, tokenRates.max),
  /** Write units a second of the table, over all organizations: a bound on the cost of writes. */
  maxWriteRequestUnits: whole(minWriteUnits, maxWriteUnits),
  /**
   * Number of concurrent requests that Lambda reserves for an operation, by operationId. The operation gets
   * no more than that.
   */
  reservedConcurrency: v.pipe(
    v.record(v.string(), within(1, maxReserved, reservations), reservations),
    v.readonly(),
  ),
  /** True if a worker calls each function every few minutes, so that Lambda keeps it ready. */
  keepWarm: v.boolean(yesOrNo),
  /** True if AWS X-Ray traces requests. */
  tracing: v.boolean(yesOrNo),
  /**
   * True if DynamoDB is known to supply `dynamodb:LeadingKeys` for parts of transactions and queries of indexes. Roles
   * then require the key there, too: docs/operations.md, What roles reach.
   */
  requireLeadingKeys: v.boolean(yesOrNo),
  /**
   * Role that lets API Gateway write the logs of every API of the account and region. `make` lets the stack
   * make the role, `keep` leaves the account unchanged, and an ARN names an existing role.
   */
  accountLogRole: wordOrArn(
    ['make', 'keep'],
    /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/,
    'make, keep, or the ARN of a role, such as arn:aws:iam::123456789012:role/api-gateway-logs',
  ),
  /**
   * Invocations that Lambda runs at once for the whole account, in the stack's region: the account's own
   * quota, which the template cannot know.
   */
  accountConcurrency: whole(1, 1_000_000),
  /** Email addresses that get a message when an alarm fires, and when it is over. */
  alarmAddresses: v.union(
    [
      v.literal('none'),
      v.pipe(
        v.array(v.pipe(v.string(addresses), v.email(addresses)), addresses),
        v.checkItems((address, at, all) => all.indexOf(address) === at, addresses),
        v.readonly(),
      ),
    ],
    addresses,
  ),
  /** Hours without a served request until an alarm fires. 0 for no such alarm. */
  alarmAfterHoursWithoutTraffic: whole(0, maxAlarmHours),
  /** Web ACL (AWS WAF) before the API: none, the stack's own, or an existing web ACL. */
  webAcl: wordOrArn(
    ['none', 'own'],
    /^arn:aws[a-z-]*:wafv2:[a-z0-9-]+:\d{12}:regional\/webacl\/[\w-]+\/[\w-]+$/,
    'none, own, or the ARN of a regional web ACL, such as arn:aws:wafv2:us-east-1:123456789012:regional/webacl/name/0123abcd-…',
  ),
  /** Vault of AWS Backup in another account, which gets a copy of the table each day. */
  backupVaultArn: v.exactOptional(
    matching(
      /^arn:aws[a-z-]*:backup:[a-z0-9-]+:\d{12}:backup-vault:[\w-]{2,50}$/,
      'the ARN of a vault of AWS Backup, such as arn:aws:backup:us-east-1:123456789012:backup-vault:name',
    ),
  ),
  /** Name of the business that runs the API, for the pages that the API serves. */
  operatorName: v.exactOptional(matching(/^\S(.{0,78}\S)?$/u, operator)),
  /** Address where customers of the API get help: a page, or an email address. */
  supportUrl: v.exactOptional(matching(/^(https:\/\/[^\s/]+\.\S+|mailto:[^\s@]+@[^\s@]+)$/, support)),
  /** Custom domain of the API, with its certificate in the stack's region. */
  domainName: v.exactOptional(
    matching(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{1,59})$/, domain),
  ),
  certificateArn: v.exactOptional(
    matching(
      /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
      'the ARN of a certificate, such as arn:aws:acm:us-east-1:123456789012:certificate/0123abcd-…',
    ),
  ),
});
export type StageSettings = v.InferOutput<typeof Settings>;

/** Settings in a stage's file. The file may leave open who is told of alarms: then a deployment says it. */
export type StageFile = Omit<StageSettings, 'alarmAddresses'> &
  Partial<Pick<StageSettings, 'alarmAddresses'>>;

/** True if a stage with these settings has a function. A worker is missing if a setting turns off its service. */
export function isInStage(
  served: FunctionDefinition,
  { sms, keepWarm }: Pick<StageSettings, 'sms' | 'keepWarm'>,
): boolean {
  const uses = served.kind === 'worker' ? served.worker.uses : undefined;
  return uses === 'sms' ? sms : uses === 'functions' ? keepWarm : true;
}

export const settingNames = Object.keys(Settings.entries);
/** Names of settings that a stage need not have. */
const optionalNames = Object.entries(Settings.entries)
  .filter(([, { type }]) => type === 'exact_optional')
  .map(([name]) => name);

/** Parses the text after `-c name=` to the type that the stage's own value has. */
function parsed(name: string, text: string, own: unknown): unknown {
  if (name === 'alarmAddresses') return text === 'none' ? text : text.split(',');
  if (typeof own === 'number') return Number(text);
  if (typeof own === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return typeof own === 'object' ? reservationsOf(text) : text;
}

/**
 * Parses `listLeads:5,createLead:10` into `{ listLeads: 5, createLead: 10 }`, and an empty string into no
 * reservation. Returns any other string unchanged, so that the schema refuses it.
 */
function reservationsOf(text: string): unknown {
  const pairs = text === '' ? [] : text.split(',').map((pair) => pair.split(':'));
  const reserved = Object.fromEntries(pairs.map(([name = '', count = '']) => [name, Number(count || NaN)]));
  const isReadable =
    pairs.every(({ length }) => length === 2) && Object.keys(reserved).length === pairs.length;
  return isReadable ? reserved : text;
}

/** Rates that must be below another rate, with the reason. */
const narrower = [
  ['requestsPerKeyPerMinute', 'requestsPerTokenPerMinute', 'anyone can read a key'],
  ['requestsPerKeyAndAddressPerMinute', 'requestsPerKeyPerMinute', 'one visitor must not silence a website'],
] as const;

/**
 * Merges the settings of a stage's file with those given as `-c name=value`. `-c name=` leaves out a setting
 * that a stage need not have.
 *
 * @param file settings of `stageFileOf`
 * @param context everything that the app was given: settings, the stage, and the CDK's own values
 * @throws SynthesisError for an unknown setting, an invalid value, or if nobody is to be told of alarms
 */
export function settingsOf(file: StageFile, context: unknown): StageSettings {
  const given = settingsIn(context);
  const unknown = given.find(([name]) => !settingNames.includes(name));
  if (unknown)
    throw new SynthesisError(
      `There is no setting ${unknown[0]}, but there are: ${settingNames.join(', ')} ` +
        '(it was given by -c, or in cdk.json, cdk.context.json or ~/.cdk.json)',
    );
  const own = new Map<string, unknown>(Object.entries(file));
  const overrides = given.map(([name, value]): [string, unknown] => [
    name,
    typeof value === 'string' ? parsed(name, value, own.get(name)) : value,
  ]);
  if (!file.alarmAddresses && !given.some(([name]) => name === 'alarmAddresses'))
    throw new SynthesisError(
      'Nobody would learn that this stage is broken: say -c alarmAddresses=ann@example.com,bob@example.com or ' +
        '-c alarmAddresses=none, or set alarmAddresses of the stage in infra/stack/stages.ts',
    );
  const settings = Object.entries({ ...file, ...Object.fromEntries(overrides) });
  const isLeftOut = ([name, value]: [string, unknown]) => value === '' && optionalNames.includes(name);
  const result = v.safeParse(Settings, Object.fromEntries(settings.filter((setting) => !isLeftOut(setting))));
  if (!result.success) throw new SynthesisError(sentenceOf(result.issues[0], Object.fromEntries(given)));
  const { sms, smsOriginationIdentity, domainName, certificateArn } = result.output;
  if (!sms && smsOriginationIdentity !== undefined)
    throw new SynthesisError(
      'The smsOriginationIdentity sends nothing, since sms is false: leave one of them out',
    );
  if ((domainName === undefined) !== (certificateArn === undefined))
    throw new SynthesisError(
      'A domainName needs a certificateArn, and the other way round: set both, or none',
    );
  for (const [name, wider, why] of narrower)
    if (result.output[name] >= result.output[wider])
      throw new SynthesisError(
        `The ${name} is ${result.output[name]}, but it must be below the ${wider}, ${result.output[wider]}: ${why}`,
      );
  return result.output;
}

/** @throws SynthesisError for a reservation of an unknown operation */
export function checkReservations(
  { reservedConcurrency }: Pick<StageSettings, 'reservedConcurrency'>,
  operationIds: readonly string[],
): void {
  const unknown = Object.keys(reservedConcurrency).find((name) => !operationIds.includes(name));
  if (unknown !== undefined)
    throw new SynthesisError(
      `The reservedConcurrency names "${unknown}", but no operation has that id: docs/openapi.json has the ids, such as ${operationIds[0] ?? ''}`,
    );
}

/**
 * Names in the context that are no settings: the stage and whose settings it takes, and names of the CDK's
 * command line. Other names of the CDK have a colon or an @.
 */
const noSettings = ['stage', 'like', 'cli-telemetry', 'acknowledged-issue-numbers'];

/** Settings in the context that an app was given: names and values. */
export const settingsIn = (context: unknown): [name: string, value: unknown][] =>
  Object.entries(v.parse(v.record(v.string(), v.unknown()), context)).filter(
    ([name]) => !/[:@]/.test(name) && !noSettings.includes(name),
  );

/** Says why a setting is invalid, and quotes the given value. */
function sentenceOf(issue: v.InferIssue<typeof Settings>, given: Record<string, unknown>): string {
  const name = String(issue.path?.[0]?.key);
  const value = name in given ? given[name] : issue.input;
  return `The ${name} is ${JSON.stringify(value)}, but it must be ${issue.message}`;
}
