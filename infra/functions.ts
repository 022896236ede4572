import { globSync, existsSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { GenericSchema } from 'valibot';
import type { Endpoint } from '../shared/contract/endpoint.ts';
import type { Descriptions } from '../shared/contract/descriptions.ts';
import type { PublicFunction } from '../shared/contract/public-function.ts';
import type { Worker } from '../shared/contract/worker.ts';
import { root } from './root.ts';
import { SynthesisError } from './synthesis-error.ts';

/** Endpoint under its operationId, with the file of the function that serves it. */
export interface Operation {
  kind: 'endpoint';
  operationId: string;
  endpoint: Endpoint;
  /** Path in the project, such as `functions/leads/list-leads.ts`. */
  entry: string;
}

/** Worker, with the file of its function, such as `functions/workers/resolve-sending.ts`. */
export interface WorkerFunction {
  kind: 'worker';
  worker: Worker;
  entry: string;
}

/** Public function, with its file, such as `functions/public/serve-site.ts`. */
export interface PublicEntry {
  kind: 'public function';
  definition: PublicFunction;
  entry: string;
}

/** The authorizer, which maps a token to its caller. */
export const authorizer = {
  kind: 'authorizer',
  entry: 'functions/authorizer/authorize.ts',
} as const;

export type FunctionDefinition = Operation | WorkerFunction | PublicEntry | typeof authorizer;

/** True for a worker that calls functions of the API. */
export const callsFunctions = (served: FunctionDefinition) =>
  served.kind === 'worker' && served.worker.uses === 'functions';

/** True for a function that shares little code with most functions: it asks for no token, or calls other functions. */
export const isBundledApart = (served: FunctionDefinition) =>
  served.kind === 'public function' ||
  callsFunctions(served) ||
  (served.kind === 'endpoint' && served.endpoint.scope === 'public');

/** Name of a function in the template, without its prefix. */
export function functionNameOf(served: FunctionDefinition): string {
  switch (served.kind) {
    case 'endpoint':
      return pascal(served.operationId);
    case 'worker':
      return workerId(served.worker);
    case 'public function':
      return pascal(camel(served.definition.name));
    case 'authorizer':
      return 'Authorizer';
  }
}

export interface Contracts {
  functions: FunctionDefinition[];
  operations: Operation[];
  workers: WorkerFunction[];
  publicFunctions: PublicEntry[];
  /** Every exported schema, by its name. These are the components of the OpenAPI description. */
  schemas: Record<string, GenericSchema>;
  /** The `tagDescription` of each contract file, by subject: `leads` for `shared/contract/leads.ts`. */
  subjects: Record<string, string>;
  /** OpenAPI descriptions of schemas and fields. */
  descriptions: Descriptions;
}

/** Name of an operation's function and schemas: `ListLeads` for `listLeads`. */
export const pascal = (operationId: string) => operationId.charAt(0).toUpperCase() + operationId.slice(1);

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
/** Turns `resolve-sending` into `resolveSending`. */
export const camel = (name: string) => name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
/** Name of a worker in the template, as a part of other names: `SendWebhooks` for `send-webhooks`. */
export const workerId = ({ name }: Pick<Worker, 'name'>) => pascal(camel(name));

/**
 * Finds every function. `listLeadsEndpoint` in `shared/contract/leads.ts` is served by
 * `functions/leads/list-leads.ts`, a contract's `resolveSendingWorker` by `functions/workers/resolve-sending.ts`, and
 * its `serveSiteFunction` by `functions/public/serve-site.ts`. A subject can have several contract files. The further ones export
 * the subject's name as `subject`.
 *
 * @throws SynthesisError if a function file is missing, or serves nothing
 */
export async function findContracts(folder = root): Promise<Contracts> {
  const operations: Operation[] = [];
  const workers: WorkerFunction[] = [];
  const publicFunctions: PublicEntry[] = [];
  const schemas: Record<string, GenericSchema> = {};
  const subjects: Record<string, string> = {};
  const descriptions: Descriptions = {};
  for (const file of globSync('shared/contract/*.ts', { cwd: folder }).sort()) {
    const module: unknown = await import(pathToFileURL(join(folder, file)).href);
    // Sorted by name, as Node.js does it: other loaders keep another order.
    const exported = Object.entries(module ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    const exportedSubject: unknown = exported.find(([name]) => name === 'subject')?.[1];
    const subject = typeof exportedSubject === 'string' ? exportedSubject : basename(file, '.ts');
    for (const [name, value] of exported) {
      if (name === 'tagDescription' && typeof value === 'string') subjects[subject] = value;
      if (name === 'descriptions') Object.assign(descriptions, value);
      if (isEndpoint(value)) {
        const operationId = operationIdOf(name, file);
        const entry = `functions/${subject}/${kebab(operationId)}.ts`;
        operations.push({ kind: 'endpoint', operationId, endpoint: value, entry });
      } else if (isWorker(value)) {
        checkExport(`the worker ${value.name}`, { name, expected: `${camel(value.name)}Worker`, file });
        workers.push({ kind: 'worker', worker: value, entry: `functions/workers/${value.name}.ts` });
      } else if (isPublicFunction(value)) {
        const expected = `${camel(value.name)}Function`;
        checkExport(`the public function ${value.name}`, { name, expected, file });
        const entry = `functions/public/${value.name}.ts`;
        publicFunctions.push({ kind: 'public function', definition: value, entry });
      } else if (isSchema(value)) {
        schemas[name] = value;
      }
    }
  }
  const functions = [authorizer, ...operations, ...publicFunctions, ...workers];
  checkFunctions(functions, folder);
  return { functions, operations, workers, publicFunctions, schemas, subjects, descriptions };
}

/** Returns `listLeads` for the endpoint that is exported as `listLeadsEndpoint`. */
function operationIdOf(name: string, file: string): string {
  if (name.endsWith('Endpoint')) return name.slice(0, -'Endpoint'.length);
  throw new SynthesisError(`${file} exports the endpoint ${name}: name it ${name}Endpoint`);
}

function checkExport(
  what: string,
  { name, expected, file }: { name: string; expected: string; file: string },
): void {
  if (name !== expected) throw new SynthesisError(`${file} exports ${what} as ${name}: name it ${expected}`);
}

/** Names what a function serves, for messages. */
function subjectOf(served: FunctionDefinition): string {
  switch (served.kind) {
    case 'endpoint':
      return `The endpoint ${served.operationId}`;
    case 'worker':
      return `The worker ${served.worker.name}`;
    case 'public function':
      return `The public function ${served.definition.name}`;
    case 'authorizer':
      return 'The authorizer';
  }
}

function checkFunctions(functions: readonly FunctionDefinition[], folder: string): void {
  const byName = new Map<string, FunctionDefinition>();
  for (const served of functions) {
    const { entry } = served;
    if (!existsSync(join(folder, entry)))
      throw new SynthesisError(`${subjectOf(served)} has no function: add ${entry}`);
    // Files name the functions in the bundle and in the template, so file names must be unique.
    const namesake = byName.get(basename(entry));
    if (namesake)
      throw new SynthesisError(`${entry} has the name of ${namesake.entry}: name one of them otherwise`);
    byName.set(basename(entry), served);
  }
  const entries = new Set<string>(functions.map(({ entry }) => entry));
  for (const file of globSync('functions/*/*.ts', { cwd: folder })) {
    const entry = file.replaceAll(sep, '/');
    if (entries.has(entry)) continue;
    const [, folder = ''] = entry.split('/');
    const kind = { workers: 'worker', public: 'public function' }[folder] ?? 'endpoint';
    throw new SynthesisError(`${entry} serves no ${kind}: export it by that name from shared/contract`);
  }
}

const hasKind = (value: unknown, kind: FunctionDefinition['kind'] | 'schema') =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;
const isEndpoint = (value: unknown): value is Endpoint => hasKind(value, 'endpoint');
const isWorker = (value: unknown): value is Worker => hasKind(value, 'worker');
const isPublicFunction = (value: unknown): value is PublicFunction => hasKind(value, 'public function');
export const isSchema = (value: unknown): value is GenericSchema => hasKind(value, 'schema');
