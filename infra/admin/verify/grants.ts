import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { organizations } from '../../../shared/domain/organizations/organizations.ts';
import { stateOf, tokens } from '../../../shared/domain/tokens/tokens.ts';
import { Grant } from '../../../shared/ledger/internal/grant.ts';
import { grantKey, phoneNumberKey, type Key } from '../../../shared/ledger/internal/keys.ts';
import { PhoneNumberOwner } from '../../../shared/ledger/internal/other-items.ts';
import type { RecordOf } from '../../../shared/ledger/internal/collection.ts';
import type { Finding, Repair } from './finding.ts';
import { isOf, type Judgement, type ReadRecord, type Rule } from './judgement.ts';
import type { RepairPlan } from './organization-items.ts';

type Token = RecordOf<typeof tokens>;

/** Keys of the items beside a record that no partition of the organization has: its grant, or its phone numbers. */
export function keysOutside(name: string, item: Record<string, unknown> | undefined): Key[] {
  if (name === tokens.name && typeof item?.['hash'] === 'string') return [grantKey(item['hash'])];
  const own = name === organizations.name ? v.safeParse(organizations.schema, item) : undefined;
  return own?.success ? own.output.numbers.map(({ number }) => phoneNumberKey(number)) : [];
}

/**
 * Judges the items by which an organization is found: each active token has its grant, a revoked token has none, a grant
 * allows what the token's record says, and each phone number in the organization's record is held for it. An expired token
 * may still have a grant, which nothing removes.
 */
export class Grants implements Rule {
  readonly #judgement: Judgement;
  /** Hashes of the tokens that have a record, and phone numbers of the organization. */
  readonly #hashes = new Set<unknown>();
  #numbers: readonly string[] | undefined;

  constructor(judgement: Judgement) {
    this.#judgement = judgement;
  }

  observe(read: ReadRecord): void {
    if (isOf(read, tokens)) {
      this.#hashes.add(read.record.hash);
      this.#judgeToken(read.record, read.number);
    }
    if (!isOf(read, organizations)) return;
    this.#numbers = read.record.numbers.map(({ number }) => number);
    for (const number of this.#numbers) this.#judgeNumber(number);
  }

  /** Judges the grants and phone numbers that name this organization, by a scan of the table. */
  finish(): void {
    for (const pk of this.#judgement.items.partitions()) {
      if (pk.startsWith('TOKEN#')) this.#judgeGrant(pk.slice('TOKEN#'.length));
      if (pk.startsWith('NUMBER#')) this.#judgeClaim(pk.slice('NUMBER#'.length));
    }
  }

  #judgeToken(token: Token, number: number): void {
    const judgement = this.#judgement;
    const where = judgement.nameOf(tokens.name, number);
    const key = grantKey(token.hash);
    const item = judgement.items.get(key);
    const state = stateOf(token, judgement.now);
    const { userId, scopes, sites, expiresAt } = token;
    const expected = {
      organization: judgement.organization,
      tokenId: number,
      userId,
      scopes,
      sites,
      expiresAt,
    };
    const write: Repair = {
      sentence: 'grants what its record says',
      addTo: (plan) => {
        plan.put(key, expected);
      },
    };
    if (!item) {
      if (state !== 'active') return;
      judgement.add('grant-missing', where, `${where} is active, but its grant is missing.`, {
        keys: [key],
        repair: write,
      });
    } else if (state === 'revoked')
      judgement.add('grant-of-revoked', where, `${where} is revoked, but its grant is there.`, {
        keys: [key],
        repair: removeGrant(key),
      });
    else {
      const grant = v.safeParse(Grant, item);
      if (grant.success && isDeepStrictEqual(grant.output, expected)) return;
      const differ = Object.entries(expected).filter(
        ([name, value]) => !isDeepStrictEqual(item[name], value),
      );
      const names = differ.map(([name]) => name).join(', ');
      const sentence = `The grant of ${where} is not what its record says (${names}).`;
      judgement.add('grant-differs', where, sentence, { keys: [key], repair: write });
    }
  }

  #judgeNumber(phone: string): void {
    const judgement = this.#judgement;
    const { organization } = judgement;
    const where = judgement.nameOf(organizations.name, 1);
    const key = phoneNumberKey(phone);
    const claim = v.safeParse(PhoneNumberOwner, judgement.items.get(key));
    if (claim.success && claim.output.organization === organization) return;
    const has = `${where} has the phone number ${shown(phone)}, which`;
    if (claim.success) {
      const sentence = `${has} is held for ${claim.output.organization}: texts to it go there.`;
      judgement.add('number-of-other-organization', where, sentence, { keys: [key] });
      return;
    }
    const repair: Repair = {
      sentence: 'holds it for the organization',
      addTo: (plan) => {
        plan.put(key, { organization });
      },
    };
    const sentence = `${has} is held for no organization: texts to it fail.`;
    judgement.add('number-missing', where, sentence, { keys: [key], repair });
  }

  #judgeGrant(hash: string): void {
    const judgement = this.#judgement;
    const key = grantKey(hash);
    const item = judgement.items.get(key);
    if (item?.['organization'] !== judgement.organization || this.#hashes.has(hash)) return;
    const grant = v.safeParse(Grant, item);
    if (!grant.success) {
      judgement.findings.push(grantWithoutRecord(hash, { sentence: 'cannot be read.' }));
      return;
    }
    const { tokenId } = grant.output;
    // If the token's record or its hash is lost, the grant is all that is left of a token in use: no repair.
    const { lost, unreadable } = judgement.numbersOf(tokens.name);
    const isOfNobody = !lost.includes(tokenId) && !unreadable.includes(tokenId);
    judgement.findings.push(
      grantWithoutRecord(hash, {
        sentence: `names token ${tokenId} of ${judgement.organization}, whose record is missing or has another hash.`,
        repair: isOfNobody ? removeGrant(key) : undefined,
      }),
    );
  }

  /** Judges that the organization has a number that is held for it. If its record is lost, the number stays held. */
  #judgeClaim(phone: string): void {
    const judgement = this.#judgement;
    const { organization } = judgement;
    const key = phoneNumberKey(phone);
    const claim = v.safeParse(PhoneNumberOwner, judgement.items.get(key));
    if (!claim.success || claim.output.organization !== organization || this.#numbers?.includes(phone))
      return;
    const why = this.#numbers ? 'which does not have it' : 'whose own record cannot be read';
    const where = `NUMBER#${shown(phone)}`;
    const sentence = `The phone number ${where} is held for ${organization}, ${why}.`;
    const repair: Repair = {
      sentence: 'releases it',
      addTo: (plan: RepairPlan) => {
        plan.remove(key);
      },
    };
    judgement.add('number-without-organization', where, sentence, {
      keys: [key],
      repair: this.#numbers && repair,
    });
  }
}

/** Finding about a grant of no token. */
export function grantWithoutRecord(
  hash: string,
  { sentence, repair }: { sentence: string; repair?: Repair | undefined },
): Finding {
  const where = `TOKEN#${hash.slice(0, 8)}…`;
  const keys = [grantKey(hash)];
  return { kind: 'grant-without-record', where, sentence: `The grant ${where} ${sentence}`, keys, repair };
}

const removeGrant = (key: Key): Repair => ({
  sentence: 'takes the grant away',
  addTo: (plan) => {
    plan.remove(key);
  },
});

/** Last four digits: enough to tell an organization's few numbers apart. */
export const shown = (phone: string): string => `…${phone.slice(-4)}`;
