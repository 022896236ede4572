import { globSync, existsSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { GenericSchema } from 'valibot';
import type { Endpoint } from '../shared/contract/endpoint.ts';
import type { Words } from '../shared/contract/words.ts';
import { SynthesisError } from './synthesis-error.ts';

export const root = join(import.meta.dirname, '..');

/** An endpoint under its operationId, with the file of the function that serves it. */
export interface Operation {
  operationId: string;
  endpoint: Endpoint;
  /** Relative to the project, such as `functions/leads/list-leads.ts`. */
  entry: string;
}

export interface Contracts {
  operations: Operation[];
  /** Every exported schema, by its name: the components of the OpenAPI description. */
  schemas: Record<string, GenericSchema>;
  /** What the endpoints of each module are about: `leads` for those in `shared/contract/leads.ts`. */
  subjects: Record<string, string>;
  /** What each schema and its fields are, for people. */
  words: Words;
}

/** The name of an operation's function and schemas: `ListLeads` for `listLeads`. */
export const pascal = (operationId: string) => operationId.charAt(0).toUpperCase() + operationId.slice(1);

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/**
 * Finds every endpoint: what a module of `shared/contract` exports as `listLeadsEndpoint` in `leads.ts` is
 * served by
 * `functions/leads/list-leads.ts`.
 *
 * @throws SynthesisError when a function file is missing, or serves no endpoint.
 */
export async function findContracts(): Promise<Contracts> {
  const operations: Operation[] = [];
  const schemas: Record<string, GenericSchema> = {};
  const subjects: Record<string, string> = {};
  const words: Words = {};
  for (const file of globSync('shared/contract/*.ts', { cwd: root }).sort()) {
    const module: unknown = await import(pathToFileURL(join(root, file)).href);
    const subject = basename(file, '.ts');
    for (const [name, value] of Object.entries(module ?? {})) {
      if (name === 'tagDescription' && typeof value === 'string') subjects[subject] = value;
      if (name === 'words') Object.assign(words, value);
      if (isEndpoint(value)) {
        const operationId = operationIdOf(name, file);
        operations.push({
          operationId,
          endpoint: value,
          entry: `functions/${subject}/${kebab(operationId)}.ts`,
        });
      } else if (isSchema(value)) {
        schemas[name] = value;
      }
    }
  }
  checkFunctions(operations);
  return { operations, schemas, subjects, words };
}

/** `listLeads` for the endpoint that is exported as `listLeadsEndpoint`. */
function operationIdOf(name: string, file: string): string {
  if (name.endsWith('Endpoint')) return name.slice(0, -'Endpoint'.length);
  throw new SynthesisError(`${file} exports the endpoint ${name}: name it ${name}Endpoint`);
}

function checkFunctions(operations: Operation[]): void {
  const served = new Set(operations.map(({ entry }) => entry));
  for (const { operationId, entry } of operations) {
    if (!existsSync(join(root, entry)))
      throw new SynthesisError(`The endpoint ${operationId} has no function: add ${entry}`);
  }
  for (const file of globSync('functions/*/*.ts', { cwd: root })) {
    const entry = file.replaceAll(sep, '/');
    if (!served.has(entry) && entry !== authorizerEntry) {
      throw new SynthesisError(`${entry} serves no endpoint: export one of that name from shared/contract`);
    }
  }
}

export const authorizerEntry = 'functions/authorizer/authorize.ts';

const hasKind = (value: unknown, kind: string) =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;
const isEndpoint = (value: unknown): value is Endpoint => hasKind(value, 'endpoint');
export const isSchema = (value: unknown): value is GenericSchema => hasKind(value, 'schema');
