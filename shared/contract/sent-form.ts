import { storable } from '../core/readable.ts';

/** Field of a form as it was sent. In JSON its name is a path, such as `answers.0.text`. */
export interface SentField {
  name: string;
  value: string;
  /** True for a file. Files are not kept, and the value says so. */
  isFile?: true;
}

/** Field with texts that can be stored. */
export const sentField = (name: string, value: string): SentField => ({
  name: storable(name),
  value: storable(value),
});

/** Fields of a form in the order of the request. A name can come several times. No value is empty. */
export interface SentFields {
  fields: SentField[];
  /** Number of further fields, which were not read. */
  unread: number;
}

/** Form as it was sent. */
export interface SentForm extends SentFields {
  /**
   * Site that the form was sent from, such as `https://a.example`; undefined if the request does not say it.
   */
  site: string | undefined;
  /** Number of the token that the form was sent with; 0 if it is not known. */
  keyId: number;
}

/** Maximum number of fields that are read. */
export const maxRead = 5000;
