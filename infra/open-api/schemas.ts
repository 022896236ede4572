import { isDeepStrictEqual } from 'node:util';
import {
  toJsonSchema,
  toJsonSchemaDefs,
  type ConversionConfig,
  type JsonSchema,
} from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { commonFields } from '../../shared/contract/descriptions.ts';
import type { Contracts } from '../functions.ts';

type Schemas = Record<string, JsonSchema>;

const prefix = '#/components/schemas/';
export const refTo = (name: string) => ({ $ref: prefix + name });

/**
 * Finds the name that a schema is exported under. @throws Error if it has none: each client generator would
 * make one up
 */
export function nameOf(schema: GenericSchema, { schemas }: Contracts): string {
  const name = Object.keys(schemas).find((each) => schemas[each] === schema);
  if (name === undefined)
    throw new Error('A body, query or answer has no name: export it from shared/contract');
  return name;
}

/**
 * Rules for JSON Schema that client generators understand. Every enumeration is a component, a union has a
 * discriminator, a constant has its type, and a number has its format.
 */
const conversion: ConversionConfig = {
  target: 'draft-2020-12',
  // JSON Schema cannot express these; descriptions do.
  ignoreActions: ['check', 'partial_check', 'raw_check', 'trim'],
  overrideRef: ({ referenceId }) => refTo(referenceId).$ref,
  overrideAction: ({ valibotAction, jsonSchema }) =>
    jsonSchema.type === 'integer' && /^(safe_)?integer$/.test(valibotAction.type)
      ? { ...jsonSchema, format: 'int64' }
      : undefined,
  overrideSchema: ({ valibotSchema, jsonSchema, referenceId }) => {
    switch (valibotSchema.type) {
      case 'number':
        return { ...jsonSchema, format: 'double' };
      case 'literal':
        return constant(jsonSchema);
      case 'loose_object':
        return { ...jsonSchema, additionalProperties: true };
      case 'picklist':
        // A pipe has a copy of the picklist, so this applies within a pipe, too.
        return referenceId === undefined ? undefined : refTo(referenceId);
      case 'nullable':
        return orNull(jsonSchema);
      case 'optional':
        return withoutDefault(jsonSchema);
      case 'record':
        return withoutBareNames(jsonSchema);
      case 'variant':
        return { ...jsonSchema, ...discriminator(valibotSchema, jsonSchema) };
      default:
        return undefined;
    }
  },
};

/**
 * Constant with its type. A boolean constant loses its value: the code of some generators would not compile.
 */
function constant({ const: value }: JsonSchema): JsonSchema {
  if (typeof value === 'boolean') return { type: 'boolean' };
  return typeof value === 'string' ? { type: 'string', const: value } : {};
}

/** Writes a scalar or null as one schema of two types. Undefined for any other union, such as a component or null. */
export function orNull({ anyOf: [value, none] = [], ...schema }: JsonSchema): JsonSchema | undefined {
  if (typeof value !== 'object' || typeof none !== 'object' || none.type !== 'null') return undefined;
  return typeof value.type === 'string' ? { ...value, ...schema, type: [value.type, 'null'] } : undefined;
}

/** Drops the default of a field. By their own defaults, some generators make a field with a default a required field. */
function withoutDefault({ default: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

/** Drops `propertyNames` that allow any text. */
function withoutBareNames({ propertyNames, ...schema }: JsonSchema): JsonSchema {
  const saysMore = typeof propertyNames === 'object' && Object.keys(propertyNames).length > 1;
  return saysMore ? { ...schema, propertyNames } : schema;
}

/** `discriminator` of a union: its field, and the option for each value. */
function discriminator(schema: object, { oneOf = [] }: JsonSchema): object {
  if (!isVariant(schema)) return {};
  const mapping: Record<string, string> = {};
  for (const [at, { entries }] of schema.options.entries()) {
    const option = oneOf[at];
    const value = entries[schema.key]?.literal;
    if (value !== undefined && typeof option === 'object' && option.$ref !== undefined)
      mapping[value] = option.$ref;
  }
  return { discriminator: { propertyName: schema.key, mapping } };
}

interface Variant {
  key: string;
  options: { entries: Record<string, { literal?: string }> }[];
}

const isVariant = (schema: object): schema is Variant => 'type' in schema && schema.type === 'variant';
export const isPicklist = (schema: object): schema is { options: string[] } =>
  'type' in schema && schema.type === 'picklist' && !('pipe' in schema);

/**
 * The schemas that a description refers to, by exported name. A body allows no further fields, because a
 * misspelt one would be lost data; an answer may have more one day.
 */
export function describeSchemas(contracts: Contracts, description: object): Schemas {
  const described = convertAll(contracts, 'input');
  const bodies = contracts.operations.flatMap(({ endpoint: { body } }) =>
    body ? [nameOf(body, contracts)] : [],
  );
  const inBodies = reachable(described, bodies);
  for (const [name, schema] of Object.entries(described)) if (!inBodies.has(name)) loosen(schema);
  for (const { endpoint } of contracts.operations) addReadOnly(endpoint, described, contracts);
  for (const [name, schema] of Object.entries(described)) addDescriptions(name, schema, contracts);
  const used = reachable(described, referencesIn(description));
  return Object.fromEntries(Object.entries(described).filter(([name]) => used.has(name)));
}

/** A parameter of a query, as parsed. */
interface QueryParameter {
  name: string;
  schema: JsonSchema;
  /** True if a request without it is refused. */
  required: boolean;
}

export function queryParameters({ query }: Endpoint, contracts: Contracts): QueryParameter[] {
  if (!query) return [];
  const name = nameOf(query, contracts);
  const schema = convertAll(contracts, 'output', [name])[name] ?? {};
  // As parsed, a parameter with a default is always there.
  const { required = [] } = convertAll(contracts, 'input', [name])[name] ?? {};
  addDescriptions(name, schema, contracts);
  return fieldsOf(schema).map(([field, part]) => ({
    name: field,
    schema: part,
    required: required.includes(field),
  }));
}

/** A parameter of a path, as parsed. */
export function pathParameter(schema: GenericSchema): JsonSchema {
  const { $schema, ...described } = toJsonSchema(schema, { ...conversion, typeMode: 'output' });
  return described;
}

/** Converts the schemas of these names, or all of them, and every enumeration. */
function convertAll({ schemas }: Contracts, typeMode: 'input' | 'output', names?: string[]): Schemas {
  const named = Object.entries(schemas).filter(([name]) => /^[A-Z]/.test(name));
  const enumerations = named.flatMap(([name, schema]) =>
    isPicklist(schema) ? [[name, schema] as const] : [],
  );
  const wanted = named.filter(([name, schema]) => isPicklist(schema) || (names?.includes(name) ?? true));
  return {
    ...toJsonSchemaDefs(Object.fromEntries(wanted), { ...conversion, typeMode }),
    // `conversion` has made each enumeration a reference to itself.
    ...Object.fromEntries(
      enumerations.map(([name, { options }]): [string, JsonSchema] => [
        name,
        { type: 'string', enum: options },
      ]),
    ),
  };
}

/** Adds to a body its resource's read-only fields, which a client may send back. */
function addReadOnly(
  { body, readOnly = [], responses }: Endpoint,
  described: Schemas,
  contracts: Contracts,
): void {
  if (!body || readOnly.length === 0) return;
  const answers = Object.values(responses).map((answer) => nameOf(answer, contracts));
  const resources = [...reachable(described, answers)]
    .map((name) => new Map(fieldsOf(described[name])))
    .filter((fields) => readOnly.every((field) => fields.has(field)));
  const [resource, ...others] = resources;
  if (!resource) throw new Error(`No part of the answer has ${readOnly.join(', ')}, which the body accepts`);
  for (const name of optionsOf(nameOf(body, contracts), described)) {
    const { properties = {} } = described[name] ?? {};
    for (const field of readOnly) {
      const part = resource.get(field) ?? {};
      const isOne = others.every((other) => isDeepStrictEqual(other.get(field), part));
      // Only the type, if the options of a union describe the field differently.
      properties[field] = { ...(isOne ? part : typeOf(part, described)), readOnly: true };
    }
  }
}

function typeOf({ type, $ref = '' }: JsonSchema, described: Schemas): JsonSchema {
  const found = type ?? described[$ref.slice(prefix.length)]?.type;
  return found === undefined ? {} : { type: found };
}

/** Names of a union's options. A schema that is not a union is its own only option. */
function optionsOf(name: string, described: Schemas): string[] {
  const { oneOf } = described[name] ?? {};
  return oneOf ? referencesIn(oneOf) : [name];
}

/**
 * Adds the descriptions of a schema and its fields. These descriptions stand before the description in a
 * field's own schema.
 */
function addDescriptions(name: string, schema: JsonSchema, { descriptions }: Contracts): void {
  const is = descriptions[name]?.is;
  if (is !== undefined) schema.description = is;
  for (const [field, part] of fieldsOf(schema)) {
    const sentences = [descriptionOf(name, field, descriptions), part.description].filter(
      (text) => text !== undefined,
    );
    if (sentences.length > 0) part.description = [...new Set(sentences)].join('. ');
  }
}

function descriptionOf(
  name: string,
  field: string,
  descriptions: Contracts['descriptions'],
): string | undefined {
  const { fields = {}, like } = descriptions[name] ?? {};
  return (
    fields[field] ?? (like === undefined ? commonFields[field] : descriptionOf(like, field, descriptions))
  );
}

const fieldsOf = ({ properties = {} }: JsonSchema = {}): [string, JsonSchema][] =>
  Object.entries(properties).flatMap(([name, schema]) =>
    typeof schema === 'object' ? [[name, schema]] : [],
  );

/** The schemas of these names, and all that they refer to. */
function reachable(described: Schemas, names: string[], found = new Set<string>()): Set<string> {
  for (const name of names) {
    if (found.has(name)) continue;
    found.add(name);
    reachable(described, referencesIn(described[name] ?? {}), found);
  }
  return found;
}

const referencesIn = (part: object): string[] =>
  [...JSON.stringify(part).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].flatMap(
    ([, name]) => name ?? [],
  );

function loosen(schema: object): void {
  if ('additionalProperties' in schema && schema.additionalProperties === false) {
    delete schema.additionalProperties;
  }
  for (const part of Object.values(schema)) if (isObject(part)) loosen(part);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
