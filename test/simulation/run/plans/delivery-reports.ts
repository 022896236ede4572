import type { OrganizationModel } from '../model/organization-model.ts';
import { Refused } from '../model/refusal.ts';
import { once, type Plan } from '../plan.ts';
import type { Fields } from '../same.ts';
import { Violation } from '../violation.ts';
import { tellSent } from './conversations.ts';

/** A provider's delivery report for an SMS that it accepted. */
export interface Report {
  providerId: string;
  /** Number of the message, as the provider was given it; undefined if the provider was given none. */
  message: string | undefined;
  eventType: string;
  isFinal: boolean;
}

/** Message status for each type of report; undefined for a type that changes nothing. */
const statuses: Record<string, string | undefined> = {
  TEXT_DELIVERED: 'DELIVERED',
  TEXT_SUCCESSFUL: 'DELIVERED',
  TEXT_CARRIER_UNREACHABLE: 'UNDELIVERED',
  TEXT_BLOCKED: 'UNDELIVERED',
};

/** Statuses that never change again. */
const final = ['DELIVERED', 'UNDELIVERED', 'FAILED', 'RECEIVED'];

const events: Record<string, [event: string, data: string]> = {
  DELIVERED: ['SMS_DELIVERED', 'The SMS arrived'],
  UNDELIVERED: ['SMS_UNDELIVERED', 'The SMS did not arrive'],
};

/** A delivery report for an SMS. */
export function reportDelivery(organization: OrganizationModel, report: Report): Plan {
  const { providerId, eventType, isFinal } = report;
  const status = isFinal && report.message !== undefined ? statuses[eventType] : undefined;
  const message = Number(report.message);
  /** Undefined once the message is erased. */
  const record = (): Fields | undefined => organization.record('MESSAGE', message);
  const plan: Plan = {
    operation: `report ${status ?? 'of nothing'}`,
    organization,
    call: {
      notification: {
        ...{ eventType, eventVersion: '1.0', eventTimestamp: Date.now(), isFinal, messageId: providerId },
        context: {
          organization: organization.code,
          ...(report.message !== undefined && { message: report.message }),
        },
      },
    },
  };
  if (status === undefined) return plan;
  return {
    ...plan,
    stages: once((change) => {
      const before = change.get('MESSAGE', message);
      if (!before) throw new Refused({ status: 0, message: 'the message is erased' });
      if (final.includes(before['status'] as string))
        throw new Refused({ status: 0, message: 'what became of it is known' });
      change.replace('MESSAGE', message, { ...before, status, providerId });
      // The report came before the function stored that the SMS was sent.
      if (before['status'] !== 'SENT') tellSent(change, before);
      change.event(...events[status]!, message);
    }),
    check: () => {
      const stored = record();
      if (stored && !final.includes(stored['status'] as string)) {
        throw new Violation('A message must have the status of its processed delivery report', {
          expected: final,
          observed: stored,
        });
      }
    },
  };
}
