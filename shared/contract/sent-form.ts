import { storable } from '../core/readable.ts';

/** Field of a form, as in the request. In JSON its name is a path, such as `answers.0.text`. */
export interface SentField {
  name: string;
  value: string;
  /** True for a file. Files are not kept, and the value says so. */
  isFile?: true;
}

/** Makes a field of a name and a value, without the characters that cannot be stored. */
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

/** Form, as in the request. */
export interface SentForm extends SentFields {
  /** Site that the form was sent from, such as `https://a.example`. Undefined if the request names no site. */
  site: string | undefined;
  /** Number of the token that the form was sent with; 0 if the token is unknown. */
  keyId: number;
}

/** Maximum number of fields that are read from a form. */
export const maxRead = 5000;
