import { ACMClient } from '@aws-sdk/client-acm';
import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { PinpointSMSVoiceV2Client } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import {
  GetAWSDefaultServiceQuotaCommand,
  GetServiceQuotaCommand,
  ServiceQuotasClient,
} from '@aws-sdk/client-service-quotas';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { WAFV2Client } from '@aws-sdk/client-wafv2';
import * as v from 'valibot';
import { AdminError, isFromAws, messageOf } from '../admin-error.ts';
import { checkSettings } from '../stack.ts';

/** Clients of the services that the checks ask, all with the same region and credentials. */
export interface Account {
  id: string;
  region: string;
  /** Second part of the account's ARNs. */
  partition: string;
  cloudFormation: CloudFormationClient;
  ssm: SSMClient;
  lambda: LambdaClient;
  apiGateway: APIGatewayClient;
  dynamoDb: DynamoDBClient;
  logs: CloudWatchLogsClient;
  sns: SNSClient;
  sqs: SQSClient;
  quotas: ServiceQuotasClient;
  waf: WAFV2Client;
  sms: PinpointSMSVoiceV2Client;
  acm: ACMClient;
}

/** Thrown if a question got no usable answer. The message completes "it cannot be seen: …". */
export class Unseen extends Error {}

/**
 * Asks who the caller is, and gives `use` the account.
 * @throws AdminError without a region, or without credentials that AWS accepts
 */
export async function withAccount<T>(use: (account: Account, principal: string) => Promise<T>): Promise<T> {
  const requestHandler = { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true };
  const sts = new STSClient({ requestHandler });
  // Resolved once: a profile's credentials may ask a person.
  const config = {
    region: await checkSettings(sts.config),
    credentials: sts.config.credentials,
    requestHandler,
  };
  const clients = {
    cloudFormation: new CloudFormationClient(config),
    ssm: new SSMClient(config),
    lambda: new LambdaClient(config),
    apiGateway: new APIGatewayClient(config),
    dynamoDb: new DynamoDBClient(config),
    logs: new CloudWatchLogsClient(config),
    sns: new SNSClient(config),
    sqs: new SQSClient(config),
    quotas: new ServiceQuotasClient(config),
    waf: new WAFV2Client(config),
    sms: new PinpointSMSVoiceV2Client(config),
    acm: new ACMClient(config),
  };
  try {
    const { Account: id = '', Arn = '' } = await sts
      .send(new GetCallerIdentityCommand())
      .catch((error: unknown) => {
        // This call needs no permission.
        throw new AdminError(
          `AWS does not accept the credentials (${messageOf(error)}): set AWS_PROFILE to a profile with others.`,
        );
      });
    const [, partition = ''] = Arn.split(':');
    return await use({ id, region: config.region, partition, ...clients }, Arn);
  } finally {
    for (const client of [sts, ...Object.values(clients)]) client.destroy();
  }
}

/**
 * Names of errors that say that the caller lacks a permission. Other such errors have the status 403.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html
 */
const denials = /^(AccessDenied|AuthorizationError|NotAuthorized|UnauthorizedOperation)/;

/**
 * Waits for the answer to a call.
 *
 * @param action the IAM action that allows the call
 * @throws Unseen if the caller may not ask, or if the service gives no usable answer
 */
export async function seen<T>(action: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isFromService(error)) throw error;
    const status = statusOf(error);
    if (status === 403 || denials.test(error.name)) throw new Unseen(`allow ${action}`);
    throw new Unseen(
      `${action} failed (${messageOf(error)}${status === undefined ? '' : `, status ${status}`})`,
    );
  }
}

/** Like `seen`, but returns undefined if the error's name and message match `isAbsent`. */
export async function found<T>(action: string, call: Promise<T>, isAbsent: RegExp): Promise<T | undefined> {
  return seen(
    action,
    call.catch((error: unknown) => {
      if (error instanceof Error && isAbsent.test(`${error.name}: ${error.message}`)) return undefined;
      throw error;
    }),
  );
}

/** True for an error of a service, of an answer that the SDK cannot read, or of the connection. */
const isFromService = (error: unknown): error is Error =>
  error instanceof Error &&
  (error.name === 'TimeoutError' || 'code' in error || '$response' in error || isFromAws(error));

/** Status of AWS's answer, if there was one. */
function statusOf(error: object): number | undefined {
  const answered = v.safeParse(v.object({ $metadata: v.object({ httpStatusCode: v.number() }) }), error);
  return answered.success ? answered.output.$metadata.httpStatusCode : undefined;
}

/**
 * Quota of the account, or AWS's default if the account has no quota.
 * https://docs.aws.amazon.com/servicequotas/2019-06-24/apireference/API_GetServiceQuota.html
 */
export async function quotaOf(
  { quotas }: Pick<Account, 'quotas'>,
  names: { ServiceCode: string; QuotaCode: string },
): Promise<number> {
  const own = await found(
    'servicequotas:GetServiceQuota',
    quotas.send(new GetServiceQuotaCommand(names)),
    /^NoSuchResource/,
  );
  const { Quota } =
    own ??
    (await seen(
      'servicequotas:GetAWSDefaultServiceQuota',
      quotas.send(new GetAWSDefaultServiceQuotaCommand(names)),
    ));
  if (Quota?.Value === undefined) throw new Unseen(`the quota ${names.QuotaCode} has no value`);
  return Quota.Value;
}
