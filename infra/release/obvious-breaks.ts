type Json = Readonly<Record<string, unknown>>;
type Direction = 'request' | 'response';

/**
 * Finds the changes that break clients and happen by mistake: something is removed (an operation, a parameter, a field, a
 * value of an enumeration, the name of a schema), or a request needs more than before, or a response has less.
 *
 * The complete comparison is that of oasdiff (`compare-api.ts`), which needs Go.
 */
export function findObviousBreaks(before: Json, after: Json): string[] {
  const comparison = new Comparison(before, after);
  const operations = operationsOf(after);
  for (const [route, old] of operationsOf(before)) {
    const now = operations.get(route);
    if (now) comparison.compareOperations(route, old, now);
    else comparison.breaks.push(`${route} is removed: keep it.`);
  }
  for (const name of Object.keys(schemasOf(before)).filter((each) => !(each in schemasOf(after))))
    comparison.breaks.push(
      `the schema ${name} is removed: keep its name, which generated clients have a type for.`,
    );
  return comparison.breaks;
}

class Comparison {
  readonly breaks: string[] = [];
  readonly #before: Json;
  readonly #after: Json;
  readonly #compared = new Set<string>();

  constructor(before: Json, after: Json) {
    this.#before = before;
    this.#after = after;
  }

  compareOperations(route: string, old: Json, now: Json): void {
    const name = String(old['operationId']);
    if (now['operationId'] !== name)
      this.breaks.push(`${route}: keep the operationId ${name}, which generated clients call.`);
    this.#compare(name, 'request', requestOf(this.#before, old), requestOf(this.#after, now));
    this.#compare(name, 'response', responseOf(this.#before, old), responseOf(this.#after, now));
  }

  /** Compares two schemas: alternative by alternative if they have any. */
  #compare(within: string, direction: Direction, before: unknown, after: unknown): void {
    const [reference, other] = [objectOf(before)['$ref'], objectOf(after)['$ref']];
    const pair = `${direction} ${String(reference)} ${String(other)}`;
    if (reference !== undefined && other !== undefined && this.#compared.has(pair)) return;
    this.#compared.add(pair);
    const place = reference === undefined ? within : nameOf(reference);
    const [old, now] = [followReference(this.#before, before), followReference(this.#after, after)];
    const [was, is] = [alternativesOf(old), alternativesOf(now)];
    if (was.length + is.length === 0) {
      this.#compareRules(place, direction, old, now);
      return;
    }
    for (const [at, alternative] of (was.length > 0 ? was : [before]).entries()) {
      const { $ref } = objectOf(alternative);
      const match = (is.length > 0 ? is : [after]).find((each, i) =>
        $ref === undefined ? i === at : objectOf(each)['$ref'] === $ref,
      );
      if (match !== undefined) this.#compare(place, direction, alternative, match);
      else if ($ref !== undefined)
        this.breaks.push(`${place} of a ${direction} can no longer be ${nameOf($ref)}: keep that.`);
    }
  }

  #compareRules(place: string, direction: Direction, old: Json, now: Json): void {
    const [values, fields] = [valuesOf(now), objectOf(now['properties'])];
    for (const value of values ? (valuesOf(old) ?? []) : [])
      if (!values?.includes(value))
        this.breaks.push(`${place} of a ${direction} can no longer be ${JSON.stringify(value)}: keep that.`);
    for (const [name, field] of Object.entries(objectOf(old['properties']))) {
      if (name in fields) this.#compare(`${place}.${name}`, direction, field, fields[name]);
      else this.breaks.push(`${place}.${name} is removed from a ${direction}: keep it.`);
    }
    for (const key of ['items', 'additionalProperties'])
      if (key in old && key in now) this.#compare(`${place}[]`, direction, old[key], now[key]);
    const [was, is] = [listOf(old['required']).map(String), listOf(now['required']).map(String)];
    // Nobody sends a read-only field, so no request has to have it.
    const isSent = (name: string) => direction === 'request' && objectOf(fields[name])['readOnly'] !== true;
    for (const name of is.filter((each) => isSent(each) && !was.includes(each)))
      this.breaks.push(`${place}.${name} is required in a request: make it optional.`);
    for (const name of direction === 'response' ? was : [])
      if (name in fields && !is.includes(name))
        this.breaks.push(`${place}.${name} can be missing from a response: make it required.`);
  }
}

/** The operations by method and path. */
const operationsOf = ({ paths }: Json): Map<string, Json> =>
  new Map(
    Object.entries(objectOf(paths)).flatMap(([path, item]) =>
      Object.entries(objectOf(item)).map(([method, operation]): [string, Json] => [
        `${method.toUpperCase()} ${path}`,
        objectOf(operation),
      ]),
    ),
  );

/** The parameters and the bodies of an operation, as the schema of an object. */
function requestOf(description: Json, { parameters, requestBody }: Json): Json {
  const parts = listOf(parameters).map((parameter) => {
    const { name, in: where, schema, required } = followReference(description, parameter);
    return { name: `${String(name)} (${String(where)})`, schema, required };
  });
  const { content, required } = objectOf(requestBody);
  for (const [type, { schema }] of contentsOf(content))
    parts.push({ name: `body (${type})`, schema, required });
  return objectSchema(parts);
}

/** The bodies of an operation's successful answers, as the schema of an object. */
function responseOf(description: Json, { responses }: Json): Json {
  const successes = Object.entries(objectOf(responses)).filter(([status]) => status.startsWith('2'));
  const parts = successes.flatMap(([status, response]) => [
    { name: status, schema: {}, required: true },
    ...contentsOf(followReference(description, response)['content']).map(([type, { schema }]) => {
      return { name: `${status} (${type})`, schema, required: true };
    }),
  ]);
  return objectSchema(parts);
}

const objectSchema = (parts: { name: string; schema: unknown; required: unknown }[]): Json => ({
  properties: Object.fromEntries(parts.map(({ name, schema }) => [name, schema])),
  required: parts.filter(({ required }) => required === true).map(({ name }) => name),
});
const contentsOf = (content: unknown) =>
  Object.entries(objectOf(content)).map(([type, each]): [string, Json] => [type, objectOf(each)]);
const schemasOf = ({ components }: Json): Json => objectOf(objectOf(components)['schemas']);

function followReference(description: Json, part: unknown): Json {
  const { $ref } = objectOf(part);
  if (typeof $ref !== 'string') return objectOf(part);
  const keys = $ref.replace('#/', '').split('/');
  const target = keys.reduce<unknown>((at, key) => objectOf(at)[key], description);
  return followReference(description, target);
}

const alternativesOf = ({ anyOf, oneOf }: Json) => listOf(anyOf ?? oneOf);
const valuesOf = (schema: Json) =>
  'const' in schema ? [schema['const']] : 'enum' in schema ? listOf(schema['enum']) : undefined;
const nameOf = (reference: unknown) => String(reference).replace(/^.*\//, '');
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
