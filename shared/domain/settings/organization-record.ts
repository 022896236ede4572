import * as v from 'valibot';
import { Organization } from '../../contract/organization-settings.ts';
import type { Collection, RecordOf, RecordRef } from '../../ledger/index.ts';

/** A phone number of an organization, in E.164, and its ARN at the SMS provider. */
export const PhoneNumber = v.object({ number: v.string(), arn: v.string() });
export type PhoneNumber = v.InferOutput<typeof PhoneNumber>;

/**
 * The organization's own record, number 1. Its country is in the head, because writes need the country, and its time
 * zone is in the pipeline.
 */
export const organizations = {
  name: 'ORGANIZATION',
  label: 'organization',
  schema: v.object({
    ...v.omit(Organization, ['country', 'timeZone']).entries,
    /** Phone numbers that get and send its SMS. The first one sends, unless a thread has another. */
    numbers: v.array(PhoneNumber),
    createdAt: v.string(),
  }),
  isConfiguration: true,
} as const satisfies Collection;

export type OrganizationRecord = RecordOf<typeof organizations>;

/** Key of the organization's own record. */
export const organizationRef: RecordRef<typeof organizations> = { collection: organizations, number: 1 };
