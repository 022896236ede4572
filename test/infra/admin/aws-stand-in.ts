import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { closeAll, listenOnLoopback } from '../../../infra/local/loopback.ts';
import { engine } from '../../support/test-organization.ts';
import { atFileEnd } from '../../support/vitest/at-file-end.ts';

export interface AwsAnswer {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

/** Starts a stand-in for AWS services, until the end of the test file. Returns its endpoint. */
export async function startAwsStandIn(
  answerTo: (body: string, request: IncomingMessage) => AwsAnswer | Promise<AwsAnswer>,
): Promise<string> {
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const answer = await answerTo(body, request);
      response.writeHead(answer.status, answer.headers);
      response.end(answer.body);
    });
  });
  const port = await listenOnLoopback(server);
  atFileEnd(() => closeAll(server));
  return `http://127.0.0.1:${port}`;
}

/** Answers of AWS as its API references have them: JSON, or XML of the services that ask by a form. */
export const ok = (body: object = {}): AwsAnswer => ({ status: 200, body: JSON.stringify(body) });
export const okXml = (operation: string, result: string): AwsAnswer => ({
  status: 200,
  body: `<${operation}Response><${operation}Result>${result}</${operation}Result></${operation}Response>`,
});
export const refusal = (code: string, message = `${code}!`, status = 400): AwsAnswer => ({
  status,
  headers: { 'x-amzn-errortype': code },
  body: JSON.stringify({ __type: code, message }),
});
export const refusalXml = (code: string, message: string, status = 400): AwsAnswer => ({
  status,
  body: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
});

/** CloudFormation's response with a stack. */
export const stackOf = (status: string, outputs: Record<string, string>, isProtected = false): AwsAnswer => {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return okXml(
    'DescribeStacks',
    `<Stacks><member><StackName>S</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>${status}</StackStatus>` +
      `<EnableTerminationProtection>${String(isProtected)}</EnableTerminationProtection><Outputs>${members.join('')}</Outputs></member></Stacks>`,
  );
};

/**
 * Directs commands to these endpoints (`AWS_ENDPOINT_URL_…`) and to the tests' table, ignoring this
 * computer's settings and what another test set.
 */
export function stubAws(endpoints: Record<string, string>): void {
  const environment = {
    ...endpoints,
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    // The settings with which the tests' table was created: some engines separate tables by them.
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_PROFILE: undefined,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  vi.unstubAllEnvs();
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
}
