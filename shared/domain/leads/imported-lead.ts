import * as v from 'valibot';
import { NewLead } from '../../contract/leads.ts';

/**
 * A new lead that an operator imports: also whether a person has read about it, whether its phone number is to be opted out of SMS,
 * and, of a line that has neither an email nor a phone number, a key by which the line is known when it comes again. It needs no name:
 * a lead that came with an inquiry may have none.
 */
export const ImportedLead = v.strictObject({
  ...NewLead.entries,
  read: v.optional(v.boolean()),
  /** An import opts nobody in again, so it is true or absent; it means nothing without a phone number. */
  isOptedOut: v.optional(v.literal(true)),
  importKey: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(100))),
});
export type ImportedLead = v.InferOutput<typeof ImportedLead>;
