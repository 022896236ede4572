import { pathParameters, type Endpoint } from '../../shared/contract/endpoint.ts';
import type { Operation } from '../functions.ts';

/** Name of an id in paths, and the runtime expression of OpenAPI that finds it. */
type Id = readonly [name: string, expression: string];

/**
 * Links of an operation's success: the other operations that take an id of the answer in their path. Further
 * ids in such a path come from the request. The ids of the answer come from the example. An id that is null
 * there is left out, because an answer may lack it.
 */
export function describeLinks({ path, method, example }: Endpoint, operations: readonly Operation[]): object {
  const own = pathParameters(path);
  const inAnswer = new Map(idsIn(example.response, own.at(-1)).toReversed());
  const inRequest = own.map((name): Id => [name, `$request.path.${name}`]);
  const known = new Map([...inRequest, ...inAnswer]);
  const links = operations.flatMap(({ operationId, endpoint: { extension, ...target } }) => {
    const names = pathParameters(target.path);
    const isLinked = names.some((name) => inAnswer.has(name)) && names.every((name) => known.has(name));
    if (!isLinked || (target.path === path && target.method === method)) return [];
    const parameters = Object.fromEntries(names.map((name) => [name, known.get(name)]));
    return [[operationId, { operationId, parameters, ...(extension && { 'x-extension': true }) }] as const];
  });
  return links.length === 0 ? {} : { links: Object.fromEntries(links) };
}

/**
 * Ids in an answer, without ids in lists: `leadId` for a field `leadId`, and for the `id` of `lead`. Outer
 * ids come first. `name` is the name of the answer's own `id`.
 */
function idsIn(answer: unknown, name: string | undefined, at = '$response.body#'): Id[] {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return [];
  const fields = Object.entries(answer).filter(([, value]) => value !== null);
  const own = fields.flatMap(([field]): Id[] => {
    if (field === 'id') return name === undefined ? [] : [[name, `${at}/id`]];
    return field.endsWith('Id') ? [[field, `${at}/${field}`]] : [];
  });
  return [...own, ...fields.flatMap(([field, value]) => idsIn(value, `${field}Id`, `${at}/${field}`))];
}
