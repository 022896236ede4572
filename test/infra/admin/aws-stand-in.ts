import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { engine } from '../../support/world.ts';

/** What a service of AWS answers. */
export interface AwsAnswer {
  status: number;
  body: string;
}

/** Stands in for a service of AWS, on a port of its own. */
export async function startAwsStandIn(
  answerTo: (body: string) => AwsAnswer,
): Promise<{ endpoint: string; close: () => void }> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const answer = answerTo(body);
      response.writeHead(answer.status);
      response.end(answer.body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** CloudFormation's answer with a stack. */
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

/** Lets commands find these endpoints (`AWS_ENDPOINT_URL_…`) and the table of the tests, and nothing of this computer's own. */
export function stubAws(endpoints: Record<string, string>): void {
  const environment = {
    ...endpoints,
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    // The settings that the table of the tests was made with: some engines keep tables apart by them.
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
