import { ok } from '../../shared/contract/endpoint.ts';
import { listEventsEndpoint } from '../../shared/contract/event-feed.ts';
import { listEvents } from '../../shared/domain/feed/list-events.ts';
import { withRecords } from '../../shared/domain/feed/with-records.ts';
import { etagOf } from '../../shared/http/entity-tags.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/outside/table.ts';

export const handler = serve(listEventsEndpoint, async ({ query, principal, isAllowed }) => {
  const page = await listEvents(ledgerOf(principal), query, isAllowed);
  if (!query.include) return ok(page);
  const exact = ledgerOf(principal, { isSerializable: true });
  return ok(await withRecords(exact, page, (record) => etagOf(principal, record)));
});
