import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { LocalError } from '../../../infra/local/local-error.ts';
import { partAt } from '../../../shared/core/json-parts.ts';
import { output } from '../commands.ts';
import type { Message } from './events.ts';
import { load } from '../tools.ts';

/** Methods of ajv that are used. */
interface Ajv {
  addSchema: (schema: object, name: string) => void;
  validate: (reference: string, value: unknown) => boolean;
  errorsText: () => string;
}
interface AjvPackage {
  Ajv: new (options: object) => Ajv;
}
interface FormatsPackage {
  default: (ajv: Ajv) => void;
}

const Property = v.looseObject({ type: v.optional(v.unknown()) });
const Definition = v.looseObject({ properties: v.optional(v.record(v.string(), Property)) });
const Schema = v.looseObject({ definitions: v.record(v.string(), Definition) });

/** Vapi's types of messages by their kinds. */
const types: Readonly<Record<string, string>> = {
  'status-update': 'ServerMessageStatusUpdate',
  'end-of-call-report': 'ServerMessageEndOfCallReport',
  'assistant-request': 'ServerMessageAssistantRequest',
  'answer to vapi': 'ServerMessageResponseAssistantRequest',
};

/**
 * Validates Vapi's messages by JSON schemas, which are made of the types that Vapi generates from its openapi.json: that file
 * itself is in no package that can be had here.
 *
 * @param folder one with the platforms' packages
 * @throws LocalError with the first message that is not valid, and why
 */
export async function validate(folder: string, messages: readonly Message[]): Promise<void> {
  const { Ajv } = load(folder, 'ajv') as AjvPackage;
  const ajv = new Ajv({ strict: false, allErrors: true });
  (load(folder, 'ajv-formats') as FormatsPackage).default(ajv);
  ajv.addSchema(await vapiSchema(folder), 'vapi');
  for (const { name, kind, value } of messages.filter(({ kind }) => kind in types)) {
    const isValid = (one: object) => ajv.validate(`vapi#/definitions/${types[kind]}`, one);
    const message = (partAt(value, 'message') ?? value) as object;
    if (isValid({ ...message, other: 1 })) throw new LocalError(`A schema of Vapi refuses nothing: ${kind}.`);
    if (!isValid(message)) throw new LocalError(`${name} does not fit Vapi's schema: ${ajv.errorsText()}`);
  }
}

async function vapiSchema(folder: string) {
  const names = Object.values(types);
  const imported = `import type { ${names.join(', ')} } from './node_modules/@vapi-ai/web/api';`;
  writeFileSync(join(folder, 'vapi.ts'), `${imported}\nexport type Messages = ${names.join(' | ')};`);
  const generator = join(folder, 'node_modules/ts-json-schema-generator/bin/ts-json-schema-generator.js');
  const args = [generator, '--path', 'vapi.ts', '--type', 'Messages', '--no-type-check'];
  const made = await output(process.execPath, args, { cwd: folder });
  const schema = v.parse(Schema, JSON.parse(made));
  for (const { properties = {} } of Object.values(schema.definitions)) {
    // Vapi's generator writes a list of fixed names as one of the names.
    for (const list of ['clientMessages', 'serverMessages']) {
      const items = properties[list];
      if (items?.type === 'string') properties[list] = { type: 'array', items };
    }
  }
  return schema;
}
