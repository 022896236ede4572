import { findContracts, type Operation } from '../../../../infra/functions.ts';
import { type Endpoint, type Schema } from '../../../../shared/contract/endpoint.ts';
import { PageQuery } from '../../../../shared/contract/pagination.ts';
import { someIfNoneMatch } from '../conditions.ts';
import { numberIn, prefixes } from '../model/ids.ts';
import { notFound } from '../model/refusal.ts';
import type { Plan, WeightedPlan } from '../plan.ts';
import { someId, someNumber, type Planner } from '../planner.ts';
import { listOf } from './leads.ts';

const { operations, schemas } = await findContracts();

/**
 * Plans of the endpoints that read one record by id, or a page of a whole collection. Their contracts contain
 * all that the model needs: the record `faq` of the schema `Faq` belongs to the collection `FAQ` and is shown
 * as stored.
 */
export const plainReads: readonly WeightedPlan[] = operations.flatMap((operation): WeightedPlan[] => {
  const makeOne = planOfRead(operation) ?? planOfPage(operation);
  return makeOne ? [[named(operation.operationId, makeOne), 2]] : [];
});

type MakePlan = WeightedPlan[0];

/** Names a function after its operation, as handwritten plans are. */
function named(name: string, make: MakePlan): MakePlan {
  return Object.defineProperty(make, 'name', { value: name });
}

/** Makes plans for a read of one record; undefined for any other endpoint. */
function planOfRead({ operationId, endpoint }: Operation): MakePlan | undefined {
  const { method, record, query, related } = endpoint;
  const field = record?.in;
  const collection = collectionOf(fieldsOf(endpoint)[field ?? '']);
  const [path, ...others] = Object.entries(endpoint.params);
  const isPlain = method === 'GET' && !query && !related && others.length === 0;
  if (!isPlain || !path || field === undefined || collection === undefined) return undefined;
  const [param, { label }] = path;
  return (planner): Plan => {
    const { organization } = planner;
    const { id, number } = someRecord(planner, collection);
    const { headers, tags } = someIfNoneMatch(planner, field, id);
    return {
      operation: operationId,
      organization,
      call: { endpoint: operationId, params: { [param]: String(id) }, headers },
      ifNoneMatch: tags,
      unchanged: (window) => window.present(collection, number).map((one) => ({ [field]: one })),
      refusals: (window) => (window.canMiss(collection, number) ? [notFound(label)] : []),
    };
  };
}

/** Makes plans for a read of a page of a whole collection; undefined for any other endpoint. */
function planOfPage({ operationId, endpoint }: Operation): MakePlan | undefined {
  const { query, params } = endpoint;
  if (query !== PageQuery || Object.keys(params).length > 0) return undefined;
  for (const [key, field] of Object.entries(fieldsOf(endpoint))) {
    const collection = 'item' in field ? collectionOf(field.item) : undefined;
    if (collection !== undefined) return (planner) => listOf(planner, operationId, { collection, key });
  }
  return undefined;
}

/** Schemas of an endpoint's response, by field name. */
function fieldsOf({ responses }: Endpoint): Record<string, Schema> {
  const answer = responses[200];
  return answer && 'entries' in answer ? (answer.entries as Record<string, Schema>) : {};
}

/** Name of the collection whose records a schema describes; undefined for a schema without a name. */
function collectionOf(schema: unknown): string | undefined {
  return Object.keys(schemas)
    .find((name) => schemas[name] === schema)
    ?.toUpperCase();
}

/** A record's id as clients send it, and its number: 0 for an id that no record can have. */
function someRecord(planner: Planner, collection: string): { id: string | number; number: number } {
  const prefix = prefixes[collection];
  if (prefix === undefined) {
    const number = someNumber(planner, collection);
    return { id: number, number };
  }
  const id = someId(planner, collection);
  return { id, number: numberIn(id, prefix, planner.organization.code) };
}
