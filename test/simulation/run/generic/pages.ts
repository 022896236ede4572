import type { Endpoint } from '../../../../shared/contract/endpoint.ts';
import { PageQuery } from '../../../../shared/contract/pagination.ts';
import { collectionOnPages } from '../contracts.ts';
import type { Window } from '../model/window.ts';
import { checkPage } from '../pages.ts';
import { asQuery, someNumber, somePage, type Planner } from '../planner.ts';
import { asShown } from '../records-at.ts';
import { only, shows, type Fields } from '../same.ts';

/** A page to read, and its check. */
export interface SomePage {
  query: Record<string, string>;
  /** @throws Violation */
  check: (answer: unknown, window: Window) => void;
}

/**
 * A page of a whole collection, or of a list. The members of the list have some fields in common with an existing
 * record, or with the path. A list that no kind of the collection has is not checked.
 */
export function somePageOf(planner: Planner, { path, query: schema }: Endpoint, ofPath: Fields): SomePage {
  const { draw, organization } = planner;
  const collection = collectionOnPages(path);
  const like =
    collection === undefined ? {} : (organization.record(collection, someNumber(planner, collection)) ?? {});
  const filters = Object.keys(schema?.entries ?? {}).filter((name) => !(name in PageQuery.entries));
  const listBy = (by: Fields) => collection && organization.rules.listBy(collection, { ...ofPath, ...by });
  const some = () => only(like, ...filters.filter((name) => name in like && draw.happens(0.4)));
  // Usually fields that a list has in common.
  const filter = [some(), some(), some()].find(listBy) ?? (draw.happens(0.1) ? some() : {});
  const isOfAll = Object.keys({ ...ofPath, ...filter }).length === 0;
  const [index, name] = listBy(filter) || [];
  const list =
    collection === undefined
      ? undefined
      : isOfAll
        ? organization.collection(collection)
        : index && name && organization.list(organization.partitionOf(index, collection, name));
  const query = somePage(planner, list?.count ?? 5);
  const texts = Object.entries(filter).map(([field, value]) => [field, String(value)] as const);
  return {
    query: { ...asQuery(query), ...Object.fromEntries(texts) },
    check: (answer, window) => {
      if (!list || collection === undefined) return;
      const [key = ''] = Object.entries(answer as Fields).find(([, value]) => Array.isArray(value)) ?? [];
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
