import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { listenOnLoopback } from '../../../infra/local/loopback.ts';
import { engine } from '../../support/test-organization.ts';

export interface AwsAnswer {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

/** Starts a stand-in for AWS services on its own port. */
export async function startAwsStandIn(
  answerTo: (body: string, request: IncomingMessage) => AwsAnswer | Promise<AwsAnswer>,
): Promise<{ endpoint: string; close: () => void }> {
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const answer = await answerTo(body, request);
      response.writeHead(answer.status, answer.headers);
      response.end(answer.body);
    });
  });
  const port = await listenOnLoopback(server);
  return { endpoint: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** CloudFormation's response with a stack. */
export const stackOf = (status: string, outputs: Record<string, string>): AwsAnswer => ({
  status: 200,
  body:
    '<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks>' +
    `<member><StackName>S</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>${status}</StackStatus><Outputs>` +
    Object.entries(outputs)
      .map(
        ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
      )
      .join('') +
    '</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>',
});

/**
 * Directs commands to these endpoints (`AWS_ENDPOINT_URL_…`) and to the tests' table, ignoring this
 * computer's settings.
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
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
}
