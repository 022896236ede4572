import type { Fields } from '../same.ts';

/** A field whose value no other live record may have. */
export interface UniqueField {
  field: string;
  /** The field of the record as it is stored, where that has another name. */
  stored?: string;
  /** The value, where it is not that of the field as it is. */
  value?: string;
  /** What a 409 says is taken. */
  sentence: string;
  /** Whether it is compared as it is, case and all: an id of another system. */
  isExact?: true;
  /** The number of the record within which it is unique, where it is not so in the whole organization. */
  within?: number;
}

/** What the model must know of collections beside what their plans say. */
export interface Rules {
  /** Whether the state of a list, given by its partition, is an item of its own. */
  hasOwnState: (list: string) => boolean;
  /** The fields of a record whose values no other live record may have (`docs/reference.md`, "Errors", 409). */
  uniquesOf: (collection: string, record: Fields) => readonly UniqueField[];
  /** The texts of a record by whose beginning it is found, the first in the first index of texts; an empty one is none. */
  searchableOf?: (collection: string, record: Fields) => readonly string[];
  /** Which worker a record waits for, and when it is due. */
  dueOf: (collection: string, record: Fields) => { worker: string; at: string } | undefined;
}

/** The service's own. */
export const serviceRules: Rules = {
  // There are as many tags as people think of.
  hasOwnState: (list) => /^ORG#\w+#INQUIRY#5#/.test(list),
  uniquesOf: (collection, record) => {
    const inCategory = (label: string) => {
      const sentence = `${label} has this name in the same category`;
      return [{ field: 'name', sentence, within: Number(record['tradeCategoryId']) }];
    };
    switch (collection) {
      case 'LEAD':
        return [
          ...['email', 'phone'].map((field) => ({ field, sentence: `lead has this ${field}` })),
          { field: 'importKey', sentence: 'lead has this importKey', isExact: true },
        ];
      case 'INQUIRY':
        // Keys are public: the ids that come by one are apart from all others.
        if (record['keyId'] !== undefined && record['externalId'] !== null) {
          const { keyId, digest, externalId } = record as Record<string, string>;
          const value = `${keyId}#${digest}#${externalId}`;
          const field = 'externalInquiryIdOfKey';
          return [{ field, value, sentence: `inquiry has this ${field}`, isExact: true }];
        }
        return [
          {
            field: 'externalInquiryId',
            stored: 'externalId',
            sentence: 'inquiry has this externalInquiryId',
            isExact: true,
          },
        ];
      case 'MESSAGE':
        return [{ field: 'providerId', sentence: 'message has this providerId', isExact: true }];
      case 'OPTOUT':
        return [{ field: 'numberHash', sentence: 'opt-out has this numberHash', isExact: true }];
      case 'TRANSFER':
        return [{ field: 'label', sentence: 'transfer has this label' }];
      case 'SERVICE':
        return inCategory('service');
      case 'PRODUCT':
        return inCategory('product');
      default:
        return [];
    }
  },
  searchableOf: (collection, record) =>
    collection === 'LEAD'
      ? ['firstName', 'lastName', 'businessName'].map((field) => String(record[field]))
      : [],
  // Of a text that is being sent nobody can tell any more an hour later.
  dueOf: (collection, { status, createdAt }) =>
    collection === 'MESSAGE' && status === 'SENDING'
      ? { worker: 'resolve-sending', at: new Date(Date.parse(createdAt as string) + 3_600_000).toISOString() }
      : undefined,
};

/** The partition of what is due for a worker in an organization. */
export const duePartition = (worker: string, code: string) => `DUE#${worker}#${code.charCodeAt(7) % 8}`;
