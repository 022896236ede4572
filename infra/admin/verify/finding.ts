import type { OrganizationCode } from '../../../shared/core/ids.ts';
import type { Key } from '../../../shared/ledger/internal/keys.ts';
import type { Draft } from './draft.ts';
import type { Judge } from './snapshots.ts';

/** Every kind of thing that can be wrong. */
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
  'touched-wrong',
  'list-unknown',
  'list-malformed',
  'rank-missing',
  'rank-doubled',
  'rank-beyond',
  'rank-and-hole',
  'former-missing',
  'former-malformed',
  'former-left',
  'notes-left',
  'place-wrong',
  'places-missing',
  'text-wrong',
  'due-wrong',
  'index-foreign',
  'unique-missing',
  'unique-other-holder',
  'unique-of-nobody',
  'grant-missing',
  'grant-of-revoked',
  'grant-differs',
  'grant-of-nobody',
  'number-missing',
  'number-of-other',
  'number-of-nobody',
  'reference-broken',
  'lead-counts',
  'lead-opted-out',
  'pipeline-missing',
  'pipeline-days',
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
  /** How it is put right by what else is stored; none: only a person can tell what is right. */
  mend?: Mend;
  /** Whether it could be put right if the organization's head were right. */
  waits?: true;
}

/** How something that is derived from the records is put right. */
export interface Mend {
  /** What it does, for a person: `holds it for lead 5`. */
  sentence: string;
  /**
   * Drafts what is right, and nothing where it is right by now. Like a judge it is run several times, the first times on
   * items that are not read yet, so it must have no other effect.
   */
  apply: (draft: Draft) => void;
  /** The same in parts, where it is much: each drafts one record and the states of its lists, so many fit one transaction. */
  parts?: readonly Mend['apply'][];
  /** The organization in whose ledger it is written, of what belongs to no organization. */
  organization?: OrganizationCode;
}

/** A finding whose mend judges again, on what is stored when it is put right. */
export function judgedAgain(finding: Finding, judge: Judge<Finding | undefined>): Finding {
  return finding.mend
    ? { ...finding, mend: mendJudgedAgain(finding.mend, (look) => judge(look)?.mend) }
    : finding;
}

/** The same of a mend alone. */
export const mendJudgedAgain = (mend: Mend, judge: Judge<Mend | undefined>): Mend => ({
  ...mend,
  apply: (draft) => {
    judge(draft.look)?.apply(draft);
  },
});

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

/** A key as a finding tells it. A part of it that may be someone's data is left out. */
export const keyName = ({ pk, sk }: Key): string => `${safe(pk)} ${safe(sk)}`;

/** A key, or the name of a list, as a finding tells it. */
export const safe = (text: string): string =>
  text
    .split('#')
    .map((part) => (/^[A-Z0-9_.-]{1,80}$/.test(part) ? part : '(not shown)'))
    .join('#');

/** An item that is nothing the ledger writes. */
export function unknownItem(key: Key): Finding {
  const where = keyName(key);
  return { kind: 'unknown-item', where, sentence: `${where} is no item that the ledger would write.` };
}
