import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findContracts, type Operation } from '../../infra/functions.ts';
import { root } from '../../infra/root.ts';
import { releasedFile } from '../../infra/open-api/open-api.ts';
import { scopes } from '../../shared/contract/scopes.ts';
import { contract } from '../support/contract.ts';
import { everyOperation } from '../support/operations.ts';

const { operations, subjects } = await findContracts();

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const subjectOf = ({ entry }: Operation) => entry.split('/')[1]!;

const functionalTests = globSync('test/functional/**/*.ts', { cwd: root }).map(read).join('\n');
/** Operations of the kinds of `numbered-records.test.ts`. */
const byTable = [...functionalTests.matchAll(/endpointsOf\('(\w+)', '(\w+)'\)/g)].flatMap(([, one, all]) => [
  ...['create', 'update', 'get', 'delete'].map((verb) => `${verb}${one}`),
  `list${all}`,
]);
const [, unreleased = ''] = read('CHANGELOG.md').split('## [Unreleased]');
const [entries = ''] = unreleased.split(/^## /m);
const released = JSON.parse(read(releasedFile)) as { paths: Record<string, object> };
const isReleased = ({ endpoint: { method, path } }: Operation) =>
  method.toLowerCase() in (released.paths[path] ?? {});

/** Checks of an endpoint's parts. Each gives the mistake with the file to open, or undefined. */
const parts: Record<string, (operation: Operation) => string | undefined> = {
  'serves its contract': ({ operationId, entry }) =>
    new RegExp(`serve(?:PublicEndpoint)?\\(\\s*${operationId}Endpoint,`).test(read(entry))
      ? undefined
      : `${entry} does not serve the endpoint ${operationId}: call serve(${operationId}Endpoint, …) there`,
  'has a verb': ({ operationId, entry, endpoint }) =>
    endpoint.access === 'none' || read(entry).includes("from '../../shared/domain/")
      ? undefined
      : `The endpoint ${operationId} has no verb: add ${operationId} to shared/domain, and call it in ${entry}`,
  'has a scope that tokens can have': ({ operationId, endpoint: { scope } }) =>
    scope === 'public' || scope === 'any' || scopes.includes(scope)
      ? undefined
      : `No token can have ${scope} of ${operationId}: add the subject to scopeSubjects in shared/contract/scopes.ts`,
  'has a subject that is described': (operation) =>
    subjectOf(operation) in subjects
      ? undefined
      : `The subject of ${operation.operationId} is not described: export tagDescription from shared/contract/${subjectOf(operation)}.ts`,
  'is known to tests by its name': (operation) =>
    `${operation.operationId}Endpoint` in contract
      ? undefined
      : `Tests cannot call ${operation.operationId}: add its contract file to test/support/contract.ts`,
  'has an entry for tests': (operation) => {
    const { operationId, endpoint } = operation;
    const file = 'test/support/operations.ts';
    const tested = everyOperation.get(operationId);
    if (!tested) return `The endpoint ${operationId} has no entry: add ${operationId} to ${file}`;
    if (endpoint.access === 'none' || tested.cost) return undefined;
    return `The entry of ${operationId} has no cost: give it cost in ${file}`;
  },
  'has a functional test': (operation) =>
    byTable.includes(operation.operationId) ||
    new RegExp(`\\.\\w+\\(\\s*'${operation.operationId}'|\\b${operation.operationId}Endpoint\\b`).test(
      functionalTests,
    )
      ? undefined
      : `The endpoint ${operation.operationId} has no test: call ${operation.operationId}Endpoint in test/functional/${subjectOf(operation)}.test.ts`,
  'is in the changelog until it is released': (operation) => {
    const request = `${operation.endpoint.method} ${operation.endpoint.path}`;
    return isReleased(operation) || entries.includes(request)
      ? undefined
      : `CHANGELOG.md does not name ${request}: add it under Unreleased`;
  },
};

test.each(Object.entries(parts))('each endpoint %s', (_, mistakeOf) => {
  const mistakes = operations.flatMap((operation) => mistakeOf(operation) ?? []);
  expect(mistakes, mistakes.join('\n')).toEqual([]);
});

test('each entry for tests is that of an endpoint', () => {
  const known = new Set(operations.map(({ operationId }) => operationId));
  const strays = [...everyOperation.keys()].filter((operationId) => !known.has(operationId));
  expect(strays, `no endpoint has these names: remove them from test/support/operations.ts`).toEqual([]);
});
