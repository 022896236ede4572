import { deepStrictEqual } from 'node:assert';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { closeAll, listenOnLoopback } from '../../../infra/local/loopback.ts';
import { answerMcp } from '../../../shared/http/agents/answer-mcp.ts';
import { revisions } from '../../support/connect-agent.ts';
import { startMemoryService } from '../memory-service.ts';
import type { Part } from '../part.ts';
import { runStep } from '../run-step.ts';
import { installPackages, missingPackages, type Packages } from '../tools.ts';
import { runConformance, type Failures } from './conformance.ts';
import { checkClient } from './client.ts';
import { expectedFailures, needTools } from './expected-failures.ts';
import { fixtureTools } from './fixture-tools.ts';

const packages: Packages = {
  from: import.meta.dirname,
  one: '@modelcontextprotocol/conformance',
  called: 'the packages of the protocol',
};

/** Runs the conformance suite of the Model Context Protocol against `/mcp`, and calls a tool by the protocol's own client. */
export const agents: Part = {
  name: 'agents',
  about: 'runs the conformance suite of the Model Context Protocol, and its client, against /mcp',
  missing: () => missingPackages(packages),
  run: async (folder) => {
    await using opened = new AsyncDisposableStack();
    await runStep('The suite and the client are installed', () => installPackages(packages, folder));
    const service = await runStep('The service is there', startMemoryService);
    opened.defer(service.close);
    const url = `${service.baseUrl}/mcp`;
    const fixtures = await startFixtures();
    opened.defer(fixtures.close);
    for (const revision of revisions) {
      await runStep(`The protocol's client of ${revision} lists the tools, calls one and listens`, () =>
        checkClient(folder, { url, token: service.token }, revision),
      );
      await runStep(`/mcp passes all of ${revision} but what it does not have`, async () => {
        const failures = await runConformance(folder, url, revision);
        compare(failures, (scenario) => needTools.test(scenario));
      });
      await runStep(`The suite's own tools pass their scenarios of ${revision}`, async () => {
        const failures = await runConformance(folder, fixtures.url, revision);
        deepStrictEqual(
          [...failures].filter(([scenario, ids]) => needTools.test(scenario) && ids.length > 0),
          [],
        );
      });
    }
  },
};

/** Compares the failures with the expected failures. @throws AssertionError that names each difference */
function compare(failures: Failures, isElsewhere: (scenario: string) => boolean): void {
  const wrong = [...failures].flatMap(([scenario, ids]) => {
    if (isElsewhere(scenario)) return [];
    const expected = expectedFailures.find(({ scenarios }) => scenarios.test(scenario));
    const others = ids.filter((id) => !expected || !(expected.checks?.test(id) ?? true));
    return others.map((id) => `${scenario} fails: ${id}`);
  });
  const passing = expectedFailures.flatMap(({ scenarios, reason }) => {
    const run = [...failures].filter(([scenario]) => scenarios.test(scenario));
    return run.length > 0 && run.every(([, ids]) => ids.length === 0)
      ? [`${scenarios} passes: ${reason}`]
      : [];
  });
  deepStrictEqual([...wrong, ...passing], []);
}

/** Serves the suite's own tools by the code that serves the service's tools. */
async function startFixtures(): Promise<{ url: string; close: () => Promise<void> }> {
  const send = () => Promise.reject(new Error('These tools call no API'));
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body = await buffer(incoming);
      const request = new Request(`http://${incoming.headers.host ?? ''}/mcp`, {
        method: incoming.method ?? 'POST',
        headers: Object.entries(incoming.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]),
        ...(body.length > 0 && { body }),
      });
      const response = await answerMcp({ tools: fixtureTools, send, version: '1.0.0' }, request);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
    })();
  });
  const port = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}/mcp`, close: () => closeAll(server) };
}
