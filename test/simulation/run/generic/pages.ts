import type { Endpoint } from '../../../../shared/contract/endpoint.ts';
import { PageQuery } from '../../../../shared/contract/pagination.ts';
import { collectionOnPages } from '../contracts.ts';
import type { Window } from '../model/window.ts';
import { checkPage } from '../pages.ts';
import { asQuery, someNumber, somePage, type Planner } from '../planner.ts';
import { asShown } from '../records-at.ts';
import { only, shows, type Fields } from '../same.ts';
import { Walk } from './walk.ts';

/** A page to read, and its check. */
export interface SomePage {
  query: Record<string, string>;
  /** Set if the page is the first step of a walk. Each step changes the query. */
  walk?: Walk;
  /** @throws Violation */
  check: (answer: unknown, window: Window) => void;
}

/** Probability that a client walks through a list. */
const walking = 0.15;

/**
 * A page of a whole collection, or of a list. The members of the list have some fields in common with an existing
 * record, or with the path. A list that no kind of the collection has is not checked.
 */
export function somePageOf(planner: Planner, { path, query: schema }: Endpoint, ofPath: Fields): SomePage {
  const { draw, organization } = planner;
  const collection = collectionOnPages(path);
  const like =
    collection === undefined ? {} : (organization.record(collection, someNumber(planner, collection)) ?? {});
  const fields = Object.keys(schema?.entries ?? {}).filter((name) => !(name in PageQuery.entries));
  const listBy = (by: Fields) => collection && organization.rules.listBy(collection, { ...ofPath, ...by });
  const some = () => only(like, ...fields.filter((name) => name in like && draw.happens(0.4)));
  // Usually fields that a list has in common.
  const walks = 'after' in (schema?.entries ?? {}) && draw.happens(walking);
  const tries = Array.from({ length: walks ? 8 : 3 }, some);
  // A walk is usually through a list whose members come back.
  const wanted = (by: Fields) => listBy(by) && (!walks || Object.keys(by).length > 0);
  const filter = tries.find(wanted) ?? (!walks && draw.happens(0.1) ? some() : {});
  const isOfAll = Object.keys({ ...ofPath, ...filter }).length === 0;
  const [index, name] = listBy(filter) || [];
  const list =
    collection === undefined
      ? undefined
      : isOfAll
        ? organization.collection(collection)
        : index && name && organization.list(organization.partitionOf(index, collection, name));
  const query = somePage(planner, list?.count ?? 5);
  const filters = Object.fromEntries(Object.entries(filter).map(([field, value]) => [field, String(value)]));
  const walk =
    walks && list && collection !== undefined ? new Walk(planner, { list, collection, filters }) : undefined;
  return {
    query: walk?.query ?? { ...asQuery(query), ...filters },
    ...(walk && { walk }),
    check: (answer, window) => {
      if (!list || collection === undefined) return;
      const [key = ''] = Object.entries(answer as Fields).find(([, value]) => Array.isArray(value)) ?? [];
      if (walk) {
        const { [key]: items, nextAfter } = answer as Fields;
        walk.check(items as Fields[], nextAfter, window);
        return;
      }
      checkPage(answer, window, {
        list,
        collection,
        key,
        query,
        fromIndex: !isOfAll,
        hasAnyOrder: true,
        states: () => (isOfAll ? window.statesByHead(list) : window.statesOwned(list, name?.owner)),
        shows: (fields, item) => shows(asShown(collection, fields), item),
      });
    },
  };
}
