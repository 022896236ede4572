import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { numberOf } from '../../../shared/core/ids.ts';
import { members, type MemberRecord } from '../../../shared/domain/members/members.ts';
import { organizations } from '../../../shared/domain/settings/organization-record.ts';
import { grantedBy, stateOf, tokens } from '../../../shared/domain/tokens/tokens.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { Grant } from '../../../shared/ledger/internal/grant.ts';
import { grantKey, nameOfKey, phoneNumberKey, type Key } from '../../../shared/ledger/internal/keys.ts';
import { PhoneNumberOwner } from '../../../shared/ledger/internal/other-items.ts';
import { itemRepair, type Finding } from './finding.ts';
import { isOf, type Outdated, type ReadRecord, Rule } from './judgement.ts';

/** Keys of the items beside a record that no partition of the organization has: its grant, or its phone numbers. */
export function keysOutside(name: string, item: Record<string, unknown> | undefined): Key[] {
  if (name === tokens.name && typeof item?.['hash'] === 'string') return [grantKey(item['hash'])];
  const own = name === organizations.name ? v.safeParse(organizations.schema, item) : undefined;
  return own?.success ? own.output.numbers.map(({ number }) => phoneNumberKey(number)) : [];
}

/**
 * Judges the items that lead to an organization: its grants and its held phone numbers. Each active token must have its
 * grant, and a revoked token or an active token of a disabled member must have none. A grant must allow what the
 * token's record and the role of its member say. Each phone number in the organization's record must be held for it. An
 * expired token may still have a grant with the scopes of a former role or of a disabled member, because nothing removes
 * it.
 */
export class Grants extends Rule {
  readonly #tokens: ReadRecord<typeof tokens>[] = [];
  /** Phone numbers of the organization; undefined if its record cannot be read. */
  #numbers: readonly string[] | undefined;

  observe(read: ReadRecord): void {
    if (isOf(read, tokens)) this.#tokens.push(read);
    if (!isOf(read, organizations)) return;
    this.#numbers = read.record.numbers.map(({ number }) => number);
    for (const number of this.#numbers) this.#judgeNumber(number);
  }

  /**
   * Judges the grants of the tokens. Also judges the grants and phone numbers that name this organization and that a scan
   * of the table showed.
   */
  finish(outdated: Outdated): void {
    for (const token of this.#tokens) this.#judgeToken(token, outdated);
    const hashes = new Set(this.#tokens.map(({ record }) => record.hash));
    for (const pk of this.judgement.items.partitions()) {
      if (pk.startsWith('TOKEN#')) this.#judgeGrant(pk.slice('TOKEN#'.length), hashes);
      if (pk.startsWith('NUMBER#')) this.#judgeHeldNumber(pk.slice('NUMBER#'.length));
    }
  }

  #judgeToken({ number: tokenId, record: token }: ReadRecord<typeof tokens>, outdated: Outdated): void {
    const { organization, items, now } = this.judgement;
    const key = grantKey(token.hash);
    const item = items.get(key);
    const state = stateOf(token, now);
    const { role, isDisabled = false } = this.#memberOf(token.userId, outdated) ?? {};
    const granted = { organization, ...grantedBy(token, role ?? 'OWNER'), tokenId };
    const isGranted = state === 'active' ? !isDisabled : state === 'expired' && item;
    const expected = isGranted ? granted : undefined;
    const grant = v.safeParse(v.omit(Grant, ['lastUsedOn']), item);
    const scopes = state === 'expired' || !role ? item?.['scopes'] : granted.scopes;
    if (expected ? grant.success && isDeepStrictEqual(grant.output, { ...expected, scopes }) : !item) return;
    const where = this.judgement.nameOf(tokens.name, tokenId);
    const is = !item
      ? 'is missing'
      : expected
        ? 'is not what its record and the role of its member say'
        : 'is there';
    const repair = itemRepair(
      expected ? 'grants what its record and the role of its member say' : 'takes the grant away',
      key,
      (before) =>
        expected && {
          ...('lastUsedOn' in (before ?? {}) && { lastUsedOn: before?.['lastUsedOn'] }),
          ...expected,
        },
    );
    this.judgement.add('grant-wrong', where, `${where} is ${state}, but its grant ${is}.`, {
      keys: [key],
      repair: expected && !role ? undefined : repair,
    });
  }

  /** A user's member; undefined if the member cannot be read or has lost a change, perhaps of the role. */
  #memberOf(userId: string, outdated: Outdated): MemberRecord | undefined {
    const number = numberOf('user', this.judgement.organization, userId);
    if (number === undefined || outdated.has(nameOfKey(this.judgement.keyOf(members.name, number))))
      return undefined;
    return this.judgement.read(members, number)?.record;
  }

  #judgeNumber(phone: string): void {
    const { organization, items } = this.judgement;
    const key = phoneNumberKey(phone);
    const held = v.safeParse(PhoneNumberOwner, items.get(key));
    const holder = held.success ? held.output.organization : 'no organization';
    if (holder === organization) return;
    const where = this.judgement.nameOf(organizations.name, 1);
    const sentence = `${where} has the phone number ${shown(phone)}, which is held for ${holder}: texts to it do not come in.`;
    const repair = itemRepair('holds it for the organization', key, () => ({ organization }));
    this.judgement.add('number-not-held', where, sentence, {
      keys: [key],
      repair: held.success ? undefined : repair,
    });
  }

  #judgeGrant(hash: string, hashes: ReadonlySet<string>): void {
    const key = grantKey(hash);
    const item = this.judgement.items.get(key);
    if (item?.['organization'] !== this.judgement.organization || hashes.has(hash)) return;
    const tokenId = v.is(Grant, item) ? item.tokenId : undefined;
    // If the token's record or its hash is lost, the grant is all that is left of a token in use: no repair.
    const { lost, unreadable } = this.judgement.numbersOf(tokens.name);
    const isOfNobody = tokenId !== undefined && !lost.includes(tokenId) && !unreadable.includes(tokenId);
    const repair = isOfNobody ? itemRepair('takes the grant away', key, () => undefined) : undefined;
    this.judgement.findings.push({ ...grantWithoutRecord(hash, item), repair });
  }

  /**
   * Judges that the organization has a number that is held for it. If the organization's record is lost, the number
   * stays held.
   */
  #judgeHeldNumber(phone: string): void {
    const { organization, items } = this.judgement;
    const key = phoneNumberKey(phone);
    const held = v.safeParse(PhoneNumberOwner, items.get(key));
    if (!held.success || held.output.organization !== organization || this.#numbers?.includes(phone)) return;
    const why = this.#numbers
      ? 'and this organization does not have it'
      : 'and the record of this organization cannot be read';
    const where = `NUMBER#${shown(phone)}`;
    const sentence = `The phone number ${where} is held for ${organization}, ${why}.`;
    const repair = itemRepair('releases it', key, () => undefined);
    this.judgement.add('number-without-organization', where, sentence, {
      keys: [key],
      repair: this.#numbers && repair,
    });
  }
}

/** Finding about a grant of no token. */
export function grantWithoutRecord(hash: string, item: Item): Finding {
  const where = `TOKEN#${hash.slice(0, 8)}…`;
  const grant = v.safeParse(Grant, item);
  const is = grant.success
    ? `names token ${grant.output.tokenId} of ${grant.output.organization}, but the record of the token is missing or has ` +
      'another hash'
    : 'cannot be read';
  return {
    kind: 'grant-without-record',
    where,
    sentence: `The grant ${where} ${is}.`,
    keys: [grantKey(hash)],
  };
}

/** Last four digits: enough to tell an organization's few numbers apart. */
export const shown = (phone: string): string => `…${phone.slice(-4)}`;
