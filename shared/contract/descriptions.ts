/**
 * OpenAPI descriptions of a schema and its fields. The schema itself does not have the descriptions: they would add to
 * every function's bundle, and slow down every parse.
 */
export interface SchemaDescription {
  is: string;
  /** The schema that describes all other fields. */
  like?: string;
  fields?: Record<string, string>;
}

/**
 * Descriptions by the exported names of the schemas. Each contract file exports the descriptions of its schemas as
 * `descriptions`.
 */
export type Descriptions = Record<string, SchemaDescription>;

/** Descriptions of fields that many schemas have. A schema's own description of a field wins. */
export const commonFields: Record<string, string> = {
  id: 'Its id',
  createdAt: 'When it was created',
  updatedAt: 'When it was last changed',
  isActive: 'Whether it is in use',
  totalPages: 'How many pages there are; 0 when there is nothing',
  currentPage: 'The page that this is, counted from 1',
  totalCount: 'How many records there are on all pages',
  nextAfter: 'The `after` of the next records; null at the end. A search has none',
};

/** Marks an addition to the core API: docs/reference/conventions.md, Extensions. */
export const extension = { 'x-extension': true } as const;

/** Phrase of a description: how the names that must be unique are compared. */
export const inAnySpelling = 'in any case, and with any apostrophes, dashes and spaces';
