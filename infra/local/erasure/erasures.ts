import * as v from 'valibot';
import { eraseLeadEndpoint, LeadErasure } from '../../../shared/contract/lead-erasure.ts';
import { OrganizationCode } from '../../../shared/core/ids.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { leads, phoneValue } from '../../../shared/domain/leads/lead-record.ts';
import { comparableNumber } from '../../../shared/domain/phone/phone-number.ts';
import { type Ledger, newConsumedCapacity, type Store } from '../../../shared/ledger/index.ts';
import type { HttpRequest, HttpResponse } from '../gateway/http-message.ts';
import { findRoute, pathVariables } from '../gateway/routes.ts';
import { say } from '../local-error.ts';
import type { Template } from '../template/template.ts';
import { ErasingNumbers } from './erasing-numbers.ts';
import { type MessageHolder, removeNotifications, removeSentSms } from './traces.ts';

interface ErasureOptions {
  store: () => Store;
  /** File of the phone numbers of leads that are being erased. */
  erasing: string;
  /** File of the SMS sent. */
  sentSmsFile: string;
  /** Queues and dead letters. */
  holders: readonly MessageHolder[];
  /**
   * Removes deleted bytes from the engine's files.
   * @throws Error if that has to wait
   */
  forget: () => void;
}

/** Most milliseconds that reading stored items may take. */
const readingTime = 60_000;

const Erasure = v.pipe(v.string(), v.parseJson(), LeadErasure);

/**
 * Follows the requests that erase a lead. Before such a request is answered as done, this machine's own files
 * hold nothing of the person. A client that got no answer asks again, and the removal runs again.
 */
export class Erasures {
  readonly #options: ErasureOptions;
  readonly #erasing: ErasingNumbers;

  constructor(options: ErasureOptions) {
    this.#options = options;
    this.#erasing = new ErasingNumbers(options.erasing, say);
  }

  /** Answers a request by `answer`. For an erasure, also removes the person from this machine's files. */
  async follow(
    request: Pick<HttpRequest, 'method' | 'target'>,
    { routes }: Pick<Template, 'routes'>,
    answer: () => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const leadId = erasedLeadOf(request, routes);
    const ledger = leadId === undefined ? undefined : this.#ledgerOf(leadId);
    if (leadId === undefined || !ledger) return answer();
    const wasKnown = this.#erasing.of(leadId) !== undefined;
    await this.#keepNumber(ledger, leadId);
    const answered = await answer();
    const { status, body } = answered;
    const isRefused = status >= 400 && status < 500;
    if (isRefused && !wasKnown) this.#erasing.forget(leadId);
    if (status === 200 && v.parse(Erasure, body).done) await this.#removeTraces(ledger, leadId);
    return answered;
  }

  /** Keeps the number, because the lead goes first and takes its number with it. */
  async #keepNumber(ledger: Ledger, leadId: string): Promise<void> {
    const ref = ledger.tryRef(leads, leadId);
    const lead = ref && (await ledger.getOrUndefined(ref));
    if (lead && lead.phone !== '') this.#erasing.keep(leadId, lead.phone);
  }

  async #removeTraces(ledger: Ledger, leadId: string): Promise<void> {
    const { sentSmsFile, holders, forget } = this.#options;
    const known = this.#erasing.of(leadId);
    const numbers = new Set(known === undefined ? [] : [comparableNumber(known)]);
    const belongsToNoLead = async (number: string) =>
      (await ledger.findByUnique(leads, phoneValue(number))) === undefined;
    const organizationOf = (number: string) =>
      this.#options.store().organizationOfPhoneNumber(number, limits());
    const sentTo = await removeSentSms(sentSmsFile, { ledger, numbers, belongsToNoLead });
    const erased = { ledger, numbers: numbers.union(sentTo), belongsToNoLead };
    await removeNotifications(holders, erased, organizationOf);
    compactNowOrLater(forget, say);
    this.#erasing.forget(leadId);
  }

  /** Ledger of the organization that the lead's id names. Undefined for a malformed id. */
  #ledgerOf(leadId: string): Ledger | undefined {
    const [, code] = /^lead_(.{8})/.exec(leadId) ?? [];
    const organization = v.safeParse(OrganizationCode, code);
    if (!organization.success) return undefined;
    return this.#options
      .store()
      .ledgerOf({ organization: organization.output, userId: 'system', ...limits() });
  }
}

/** Compacts the files now, or prints why that has to wait. The lead is erased either way. */
export function compactNowOrLater(forget: () => void, say: (sentence: string) => void): void {
  try {
    forget();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    say(
      `The erased data is still in the database file, because the file could not be written anew (${reason}). "npm start" ` +
        'tries again when it ends, and when it starts. Close other programs that have the file open, and free as much space on ' +
        'the disk as the database takes.',
    );
  }
}

const limits = () => ({ deadline: realSystem.now() + readingTime, capacity: newConsumedCapacity() });

/** Id of the lead that a request asks to erase; undefined for any other request. */
function erasedLeadOf(
  { method, target }: Pick<HttpRequest, 'method' | 'target'>,
  routes: Template['routes'],
): string | undefined {
  if (method !== eraseLeadEndpoint.method) return undefined;
  const [path = ''] = target.split('?');
  const route = findRoute(routes, method, path);
  if (route?.path !== eraseLeadEndpoint.path) return undefined;
  return pathVariables(route.path, path)?.['leadId'];
}
