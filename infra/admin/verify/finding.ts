import * as v from 'valibot';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import type { Key } from '../../../shared/ledger/internal/keys.ts';
import type { RepairPlan } from './organization-items.ts';

export const findingKinds = [
  'head-missing',
  'import-unfinished',
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
  'revision-in-head',
  'touched-records-wrong',
  'list-unknown',
  'list-malformed',
  'rank-missing',
  'rank-doubled',
  'rank-beyond',
  'rank-and-hole',
  'former-item-missing',
  'former-item-malformed',
  'former-item-unneeded',
  'holes-unneeded',
  'position-wrong',
  'search-key-wrong',
  'due-wrong',
  'index-foreign',
  'unique-missing',
  'unique-other-holder',
  'unique-without-record',
  'grant-missing',
  'grant-of-revoked',
  'grant-differs',
  'grant-without-record',
  'number-missing',
  'number-of-other-organization',
  'number-without-organization',
  'reference-broken',
  'lead-counts',
  'lead-opted-out',
  'pipeline-missing',
  'pipeline-days',
  'queue-counter-behind',
  'unknown-item',
  'more',
  'unsettled',
] as const;
export type FindingKind = (typeof findingKinds)[number];

/** One fault. It shows no customer data: no value of a record, and no unique value. */
export interface Finding {
  kind: FindingKind;
  /** Key of the item, or id of the record. */
  where: string;
  /** One line for the terminal. */
  sentence: string;
  /** Keys of the items that show the fault, beside the head and the records. */
  keys?: readonly Key[] | undefined;
  /** Undefined if the stored items do not show the right value, or if the repair is deferred: see `isDeferred`. */
  repair?: Repair | undefined;
  /** True if the finding's repair has to wait until the head is repaired. */
  isDeferred?: true;
}

/** Repair of one finding. */
export interface Repair {
  /** Completes "Repair: …" on the terminal, such as `holds it for lead 5`. */
  sentence: string;
  /** Plans the changes; plans none if an earlier repair of the same plan made them. */
  addTo: (plan: RepairPlan) => void;
}

/** Result of verifying one organization. */
export interface Report {
  organization: OrganizationCode;
  /** Undefined if the organization's own record is unreadable. */
  name: string | undefined;
  /** Version of the head that `counts` belongs to; undefined without a readable head. */
  version: number | undefined;
  /** Number of live records by collection name, events included. */
  counts: Record<string, number>;
  /** Number of items read; 0 if there is no such organization. */
  items: number;
  /** Empty if the organization is whole. */
  findings: Finding[];
}

/** Key as a finding shows it, without the parts that may be customer data. */
export const keyName = ({ pk, sk }: Key): string => `${redacted(pk)} ${redacted(sk)}`;

/** Replaces each part of a key or list name that may be customer data. */
export const redacted = (text: string): string =>
  text
    .split('#')
    .map((part) => (/^[A-Z0-9_.-]{1,80}$/.test(part) ? part : '(not shown)'))
    .join('#');

export function unknownItem(key: Key): Finding {
  const where = keyName(key);
  return { kind: 'unknown-item', where, sentence: `${where} is no item that the ledger would write.` };
}

/** Names of the malformed fields, without nested ones: a nested name may be customer data. */
export function malformedFields(issues: [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): string {
  return [...new Set(issues.map((issue) => v.getDotPath(issue)?.split('.')[0] ?? 'the item'))].join(', ');
}

/** A finding as one string, to compare findings. */
export const textOf = ({ kind, where, sentence }: Finding): string => JSON.stringify([kind, where, sentence]);
