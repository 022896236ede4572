import type { SentField } from '../../contract/sent-form.ts';
import { fieldsInJson } from '../forms/flatten-json.ts';

/** Values in a part of an event, each by its path there: what an analysis has found out. Empty ones are left out. */
export const findingsIn = (part: unknown): SentField[] =>
  typeof part === 'object' && part !== null ? (fieldsInJson(JSON.stringify(part))?.fields ?? []) : [];
