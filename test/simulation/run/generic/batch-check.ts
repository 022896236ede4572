import type { Endpoint } from '../../../../shared/contract/endpoint.ts';
import { collectionLabelled } from '../contracts.ts';
import { mustKnow } from '../key-check.ts';
import type { Window } from '../model/window.ts';
import type { CompletedProgress } from '../plan.ts';
import { same, shows, type Fields } from '../same.ts';
import { Violation } from '../violation.ts';

/** True for the result of an item that promises that nothing of the item was stored. */
const promisesNothing = ({ status, message }: Fields): boolean =>
  status === 'error' && /nothing of (it|this item) was changed/.test(String(message));

/**
 * Checks the answer to a batch: it has a result for each item, shows each record as it was in the window, and reports no item as
 * unchanged that this request or one with its key has stored. @throws Violation
 */
export function checkBatch(
  batch: NonNullable<Endpoint['batch']>,
  { body, answer }: { body: Fields; answer: Fields },
  window: Window,
  { made, kept }: CompletedProgress,
): void {
  const items = Object.values(body).find((value) => Array.isArray(value)) as unknown[];
  const results = answer[batch.results] as Fields[];
  const succeeded = results.filter(({ status }) => status === 'ok').length;
  const summary = { total: items.length, succeeded, failed: items.length - succeeded };
  if (results.length !== items.length || !same(answer['summary'], summary))
    throw new Violation('A batch must have a result for each item, and count them', summary, answer);
  const wasStored = (at: number) => {
    const record = kept?.records.find((one) => one.startsWith(`${at}:`));
    const commit = kept?.made.find(({ version }) => record?.endsWith(`@${version}`));
    return commit !== undefined && mustKnow(commit, made, window);
  };
  const unchanged = results.filter(promisesNothing);
  if (
    made.length > results.length - unchanged.length ||
    results.some((one, at) => promisesNothing(one) && wasStored(at))
  )
    throw new Violation('A batch item reported as unchanged must have stored nothing', kept?.records, answer);
  const { organization } = window;
  for (const [at, result] of results.entries()) {
    const shown = result[batch.in] as Fields | undefined;
    const collection = collectionLabelled(batch.in);
    // A repeat has only the id of a record that has changed since, or is gone.
    const isRepeat = kept?.records.some((one) => one.startsWith(`${at}:`)) ?? false;
    if (!shown || collection === undefined || (isRepeat && same(shown, { id: shown['id'] }))) continue;
    const values = window.present(collection, organization.numberOf(collection, shown['id']));
    if (!values.some((value) => shows(value, shown)))
      throw new Violation('The result of a batch item must show the record as it was then', values, result);
  }
}
