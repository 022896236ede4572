import { expect, test } from 'vitest';
import { readReleased } from '../../../infra/release/released.ts';
import { describeApi, nameOf, type Content, type Description, type Schema } from './description.ts';

function typeOf(schema: Schema): string {
  const { $ref, const: constant, anyOf, items, type = '', format = '' } = schema;
  if ($ref !== undefined) return nameOf(schema);
  if (constant !== undefined) return JSON.stringify(constant);
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  return items ? `array of ${typeOf(items)}` : `${[type].flat().join()} ${format}`.trim();
}

/**
 * Parts of the core API, one line each: its operations, parameters and statuses, and the fields of its bodies
 * and responses.
 */
function coreOf({ paths, components }: Description): string[] {
  const lines = new Set<string>();
  const addSchema = (name: string) => {
    const schema = components.schemas[name];
    if (!schema || lines.has(name)) return;
    lines.add(name);
    const { properties = {}, required = [], oneOf = [] } = schema;
    for (const [field, part] of Object.entries(properties)) {
      if (part['x-extension']) continue;
      lines.add(`${name}.${field}${required.includes(field) ? '' : '?'}: ${typeOf(part)}`);
      for (const inner of [part, part.items, ...(part.anyOf ?? [])]) if (inner) addSchema(nameOf(inner));
    }
    for (const option of oneOf) addSchema(nameOf(option));
  };
  const add = (what: string, content: Content = {}) => {
    const schema = content['application/json']?.schema ?? {};
    lines.add(`${what}: ${nameOf(schema)}`);
    addSchema(nameOf(schema));
  };
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { parameters, requestBody, responses, ...operation }] of Object.entries(methods)) {
      if (operation['x-extension']) continue;
      const request = `${method.toUpperCase()} ${path}`;
      add(`${request} takes`, requestBody?.content);
      for (const { name, schema, ...parameter } of parameters) {
        if (parameter['x-extension'] ?? schema['x-extension']) continue;
        lines.add(`${request} ${parameter.in} ${name}: ${typeOf(schema)}`);
      }
      for (const [status, answer] of Object.entries(responses)) {
        const { content, ...response } = components.responses[nameOf(answer)] ?? answer;
        if (content && !response['x-extension']) add(`${request} ${status}`, content);
      }
    }
  }
  return [...lines];
}

/** Fields of bodies of the core API that a client may now leave out, or clear by null. */
const relaxed = ['NewSms.userId: string', 'TransferChanges.name: string'];
const isRelaxed = (line: string) => relaxed.includes(line.replace('?:', ':').replace(/(?:,| or )null$/, ''));

test('every part that the last release lacks is marked as an extension, so the core API stays as it is', async () => {
  const released = coreOf(readReleased() as unknown as Description);
  const now = coreOf(await describeApi());
  expect(released.length).toBeGreaterThan(300);
  const added = now.filter((line) => !released.includes(line) && !isRelaxed(line));
  const removed = released.filter((line) => !now.includes(line) && !isRelaxed(line));
  expect(added, 'mark these as extensions in shared/contract').toEqual([]);
  expect(removed).toEqual([]);
});
