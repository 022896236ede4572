import { ok } from '../../shared/contract/endpoint.ts';
import { listEventsEndpoint } from '../../shared/contract/event-feed.ts';
import { listEvents } from '../../shared/domain/feed/list-events.ts';
import { withRecords } from '../../shared/domain/feed/with-records.ts';
import { serve } from '../../shared/http/serve.ts';
import { ledgerOf } from '../../shared/http/table.ts';

export const handler = serve(listEventsEndpoint, async ({ query, caller, isAllowed }) => {
  const page = await listEvents(ledgerOf(caller), query, isAllowed);
  return ok(query.include ? await withRecords(ledgerOf(caller, { isSerializable: true }), page) : page);
});
