/** A field of a form as it was sent; in JSON its name is a path, such as `answers.0.text`. */
export interface SentField {
  name: string;
  value: string;
  /** Whether it was a file, which is not kept: the value says so. */
  isFile?: true;
}

/** The fields of a form in the order in which they came: a name can come several times, and none is empty. */
export interface SentFields {
  fields: SentField[];
  /** How many more there were, which were not read. */
  unread: number;
}

/** A form as it was sent. */
export interface SentForm extends SentFields {
  /** The site that it was sent from, such as `https://a.example`; undefined where none is told. */
  site: string | undefined;
  /** The number of the token that it was sent with, its key; 0 where that is not known. */
  keyId: number;
}

/** How many fields of a form are read. */
export const maxRead = 5000;
