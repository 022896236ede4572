/** A part of an OpenAPI description that a test changes. What is looked up must be there. */
export interface Part {
  [key: string]: Part;
}

export const operationOf = (api: Part, operationId: string): Part => {
  const operations = Object.values(api['paths']!).flatMap((methods) => Object.values(methods));
  return there(
    operations.find((operation) => is(operation['operationId'], operationId)),
    operationId,
  );
};

export const parameterOf = (api: Part, operationId: string, name: string): Part => {
  const parameters = Object.values(operationOf(api, operationId)['parameters']!);
  return there(
    parameters.find((parameter) => is(parameter['name'], name)),
    name,
  );
};

export const schemaOf = (api: Part, name: string): Part => there(api['components']!['schemas']![name], name);

export const fieldOf = (api: Part, schema: string, field: string): Part =>
  there(schemaOf(api, schema)['properties']![field], field);

/** Adds or replaces keys. */
export const set = (part: Part, values: object) => Object.assign(part, values);

/** Removes a key, which must be there. */
export function drop(part: Part, key: string): boolean {
  there(part[key], key);
  return Reflect.deleteProperty(part, key);
}

/** Adds to a list such as `required` or `enum`. */
export const push = (list: Part | undefined, value: unknown) => listOf(list).push(value);

/** Adds to the start of a list. */
export const unshift = (list: Part | undefined, value: unknown) => listOf(list).unshift(value);

/** Removes a value from a list, which must be in it. */
export function pull(list: Part | undefined, value: unknown): unknown[] {
  const at = listOf(list).indexOf(value);
  if (at === -1) throw new Error(`There is no ${String(value)}`);
  return listOf(list).splice(at, 1);
}

export const pop = (list: Part | undefined) => listOf(list).pop();
export const reverse = (list: Part | undefined) => listOf(list).reverse();

export const reference = (schema: string) => ({ $ref: `#/components/schemas/${schema}` });

const listOf = (list: unknown) => list as unknown[];
const is = (part: unknown, text: string) => part === text;

function there(part: Part | undefined, name: string): Part {
  if (part === undefined) throw new Error(`The description has no ${name}`);
  return part;
}
