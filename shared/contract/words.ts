/**
 * What a schema of the API is, in words. Plain data beside the schemas, for the API's description alone: in the schemas, the words
 * would be in every function, and slow each read of a record.
 */
export interface SchemaWords {
  is: string;
  /** The schema whose words stand for fields that have none here. */
  like?: string;
  fields?: Record<string, string>;
}

/** By the names that the schemas are exported under. */
export type Words = Record<string, SchemaWords>;

/** What fields of these names are, where a schema does not say otherwise. */
export const commonFields: Record<string, string> = {
  id: 'Its id',
  createdAt: 'When it was created',
  updatedAt: 'When it was last changed',
  isActive: 'Whether it is in use',
  totalPages: 'How many pages there are; 0 when there is nothing',
  currentPage: 'The page that this is, counted from 1',
  totalCount: 'How many records there are on all pages',
};
