import { deepStrictEqual, ok } from 'node:assert';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { findContracts, functionNameOf, type FunctionDefinition } from '../../../infra/functions.ts';
import { isInStage } from '../../../infra/stack/stage-settings.ts';
import { apiFunctionPrefixOf, functionPrefixOf, samLocalDatabase } from '../../../infra/stack/stage.ts';
import { stageSettings } from '../../../infra/stack/stages.ts';
import { isKeyed } from '../../../shared/contract/endpoint.ts';

const Function = v.object({
  id: v.string(),
  name: v.string(),
  runtime: v.string(),
  architecture: v.string(),
  handler: v.string(),
  timeout: v.number(),
  folder: v.string(),
  variables: v.record(v.string(), v.string()),
});
type Function = v.InferOutput<typeof Function>;

const Route = v.object({
  path: v.string(),
  methods: v.array(v.string()),
  function: v.nullable(v.string()),
  authorizer: v.nullable(
    v.object({
      function: v.string(),
      type: v.string(),
      sources: v.array(v.string()),
    }),
  ),
});

/** Output of the Python program: functions and routes as SAM reads them from the template. */
export const SamTemplate = v.object({ functions: v.array(Function), routes: v.array(Route) });
export type SamTemplate = v.InferOutput<typeof SamTemplate>;

const api = apiFunctionPrefixOf('local');

const nameOf = (definition: FunctionDefinition): string =>
  `${definition.kind === 'worker' ? functionPrefixOf('local') : api}${functionNameOf(definition)}`;

function reachesTable(definition: FunctionDefinition): boolean {
  switch (definition.kind) {
    case 'endpoint':
      return definition.endpoint.access !== 'none';
    case 'worker':
      return definition.worker.access !== 'none';
    case 'public function':
      return false;
    case 'authorizer':
      return true;
  }
}

/**
 * Compares SAM's reading of the template with the contracts: neither may have a further function or route.
 *
 * @param database address of DynamoDB that `--env-vars` gives all functions
 * @param tableName table of the local machine
 */
export async function checkTemplate(
  { functions, routes }: SamTemplate,
  { database, tableName }: { database: string; tableName: string },
): Promise<void> {
  const contracts = await findContracts();
  deepStrictEqual(
    inOrder(functions.map(started)),
    inOrder(
      contracts.functions
        .filter((definition) => isInStage(definition, stageSettings.local))
        .map((definition) => ({
          name: nameOf(definition),
          runtime: 'nodejs24.x',
          architecture: process.arch === 'arm64' ? 'arm64' : 'x86_64',
          handler: 'index.handler',
          TABLE_NAME: reachesTable(definition) ? tableName : undefined,
          AWS_ENDPOINT_URL_DYNAMODB: database,
          // The template declares this variable, and `--env-vars` does not override it.
          AWS_ENDPOINT_URL: `http://${samLocalDatabase.host}:${samLocalDatabase.port}`,
          SMS_ORIGINATION_IDENTITY: undefined,
        })),
    ),
    'SAM sees other functions',
  );
  for (const { name, folder } of functions)
    ok(existsSync(join(folder, 'index.mjs')), `${folder}, where SAM looks for ${name}, has no index.mjs`);

  const tokenAuthorizer = {
    function: `${api}Authorizer`,
    type: 'request',
    sources: ['Authorization'],
  };
  const keyAuthorizer = { ...tokenAuthorizer, sources: ['key'] };
  const served = contracts.operations.flatMap((operation) => {
    const { endpoint } = operation;
    const methods = endpoint.takesForms ? ['OPTIONS', endpoint.method] : [endpoint.method];
    const authorizer = isKeyed(endpoint) ? keyAuthorizer : tokenAuthorizer;
    return methods.map((method) => ({
      name: `${method} ${endpoint.path}`,
      function: nameOf(operation),
      authorizer: endpoint.scope === 'public' ? null : authorizer,
    }));
  });
  const publicRoutes = contracts.publicFunctions.flatMap((served) =>
    served.definition.routes.map(({ method, path }) => ({
      name: `${method} ${path}`,
      function: nameOf(served),
      authorizer: null,
    })),
  );
  // SAM leaves out the mocks of unknown routes.
  deepStrictEqual(
    inOrder(
      routes.flatMap(({ path, methods, ...rest }) =>
        methods.map((method) => ({ name: `${method} ${path}`, ...rest })),
      ),
    ),
    inOrder([...served, ...publicRoutes]),
    'SAM sees other routes',
  );
}

/** Settings that SAM would start a function with. */
function started({ name, runtime, architecture, handler, variables }: Function) {
  const { TABLE_NAME, AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL, SMS_ORIGINATION_IDENTITY } = variables;
  return {
    name,
    runtime,
    architecture,
    handler,
    TABLE_NAME,
    AWS_ENDPOINT_URL_DYNAMODB,
    AWS_ENDPOINT_URL,
    SMS_ORIGINATION_IDENTITY,
  };
}

const inOrder = <T extends { name: string }>(all: T[]): T[] =>
  all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
