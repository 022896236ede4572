import { recordTypes, type RecordType } from '../../shared/contract/events.ts';
import type { ApiClient } from './api-client.ts';

/** A record as its own GET answers it, with its `ETag`. `record` is what is known of it. */
export async function recordAlone(
  api: ApiClient,
  { type, id, record }: { type: RecordType; id: string | number; record: Record<string, unknown> },
): Promise<{ record: unknown; etag: string | null }> {
  const { body, headers } = await api.send('GET', pathOf(type, id, record));
  return { record: (body as Record<string, unknown>)[type] ?? body, etag: headers.get('etag') };
}

function pathOf(type: RecordType, id: string | number, { companyId }: Record<string, unknown>): string {
  if (type === 'organization') return '/v1/organization';
  if (type === 'member' || type === 'invitation') return `/v1/organization/${type}s/${id}`;
  if (type === 'note') return `/v1/companies/${String(companyId)}/notes/${id}`;
  const [subject] = recordTypes[type].split(':');
  return `/v1/${subject}/${id}`;
}
