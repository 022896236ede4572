import type { FindingKind } from '../verify/finding.ts';

const fromBackup = 'restore the table as it was before (point-in-time recovery) beside this one';
const lookAndDelete = 'look at the item, and delete it if nobody needs it';
const unlessNewerVersion = 'unless a newer version of the code put it there';
const runAgain = 'run the command again';

/** Advice for a finding whose repair has to wait for the head. */
export const repairHeadFirst = 'repair the head and its events by hand, then repair the rest';

/** Advice for an operator, by the kind of a finding that has no repair. */
export const manualRepairs = {
  'head-missing': `${fromBackup}, and copy the head from there; it needs the newest hashKey that there was: without it every opt-out is lost`,
  'import-unfinished': 'continue the import, or discard it',
  'head-form': 'run the version of the code that stored it',
  'head-malformed': `${fromBackup}, and copy the attribute from there`,
  'event-missing': `${fromBackup}, and copy the event from there`,
  'event-beyond': 'put back the events that are missing before it, then repair',
  'event-order': 'set its revision to the number of the last event of its write',
  'record-missing': `${fromBackup}, and copy the record from there, then repair`,
  'record-beyond': 'delete it, or put back what is missing before it, then repair',
  'record-and-hole':
    'delete the item if an event says that it was deleted, or else remove its bit from its bucket of holes, then repair',
  'record-malformed': 'correct the attributes, or copy the record from a backup, then repair',
  'record-id': 'find out which record it is: correct its id, or copy the right record from a backup',
  'hole-beyond': 'put back the records that are missing before it, then repair',
  'hole-count': 'repair the other findings about this collection first',
  'hole-window': 'repair the other findings about this collection first',
  'hole-malformed': lookAndDelete,
  'revision-ahead': 'put back the event that it names',
  'revision-without-event': 'set its revision to the number of the last event of its write',
  'revision-in-head': runAgain,
  'touched-records-wrong': `${fromBackup}, and copy the record from there, or delete it; if the record is right, remove it from the event's attribute touched`,
  'list-unknown': `remove the attribute, ${unlessNewerVersion}`,
  'list-malformed': lookAndDelete,
  'rank-missing': 'correct the state of the list: its last rank is far from that of any member',
  'rank-doubled': 'give one of the two another rank',
  'rank-beyond': 'correct the rank',
  'rank-and-hole': 'see if the record belongs to the list',
  'former-item-missing': runAgain,
  'former-item-malformed': runAgain,
  'former-item-unneeded': runAgain,
  'holes-unneeded': runAgain,
  'position-wrong': 'correct what the record says, or put back the owner of the list, then repair',
  'search-key-wrong': `remove the attributes, ${unlessNewerVersion}`,
  'due-wrong': `remove the attributes, ${unlessNewerVersion}`,
  'index-foreign':
    'the item belongs to another organization: remove its attributes of that index, then verify that organization',
  'unique-missing': runAgain,
  'unique-other-holder':
    'both have the value, or the other cannot be read: correct one of the two records, then repair',
  'unique-without-record':
    'put back the record, or correct it, then repair: until then the value stays held for it',
  'grant-missing': runAgain,
  'grant-of-revoked': runAgain,
  'grant-differs': runAgain,
  'grant-without-record':
    'put back the record of the token that it names, or delete the item if nobody is to use it',
  'number-missing': runAgain,
  'number-of-other-organization':
    'repair both organizations, or all (--all); if both have the number, remove it from one (number remove)',
  'number-without-organization': 'put back the record of the organization that it names, or delete the item',
  'reference-broken': 'put back the record that it names, or correct the field',
  'lead-counts': 'put back or correct the inquiries that are missing or cannot be read, then repair',
  'lead-opted-out':
    'put back the opt-outs that are missing or cannot be read, or the hashKey of the head that they are hashed by, then repair; if nothing is lost, change the phone number of the lead to another one, then back',
  'pipeline-missing': runAgain,
  'pipeline-days': runAgain,
  'queue-counter-behind': runAgain,
  'unknown-item': `${lookAndDelete}, ${unlessNewerVersion}`,
  more: runAgain,
  unsettled: runAgain,
} as const satisfies Record<FindingKind, string>;
