import * as v from 'valibot';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Key } from '../../../shared/ledger/internal/keys.ts';
import type { RepairPlan } from './organization-items.ts';

const fromBackup =
  'restore the table to a time before the damage (point-in-time recovery), beside this table';
const lookAndDelete = 'look at the item, and delete it if nobody needs it';
const unlessNewerVersion = 'unless a newer version of the code put it there';
const runAgain = 'run the command again';

/**
 * Kinds of findings in the order of repair, each with advice for an operator if a finding has no repair. The repairs of
 * a kind build on those of the kinds before it.
 */
export const adviceByKind = {
  'event-beyond': 'put back the events that are missing before it, then repair',
  'record-beyond': 'delete it, or put back what is missing before it, then repair',
  'queue-counter-behind': runAgain,
  'record-malformed': 'correct the attributes, or copy the record from a backup, then repair',
  'record-and-hole':
    'delete the item if an event says that it was deleted, or else remove its bit from its bucket of holes, then repair',
  'record-missing': `${fromBackup}, and copy the record from there, then repair`,
  'pipeline-missing': runAgain,
  'former-item-malformed': runAgain,
  'list-wrong':
    'repair the other findings about it; if there are none, its last rank is far beyond all members: correct its state',
  'rank-wrong': 'give it a rank that no other member has',
  'position-wrong': 'correct what the record says, or put back the owner of the list, then repair',
  'head-missing': `${fromBackup}, and copy the head from there; it needs the newest hashKey that there was: without it every opt-out is lost`,
  'import-unfinished': 'continue the import, or discard it',
  'head-form': 'run the version of the code that stored it',
  'head-malformed': `${fromBackup}, and copy the attribute from there`,
  'event-missing': `${fromBackup}, and copy the event from there`,
  'event-order': 'set its revision to the number of the last event of its write',
  'record-id': 'find out which record it is: correct its id, or copy the right record from a backup',
  'revision-ahead': 'put back the event that it names',
  'revision-without-event': 'set its revision to the number of the last event of its write',
  'revision-in-head': runAgain,
  'names-in-head': 'put back the records that are missing or cannot be read, then repair',
  'touched-records-wrong':
    `${fromBackup}, and copy the record from there, or delete it. If the record is right, set its revision to the number of the ` +
    "event, or remove it from the event's attribute touched",
  'list-unknown': `remove the attribute, ${unlessNewerVersion}`,
  'former-item-unneeded': runAgain,
  'index-wrong': `remove the attributes, ${unlessNewerVersion}`,
  'index-foreign':
    'the item belongs to another organization: remove its attributes of that index, then verify that organization',
  'unique-not-held':
    'both have the value, or the other cannot be read: correct one of the two records, then repair',
  'unique-without-record':
    'put back the record, or correct it, then repair: until then the value stays held for it',
  'grant-wrong':
    'put back the record of the member that its token acts for, or the change that the record lost, then repair',
  'grant-without-record':
    'put back the record of the token that it names, or delete the item if nobody is to use it',
  'number-not-held':
    'repair both organizations, or all (--all); if both have the number, remove it from one (number remove)',
  'number-without-organization': 'put back the record of the organization that it names, or delete the item',
  'reference-broken': 'put back the record that it names, or correct the field',
  'lead-counts': 'put back or correct the inquiries that are missing or cannot be read, then repair',
  'member-counts': 'put back or correct the appointments that are missing or cannot be read, then repair',
  'lead-opted-out':
    'put back missing or unreadable opt-outs, or the hashKey of the head, then repair. If nothing is lost, change the phone ' +
    'number of the lead to another number, then back',
  'pipeline-days': runAgain,
  'booked-wrong': 'put back or correct the appointments that are missing or cannot be read, then repair',
  'unknown-item': `${lookAndDelete}, ${unlessNewerVersion}`,
  more: runAgain,
  unsettled: runAgain,
};
export type FindingKind = keyof typeof adviceByKind;

/** Advice if a repair has to wait for the head. */
export const repairHeadFirst = 'repair the head and its events by hand, then repair the rest';
/** Advice if a repair would write this record, which has lost a change. */
export const restoreFirst = (record: string) =>
  `put back the change that ${record} lost, then repair: a repair now would hide the loss`;

/** One fault. A finding shows no customer data: no value of a record, and no unique value. */
export interface Finding {
  kind: FindingKind;
  /** Key of the item, or id of the record. */
  where: string;
  /** One line for the terminal. */
  sentence: string;
  /** Keys of the items that show the fault, beside the head and the records. */
  keys?: readonly Key[] | undefined;
  /** Undefined if the stored items do not show the right value, or if the repair has to wait: see `advice`. */
  repair?: Repair | undefined;
  /** Advice for an operator, instead of the kind's advice, if the finding's repair has to wait. */
  advice?: string;
}

export type RepairableFinding = Finding & { repair: Repair };
export const isRepairable = (finding: Finding): finding is RepairableFinding => finding.repair !== undefined;

/** Repair of one finding. */
export interface Repair {
  /** Completes "Repair: …" on the terminal, such as `holds it for lead 5`. */
  sentence: string;
  /** Plans the changes; plans none if an earlier repair of the same plan made them. */
  addTo: (plan: RepairPlan) => void;
}

/**
 * Repair that changes one item. `after` gets the item with the changes planned so far, and returns the item to store.
 * The result may lack the key attributes. Undefined removes the item.
 */
export const itemRepair = (
  sentence: string,
  key: Key,
  after: (before: Item | undefined) => Item | undefined,
): Repair => ({
  sentence,
  addTo: (plan) => {
    const before = plan.get(key);
    const item = after(before);
    if (item) plan.put(key, item);
    else if (before) plan.remove(key);
  },
});

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

/** Result of verifying a table. */
export interface TableReport {
  organizations: Report[];
  /** Findings that belong to no organization. */
  strays: Finding[];
}

export const findingsIn = ({ organizations, strays }: TableReport): Finding[] => [
  ...organizations.flatMap(({ findings }) => findings),
  ...strays,
];

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

/** A finding as a string, to compare findings. */
export const textOf = ({ kind, where, sentence }: Finding): string => JSON.stringify([kind, where, sentence]);
