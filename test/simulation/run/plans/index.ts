import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findContracts, type Operation } from '../../../../infra/functions.ts';
import { type Endpoint, type Schema } from '../../../../shared/contract/endpoint.ts';
import { PageQuery } from '../../../../shared/contract/pagination.ts';
import type { Draw } from '../draw.ts';
import { prefixes } from '../model/ids.ts';
import { notFound } from '../model/refusal.ts';
import { listByState, listOf } from '../pages.ts';
import type { Plan, WeightedPlan } from '../plan.ts';
import { someId, someIfNoneMatch, someNumber, type Planner } from '../planner.ts';
import { named } from './records.ts';

const { operations, schemas } = await findContracts();

/** Plans of clients and operators with their usual weights: the `plans` of every file of this folder. */
const written: readonly WeightedPlan[] = (
  await Promise.all(
    globSync('*.ts', { cwd: import.meta.dirname })
      .sort()
      .filter((file) => file !== 'index.ts')
      .map(async (file) => {
        const module = (await import(pathToFileURL(join(import.meta.dirname, file)).href)) as {
          plans?: readonly WeightedPlan[];
        };
        return module.plans ?? [];
      }),
  )
).flat();

/**
 * Plans of the endpoints that read one record by id, or a page of a whole collection. Their contracts contain
 * all that the model needs: the record `faq` of the schema `Faq` belongs to the collection `FAQ` and is shown
 * as stored.
 */
const plainReads: readonly WeightedPlan[] = operations.flatMap((operation): WeightedPlan[] => {
  const makeOne = planOfRead(operation) ?? planOfPage(operation);
  return makeOne ? [[named(operation.operationId, makeOne), 2]] : [];
});

const areWritten = new Set(written.map(([make]) => make.name));
const all = [...written, ...plainReads.filter(([make]) => !areWritten.has(make.name))];
/** Names of all plans. */
export const planNames: readonly string[] = all.map(([make]) => make.name);
checkAllPlanned();

/** @throws Error for an endpoint without a plan of its name: the simulation would never call it */
function checkAllPlanned(): void {
  for (const { operationId, endpoint, entry } of operations) {
    if (planNames.includes(operationId) || endpoint.access === 'none') continue;
    const [, subject] = entry.split('/');
    throw new Error(
      `The endpoint ${operationId} has no plan: add a function ${operationId} to test/simulation/run/plans/${subject}.ts`,
    );
  }
}

/** Plans of one episode, with random changes of their weights. */
export const someMix = (draw: Draw, frequent: readonly string[]): readonly WeightedPlan[] =>
  all.map(([make, weight]) => {
    const often = draw.pick([0.1, 0.5, 1, 1, 2, 6]);
    return [make, weight * (frequent.includes(make.name) ? 10 : often)] as const;
  });

type MakePlan = WeightedPlan[0];

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

/**
 * Makes plans for a read of a page of a whole collection, or of the records that are in use or not; undefined for
 * any other endpoint.
 */
function planOfPage({ operationId, endpoint }: Operation): MakePlan | undefined {
  const { query, params } = endpoint;
  if (!query || !('page' in query.entries) || Object.keys(params).length > 0) return undefined;
  const [flag, ...others] = Object.keys(query.entries).filter((name) => !(name in PageQuery.entries));
  if ((flag !== undefined && !['isActive', 'isEnabled'].includes(flag)) || others.length > 0)
    return undefined;
  for (const [key, field] of Object.entries(fieldsOf(endpoint))) {
    const collection = 'item' in field ? collectionOf(field.item) : undefined;
    if (collection === undefined) continue;
    return (planner) =>
      flag !== undefined && planner.draw.happens(0.5)
        ? listByState(planner, operationId, { collection, key, flag })
        : listOf(planner, operationId, { collection, key });
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
  if (prefixes[collection] === undefined) {
    const number = someNumber(planner, collection);
    return { id: number, number };
  }
  const id = someId(planner, collection);
  return { id, number: planner.organization.numberOf(collection, id) };
}
