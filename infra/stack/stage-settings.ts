import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as v from 'valibot';
import { SynthesisError } from '../synthesis-error.ts';
import { OriginationIdentity } from './sms.ts';

/** The periods that CloudWatch Logs knows, bar for ever. */
const periods = Object.values(RetentionDays)
  .filter((days) => typeof days === 'number')
  .filter((days) => days !== RetentionDays.INFINITE);

const arn = (pattern: RegExp, what: string) => v.pipe(v.string(what), v.regex(pattern, what));
/** A word with a meaning of its own, or else an ARN. */
const wordOrArn = <const Words extends [string, ...string[]]>(words: Words, pattern: RegExp, what: string) =>
  v.union([v.picklist(words), arn(pattern, what)], what);
/** API Gateway's quota for an account. */
const maxRate = 10_000;
/** API Gateway's quota of what comes at once, for an account. */
const maxBurst = 5000;
const within = (min: number, max: number, what: string) =>
  v.pipe(v.number(what), v.integer(what), v.minValue(min, what), v.maxValue(max, what));
const whole = (min: number, max: number) => within(min, max, `a whole number from ${min} to ${max}`);
/** The lowest limit that a rate rule of AWS WAF takes, and API Gateway's quota of an account as a minute has it. */
const tokenRates = { min: 10, max: 60 * maxRate };
/** Most forms that an organization can store in a day, at some ten a second. */
const maxFormsPerDay = 1_000_000;
/** Fewer than one transaction of a batch could take. */
const minWriteUnits = 2000;
/** DynamoDB's quota of an account for a table, which AWS raises on request. */
const maxWriteUnits = 40_000;
/** Lambda's quota of an account for what runs at once, which AWS raises on request. */
const maxReserved = 10_000;
const reservations = `operations, each once, with how many requests each serves at once, from 1 to ${maxReserved}, such as listLeads:5,createLead:10`;
const yesOrNo = 'true or false';
const days = `one of ${periods.join(', ')}`;
const addresses = 'email addresses, each once';
const domain = 'a domain name, such as api.example.com';

/** What can be set for a stage. Each message completes "it must be …". */
const Settings = v.strictObject({
  /** What SMS are sent from where an organization has no number; without both, `POST /v1/sms` answers 502. */
  smsOriginationIdentity: v.exactOptional(OriginationIdentity),
  /** How long the logs are kept. */
  logRetentionDays: v.picklist(periods, days),
  /** How many requests a second each operation takes, of all organizations: AWS applies the limits of a stage to each method. */
  requestsPerSecond: whole(1, maxRate),
  /** How many of them it takes at once. */
  requestBurst: whole(1, maxBurst),
  /** How many requests a minute the web ACL of the stack takes of one token; of one IP address, ten times as many. */
  requestsPerTokenPerMinute: whole(tokenRates.min, tokenRates.max),
  /** How many of one token that is sent as `key`, as a website's form does: anyone can read it, so it gets fewer. */
  requestsPerKeyPerMinute: whole(tokenRates.min, tokenRates.max),
  /** Number of forms that come by one such token and are stored in a day (UTC). */
  formsPerKeyPerDay: whole(1, maxFormsPerDay),
  /** Number of requests with one such token from one IP address, so that one visitor is refused before the website is. */
  requestsPerKeyAndAddressPerMinute: whole(tokenRates.min, tokenRates.max),
  /** Number of tokens of one IP address that an instance of the authorizer refuses in a minute before it reads no other of that address. */
  refusedTokensPerAddressPerMinute: whole(1, tokenRates.max),
  /** Write units a second that the table takes, of all organizations: a bound on what writes can cost. */
  maxWriteRequestUnits: whole(minWriteUnits, maxWriteUnits),
  /** How many requests an operation serves at once, by operationId: as many are kept free for it, and it gets no more. */
  reservedConcurrency: v.pipe(
    v.record(v.string(), within(1, maxReserved, reservations), reservations),
    v.readonly(),
  ),
  /** Whether requests are traced by AWS X-Ray. */
  tracing: v.boolean(yesOrNo),
  /**
   * The role by which API Gateway writes the logs of every API of the account and region: the stack makes one, the
   * account keeps what it has, or it gets the role of this ARN.
   */
  accountLogRole: wordOrArn(
    ['make', 'keep'],
    /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/,
    'make, keep, or the ARN of a role, such as arn:aws:iam::123456789012:role/api-gateway-logs',
  ),
  /** Who is told by email when an alarm fires, and when it is over. */
  alarmAddresses: v.pipe(
    v.array(v.pipe(v.string(addresses), v.email(addresses)), addresses),
    v.checkItems((address, at, all) => all.indexOf(address) === at, addresses),
    v.readonly(),
  ),
  /** The web ACL (AWS WAF) before the API: none, one of the stack's own, or that of an ARN. */
  webAcl: wordOrArn(
    ['none', 'own'],
    /^arn:aws[a-z-]*:wafv2:[a-z0-9-]+:\d{12}:regional\/webacl\/[\w-]+\/[\w-]+$/,
    'none, own, or the ARN of a regional web ACL, such as arn:aws:wafv2:us-east-1:123456789012:regional/webacl/name/0123abcd-…',
  ),
  /** The API's own domain, and the certificate for it from the stack's region. */
  domainName: v.exactOptional(
    v.pipe(
      v.string(domain),
      v.regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{1,59})$/, domain),
    ),
  ),
  certificateArn: v.exactOptional(
    arn(
      /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
      'the ARN of a certificate, such as arn:aws:acm:us-east-1:123456789012:certificate/0123abcd-…',
    ),
  ),
});
export type StageSettings = v.InferOutput<typeof Settings>;

export const settingNames = Object.keys(Settings.entries);

/** How the text after `-c name=` is read, where it is not the value itself. */
const readings: Record<string, (text: string) => unknown> = {
  logRetentionDays: Number,
  requestsPerSecond: Number,
  requestBurst: Number,
  requestsPerTokenPerMinute: Number,
  requestsPerKeyPerMinute: Number,
  formsPerKeyPerDay: Number,
  requestsPerKeyAndAddressPerMinute: Number,
  refusedTokensPerAddressPerMinute: Number,
  maxWriteRequestUnits: Number,
  reservedConcurrency: (text) => reservationsOf(text),
  tracing: (text) => (text === 'true' ? true : text === 'false' ? false : text),
  alarmAddresses: (text) => text.split(','),
};

/** `{ listLeads: 5, createLead: 10 }` for `listLeads:5,createLead:10`, and nothing for an empty text. Any other text is left as it is. */
function reservationsOf(text: string): unknown {
  const pairs = text === '' ? [] : text.split(',').map((pair) => pair.split(':'));
  const reserved = Object.fromEntries(pairs.map(([name = '', count = '']) => [name, Number(count || NaN)]));
  const isReadable =
    pairs.every(({ length }) => length === 2) && Object.keys(reserved).length === pairs.length;
  return isReadable ? reserved : text;
}

/** Rates that must be below another, and why. */
const narrower = [
  ['requestsPerKeyPerMinute', 'requestsPerTokenPerMinute', 'anyone can read a key'],
  ['requestsPerKeyAndAddressPerMinute', 'requestsPerKeyPerMinute', 'one visitor must not silence a website'],
] as const;

/**
 * The settings of a stage: those of its file, with what was given as `-c name=value` in their place.
 * @param context all that the app was given: settings, the stage, and what the CDK sets for itself
 * @throws SynthesisError for a setting that does not exist, or that has no sense
 */
export function settingsOf(file: StageSettings, context: unknown): StageSettings {
  const given = Object.entries(v.parse(v.record(v.string(), v.unknown()), context)).filter(isSetting);
  const unknown = given.find(([name]) => !settingNames.includes(name));
  if (unknown)
    throw new SynthesisError(
      `There is no setting ${unknown[0]}, but there are: ${settingNames.join(', ')} ` +
        '(it was given by -c, or in cdk.json, cdk.context.json or ~/.cdk.json)',
    );
  const overrides = given.map(([name, value]) => [
    name,
    typeof value === 'string' ? (readings[name]?.(value) ?? value) : value,
  ]);
  const settings: unknown = { ...file, ...Object.fromEntries(overrides) };
  const result = v.safeParse(Settings, settings);
  if (!result.success) throw new SynthesisError(sentenceOf(result.issues[0], Object.fromEntries(given)));
  const { domainName, certificateArn } = result.output;
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

/** @throws SynthesisError for a reservation of an operation that does not exist */
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

/** What the CDK's command line keeps in the context for itself, besides names with a colon or an @. */
const ofTheCdk = ['cli-telemetry', 'acknowledged-issue-numbers'];

const isSetting = ([name]: [string, unknown]) =>
  !/[:@]/.test(name) && name !== 'stage' && !ofTheCdk.includes(name);

/** What is wrong with a setting, quoted as it was given. */
function sentenceOf(issue: v.InferIssue<typeof Settings>, given: Record<string, unknown>): string {
  const name = String(issue.path?.[0]?.key);
  const value = name in given ? given[name] : issue.input;
  return `The ${name} is ${JSON.stringify(value)}, but it must be ${issue.message}`;
}
