import { scopes } from '../../../../shared/contract/scopes.ts';
import type { Fields } from '../same.ts';
import { entriesOf } from './booked-days.ts';
import type { ListIndex } from './history.ts';
import { numberAtEnd } from './ids.ts';

/** A field whose value only one existing record may have. */
export interface UniqueField {
  field: string;
  /** Name of the field in the stored record, if it differs. */
  stored?: string;
  /** Value, if it differs from that of the field. */
  value?: string;
  /** Sentence of the 409, without its first word, `Another`. */
  sentence: string;
  /** True if case counts, as for another system's id. */
  isExact?: true;
  /** Number of the record within which the value is unique; undefined for the whole organization. */
  within?: number;
}

/** Name of a list in an index: what its members have in common. */
export interface ListName {
  owner?: readonly [collection: string, number: number];
  name?: string | undefined;
}

/** Rules of collections that apply beside their plans. */
export interface Rules {
  /** True if the state of the list with this partition is stored in an item of its own. */
  hasOwnState: (list: string) => boolean;
  /**
   * Lists of a record, by index, that follow from its fields alone; undefined for a collection whose plans name
   * them.
   */
  listsOf?: (collection: string, record: Fields) => readonly (readonly [ListIndex, ListName])[] | undefined;
  /** Unique fields of a record (`docs/reference.md`, "Errors", 409). */
  uniquesOf: (collection: string, record: Fields) => readonly UniqueField[];
  /** Searchable texts of a record, the first for the first search index. An empty text is not indexed. */
  searchableOf?: (collection: string, record: Fields) => readonly string[];
  /** Entries of a record in the items of the days that it books, by date. */
  entriesOf?: (collection: string, record: Fields | undefined) => ReadonlyMap<string, string>;
  /** True for a collection that belongs to the configuration, from which texts are prepared. */
  isConfiguration?: (collection: string) => boolean;
  /** Worker that a record waits for, and the time at which it is due. */
  dueOf: (collection: string, record: Fields) => { worker: string; at: string } | undefined;
}

/** Rules of the service itself. */
export const serviceRules: Rules = {
  // The number of tags is unbounded, and the lists by state would make the head too large.
  hasOwnState: (list) => /^ORG#\w+#(INQUIRY#5|(FAQ|POLICY|SERVICE|PRODUCT|SCENARIO|TRANSFER)#1)#/.test(list),
  listsOf: (collection, record) => {
    const { isActive, isEnabled, tradeCategoryId, scenarioId, destinationType, destination } = record;
    const name = (isActive ?? isEnabled) ? 'active' : 'inactive';
    const owner = ['CATEGORY', Number(tradeCategoryId)] as const;
    switch (collection) {
      case 'FAQ':
      case 'POLICY':
      case 'SCENARIO':
        return [['gsi1', { name }]];
      case 'SERVICE':
      case 'PRODUCT':
        return [
          ['gsi1', { name }],
          ['gsi2', { owner }],
          ['gsi3', { owner, name }],
        ];
      case 'APPOINTMENT':
        return record['leadId'] === null
          ? []
          : [['gsi1', { owner: ['LEAD', numberAtEnd(record['leadId'])] }]];
      case 'ATTENDANCE':
        return [['gsi1', { owner: ['MEMBER', numberAtEnd(record['userId'])] }]];
      case 'TRANSFER':
        return [
          ['gsi1', { name }],
          ...(scenarioId === null ? [] : [['gsi2', { owner: ['SCENARIO', Number(scenarioId)] }] as const]),
          ...(destinationType === 'MEMBER'
            ? [['gsi3', { owner: ['MEMBER', Number(destination)] }] as const]
            : []),
        ];
      default:
        return undefined;
    }
  },
  uniquesOf: (collection, record) => {
    const inCategory = (label: string) => {
      const sentence = `${label} has this name in the same category`;
      return [{ field: 'name', sentence, within: Number(record['tradeCategoryId']) }];
    };
    switch (collection) {
      case 'LEAD':
        return [
          ...['email', 'phone'].map((field) => ({ field, sentence: `lead has this ${field}` })),
          { field: 'externalId', sentence: 'lead has this externalId', isExact: true },
          { field: 'importKey', sentence: 'lead has this importKey', isExact: true },
        ];
      case 'INQUIRY':
        return [idOfInquiry(record)];
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
  searchableOf: (collection, record) => {
    const { start, leadId, userId } = record as Record<string, string | null>;
    switch (collection) {
      case 'LEAD':
        return ['firstName', 'lastName', 'businessName'].map((field) => String(record[field]));
      case 'APPOINTMENT':
        return [`${start}`, leadId === null ? '' : `${leadId} ${start}`];
      case 'ATTENDANCE':
        return [`${userId} ${start}`];
      default:
        return [];
    }
  },
  entriesOf: (collection, record) => (collection === 'APPOINTMENT' ? entriesOf(record) : new Map()),
  isConfiguration: (collection) =>
    /^(ORGANIZATION|POLICY|SERVICE|PRODUCT|FAQ|SCENARIO|TRANSFER)$/.test(collection),
  // The outcome of an SMS that is still being sent after an hour is unknown.
  dueOf: (collection, { status, createdAt }) =>
    collection === 'MESSAGE' && status === 'SENDING'
      ? { worker: 'resolve-sending', at: new Date(Date.parse(createdAt as string) + 3_600_000).toISOString() }
      : undefined,
};

/**
 * Id of an inquiry in another system. Keys are known to others, so ids that come by a key are separate from those that
 * come by another, and from those of clients.
 */
function idOfInquiry({ externalId, keyId, platform }: Fields): UniqueField {
  const [field, giver] =
    typeof platform === 'string'
      ? ['callId', `${platform}#`]
      : keyId !== undefined
        ? ['externalInquiryIdOfKey', `${Number(keyId)}#`]
        : ['externalInquiryId', ''];
  const value = typeof externalId === 'string' ? `${giver}${externalId}` : '';
  return { field, value, sentence: `inquiry has this ${field}`, isExact: true };
}

/** Partition of the records of an organization that are due for a worker. */
export const duePartition = (worker: string, code: string) => `DUE#${worker}#${code.charCodeAt(7) % 8}`;

/** True if a token with these scopes may do what a narrow scope allows (`docs/reference.md`, "Tokens"). */
export function isGranted(scopes: readonly string[], wanted: string): boolean {
  const [subject, right] = wanted.split(':');
  // Others can read a key, so its scope is never part of another.
  if (right === 'submit' || right === 'answer') return scopes.includes(wanted);
  const isOfAll =
    right === 'read' ? scopes.includes('read') : subject !== 'members' && scopes.includes('write');
  return scopes.includes(wanted) || isOfAll || (right === 'create' && scopes.includes(`${subject}:write`));
}

/** Scopes that a token of a member with this role has, of those that it was issued with (docs/reference.md, Roles). */
export function scopesOfRole(role: unknown, issued: readonly string[]): readonly string[] {
  const isBeyond = (scope: string) => /^(members|webhooks):(write|create)$/.test(scope);
  if (role !== 'USER' || !issued.some((scope) => scope === 'write' || isBeyond(scope))) return issued;
  const spelt = issued.includes('write') ? scopes.filter((scope) => scope.endsWith(':write')) : [];
  const left = new Set<string>([...issued.filter((scope) => scope !== 'write'), ...spelt]);
  return scopes.filter((scope) => left.has(scope) && !isBeyond(scope));
}

/** Maximum number of forms per key and day. It is low, so that some are refused. */
export const maxFormsPerDay = 12;

const day = 86_400_000;

/** Name of the item that counts something on the day (UTC) of a time. */
export const dayCountName = (code: string, counted: string, at: number): string =>
  `ORG#${code}#DAY ${counted}#${new Date(at).toISOString().slice(0, 10)}`;

/** Expiry of a count, in epoch seconds: the end of the day after the counted one. */
export const expiryOf = (at: number): number => ((Math.floor(at / day) + 2) * day) / 1000;
