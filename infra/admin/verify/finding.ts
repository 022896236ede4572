import type { OrganizationCode } from '../../../shared/core/ids.ts';

/** Every kind of thing that can be wrong. */
export const findingKinds = [
  'head-missing',
  'head-form',
  'head-malformed',
  'event-missing',
  'event-beyond',
  'event-order',
  'record-missing',
  'record-beyond',
  'record-and-hole',
  'record-malformed',
  'record-id',
  'hole-beyond',
  'hole-count',
  'hole-window',
  'hole-malformed',
  'revision-ahead',
  'revision-without-event',
  'list-unknown',
  'rank-missing',
  'rank-doubled',
  'rank-beyond',
  'unique-missing',
  'unique-other-holder',
  'unique-of-nobody',
  'grant-missing',
  'grant-of-revoked',
  'grant-differs',
  'grant-of-nobody',
  'reference-broken',
  'turn-behind',
  'unknown-item',
  'more',
  'unsettled',
] as const;
export type FindingKind = (typeof findingKinds)[number];

/** One thing that is wrong. It holds no one's data: no value of a record, and no unique value. */
export interface Finding {
  kind: FindingKind;
  /** The item's key, or the record's id. */
  where: string;
  /** What is wrong, for a person. */
  sentence: string;
}

/** What is known of an organization after it was verified. */
export interface Report {
  organization: OrganizationCode;
  /** What it is called; undefined where its own record cannot be read. */
  name: string | undefined;
  /** The version of the head that the counts are of; undefined where there is no head that can be read. */
  version: number | undefined;
  /** How many live records each collection has, by its name, events among them. */
  counts: Record<string, number>;
  /** How many items were read. None: there is no such organization. */
  items: number;
  /** Nothing: the organization is whole. */
  findings: Finding[];
}
