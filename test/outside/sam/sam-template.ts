import { deepStrictEqual, ok } from 'node:assert';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { findContracts, functionNameOf, type FunctionDefinition } from '../../../infra/functions.ts';
import { isInStage } from '../../../infra/stack/settings-schema.ts';
import { apiFunctionPrefixOf, functionPrefixOf } from '../../../infra/stack/resource-names.ts';
import { stageSettings } from '../../../infra/stack/stages.ts';
import { isKeyed } from '../../../shared/contract/endpoint.ts';

const Function = v.object({ name: v.string(), folder: v.string() });
const Authorizer = v.object({ function: v.string(), type: v.string(), sources: v.array(v.string()) });
const Route = v.object({
  path: v.string(),
  methods: v.array(v.string()),
  function: v.nullable(v.string()),
  authorizer: v.nullable(Authorizer),
});

/** Output of the Python program: functions and routes as SAM reads them from the template. */
export const SamTemplate = v.object({ functions: v.array(Function), routes: v.array(Route) });
export type SamTemplate = v.InferOutput<typeof SamTemplate>;

const api = apiFunctionPrefixOf('local');

const nameOf = (definition: FunctionDefinition): string =>
  `${definition.kind === 'worker' ? functionPrefixOf('local') : api}${functionNameOf(definition)}`;

const authorizerBy = (source: string) => ({
  function: `${api}Authorizer`,
  type: 'request',
  sources: [source],
});

/** Compares SAM's reading of the template with the contracts: neither may have a further function or route. */
export async function checkTemplate({ functions, routes }: SamTemplate): Promise<void> {
  const contracts = await findContracts();
  deepStrictEqual(
    functions.map(({ name }) => name).sort(),
    contracts.functions
      .filter((definition) => isInStage(definition, stageSettings.local))
      .map(nameOf)
      .sort(),
  );
  for (const { name, folder } of functions)
    ok(existsSync(join(folder, 'index.mjs')), `${folder}, where SAM looks for ${name}, has no index.mjs`);

  const served = contracts.operations.flatMap((operation) => {
    const { method, path, scope, takesForms } = operation.endpoint;
    const authorizer = authorizerBy(isKeyed(operation.endpoint) ? 'key' : 'Authorization');
    const route = { function: nameOf(operation), authorizer: scope === 'public' ? null : authorizer };
    const methods = [
      method,
      ...(takesForms ? ['OPTIONS'] : []),
      ...(scope === 'public' ? headOf(method) : []),
    ];
    return methods.map((one) => ({ name: `${one} ${path}`, ...route }));
  });
  const publicRoutes = contracts.publicFunctions.flatMap((one) =>
    one.definition.routes.flatMap(({ method, path }) =>
      [method, ...headOf(method)].map((each) => ({
        name: `${each} ${path}`,
        function: nameOf(one),
        authorizer: null,
      })),
    ),
  );
  const seen = routes.flatMap(({ path, methods, ...rest }) =>
    methods.map((method) => ({ name: `${method} ${path}`, ...rest })),
  );
  // SAM leaves out the mocks of unknown routes.
  deepStrictEqual(inOrder(seen), inOrder([...served, ...publicRoutes]));
}

/** `HEAD` is served where `GET` needs no token. */
const headOf = (method: string) => (method === 'GET' ? ['HEAD'] : []);

const inOrder = <T extends { name: string }>(all: T[]): T[] =>
  all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
