import type { Endpoint } from '../../../../shared/contract/endpoint.ts';
import { collectionLabelled } from '../contracts.ts';
import { mustKnow } from '../key-check.ts';
import type { Window } from '../model/window.ts';
import type { CompletedProgress } from '../plan.ts';
import { recordAt } from '../records-at.ts';
import { same, shows, type Fields } from '../same.ts';
import { Violation } from '../violation.ts';

const rule = 'The result of each batch item must report what was stored';

/** True for the result of a batch item if something of the item may have been stored. */
const isOpen = ({ status, code, message }: Fields): boolean =>
  status === 'ok' ||
  (code === 'INTERNAL_ERROR' && !/nothing of (it|this item) was changed/.test(String(message)));

/**
 * Checks the answer to a batch. The answer has a result for each item, and shows each record in a state of the window.
 * No item is reported as unchanged if this request, or a request with its key, has stored the item. @throws Violation
 */
export function checkBatch(
  batch: NonNullable<Endpoint['batch']>,
  { items, answer }: { items: readonly unknown[]; answer: Fields },
  window: Window,
  { made, kept }: CompletedProgress,
): void {
  const { organization } = window;
  const collection = collectionLabelled(batch.in) ?? '';
  const results = answer[batch.results] as Fields[];
  const succeeded = results.filter(({ status }) => status === 'ok').length;
  const summary = { total: items.length, succeeded, failed: items.length - succeeded };
  if (results.length !== items.length || !same(answer['summary'], summary))
    throw new Violation('A batch must have a result for each item, and count them', summary, answer);
  const shown = results.map((result) => result[batch.in] as Fields | undefined);
  const stored = made.flatMap(({ response }) => (response as { stored: unknown[] }).stored);
  const isReported = (id: unknown) => shown.some((record) => record?.['id'] === id);
  const isAnyOpen = results.some((result) => result['status'] !== 'ok' && isOpen(result));
  if (!isAnyOpen && !stored.every(isReported)) throw new Violation(rule, stored, answer);
  for (const [at, result] of results.entries()) {
    const record = kept?.records.find((one) => one.startsWith(`${at}:`));
    const commit = record && kept?.made.find(({ version }) => record.endsWith(`@${version}`));
    if (commit && mustKnow(commit, made, window) && !isOpen(result))
      throw new Violation('A batch item reported as unchanged must have stored nothing', record, result);
    const one = result[batch.in] as Fields | undefined;
    // A repeat has only the id of a record that has changed since, or is gone.
    if (!one || (record && same(one, { id: one['id'] }))) continue;
    const number = organization.numberOf(collection, one['id']);
    const states = window
      .spans(collection, number)
      .map(({ from, fields }) => recordAt(organization, from, { collection, number }) ?? fields);
    if (!states.some((state) => shows(state, one))) throw new Violation(rule, states, result);
  }
}
