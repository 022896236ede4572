import * as v from 'valibot';
import { NewLead } from '../../contract/leads.ts';

/**
 * A new lead that an operator imports. Like a lead from an inquiry, it may have no name. In addition to a client's
 * fields, it can be marked as read. An `importKey` identifies its line if it has no email, phone number or `externalId`.
 */
export const ImportedLead = v.strictObject({
  ...NewLead.entries,
  read: v.optional(v.boolean()),
  importKey: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(100))),
});
export type ImportedLead = v.InferOutput<typeof ImportedLead>;
