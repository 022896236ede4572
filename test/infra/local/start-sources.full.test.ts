import { mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ApiClient } from '../../support/api-client.ts';
import { ProjectCopy } from '../../support/machine/project-copy.ts';
import { unthrottledOptions } from '../../support/machine/unthrottled.ts';

const project = new ProjectCopy();
afterAll(() => project.remove());

test('a changed source file takes effect on the next request: a function, a contract, a mistake, and its repair with a role; a mistake at the start is told; the bundles of eight versions stay', async () => {
  const edited = [
    'functions/leads/list-leads.ts',
    'shared/contract/leads.ts',
    'infra/stack/service-function.ts',
  ];
  const original = edited.map((file) => [file, project.read(file)] as const);
  const options = ['--port', '0', '--data', 'kept', ...unthrottledOptions];
  const assemblies = join(project.folder, 'node_modules/.cache/sales-pipeline-service');
  for (const name of ['1', '2', '3', '4', '5', '6', '7', '8']) {
    mkdirSync(join(assemblies, name));
    utimesSync(join(assemblies, name), 0, Number(name));
  }
  const start = project.start(options);
  const { baseUrl, tokens } = await start.ready();
  const send = async (path: string) => {
    const response = await fetch(`${baseUrl}${path}`, {
      headers: { Authorization: `Bearer ${tokens[0]!}` },
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  expect((await send('/v1/leads')).body['totalCount']).toBe(9);

  project.edit('functions/leads/list-leads.ts', 'return ok({', "return ok({ ...{ edited: 'function' },");
  project.edit(
    'shared/contract/leads.ts',
    "path: '/v1/leads',\n  scope: 'leads:read'",
    "path: '/v1/prospects',\n  scope: 'leads:read'",
  );
  expect((await send('/v1/prospects')).body).toMatchObject({ edited: 'function', totalCount: 9 });
  expect((await send('/v1/leads')).status).toBe(404);
  expect(JSON.stringify((await send('/openapi')).body)).toContain('/v1/prospects');

  const whole = project.read('shared/domain/leads/leads.ts');
  project.write('shared/domain/leads/leads.ts', `${whole}\nconst = 1;`);
  expect(await send('/v1/prospects')).toMatchObject({
    status: 500,
    body: { success: false, error: { status: 500 } },
  });
  await start.until(/shared\/domain\/leads\/leads\.ts:\d+:7 does not build: /);

  // Both at once, because a reload takes seconds: the line about the role shows that the function builds and runs
  // again.
  project.write('shared/domain/leads/leads.ts', whole);
  // The function's DynamoDB permissions come from its role in the template.
  project.edit('infra/stack/service-function.ts', 'return [tableArn];', 'return [`${tableArn}s`];');
  await new ApiClient(baseUrl, tokens[0]).failure('createLead', 500, { body: { name: 'Ann' } });
  await start.until(
    /The role of \w+ does not allow dynamodb:GetItem on arn:aws:dynamodb:\S+:table\/SalesPipeline-dev/,
  );

  for (const [file, text] of original) project.write(file, text);
  await start.end();
  const again = project.start(options);
  await new ApiClient((await again.ready()).baseUrl, tokens[0]).call('listLeads');
  expect(again.output).toContain('Nothing has changed since the functions were bundled');
  await again.end();
  const left = readdirSync(assemblies);
  expect(left).toHaveLength(8);
  expect(left).not.toContain('2');

  project.edit('shared/contract/leads.ts', 'listLeadsEndpoint = ', 'listLeadsEndpoint = = ');
  const broken = project.start(options);
  expect(await broken.ended()).toBe(1);
  expect(broken.errors).toMatch(/^shared\/contract\/leads\.ts:\d+ does not build: [^\n]+\n$/);
});
