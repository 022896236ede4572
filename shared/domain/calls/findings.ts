import type { SentField } from '../../contract/sent-form.ts';
import { fieldsInJson } from '../forms/flatten-json.ts';

/**
 * Findings of an analysis: the values in a part of an event, each named by its path there. Empty values are left out.
 */
export const findingsIn = (part: unknown): SentField[] =>
  typeof part === 'object' && part !== null ? (fieldsInJson(JSON.stringify(part))?.fields ?? []) : [];
