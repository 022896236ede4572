import type { NarrowScope } from './scopes.ts';

/** Kinds of record that clients can read by an id, with the scope that reads them. Clients hear only of these kinds. */
export const recordTypes = {
  lead: 'leads:read',
  inquiry: 'inquiries:read',
  company: 'companies:read',
  note: 'companies:read',
  organization: 'organization:read',
  member: 'members:read',
  invitation: 'members:read',
  category: 'categories:read',
  service: 'services:read',
  scenario: 'scenarios:read',
  product: 'products:read',
  transfer: 'transfers:read',
  policy: 'policies:read',
  faq: 'faqs:read',
  appointment: 'appointments:read',
  webhook: 'webhooks:read',
} as const satisfies Record<string, NarrowScope>;
export type RecordType = keyof typeof recordTypes;

export const isRecordType = (name: string): name is RecordType => Object.hasOwn(recordTypes, name);

/**
 * Kinds of record that events name. A token is no record of the feed: the day of its last use changes without an event.
 */
export const namedTypes = { ...recordTypes, token: 'tokens:read' } as const satisfies Record<
  string,
  NarrowScope
>;
type NamedType = keyof typeof namedTypes;
const isNamedType = (name: string): name is NamedType => Object.hasOwn(namedTypes, name);

/** Old and new value of a field. Neither is personal data: events outlive records. */
export interface ChangedValue {
  from: string;
  to: string;
}

export interface EventKind {
  /** The kind of record that `referenceId` names: one of `namedTypes`, or a kind that clients cannot read. */
  of: string;
  /**
   * Sentence for people: one sentence, a sentence for each variant, or a sentence made of values. The sentence has no
   * personal data, because events outlive records.
   */
  sentence: string | Readonly<Record<string, string>> | ((values: ChangedValue) => string);
  /**
   * Set if the event changes fields of its record: the names of these fields, as the API shows them, or true if the names
   * differ from event to event. Names of fields are no personal data; keys that a client chose could be.
   */
  changes?: true | readonly string[];
  /** True if the event is an activity of a lead. */
  isActivity?: true;
  /**
   * Name of the event in `GET /v1/events`, if the event has another name there. Either the name of another kind with
   * the same meaning for clients, or `OTHER` if the event has no meaning for clients.
   */
  shownAs?: string;
}

/**
 * Every kind of event, by name. The only place that spells a name. Never change a name or a `shownAs`: clients see the
 * names, and stored events keep their names for good.
 */
export const eventKinds = {
  LEAD_CREATED: { of: 'lead', sentence: 'The lead was created', isActivity: true },
  LEAD_UPDATED: { of: 'lead', changes: true, sentence: 'The lead was changed', isActivity: true },
  LEAD_STATUS_CHANGED: {
    of: 'lead',
    changes: true,
    sentence: ({ from, to }: ChangedValue) => `Status changed from ${from} to ${to}`,
    isActivity: true,
  },
  LEAD_OPTED_OUT: {
    of: 'lead',
    changes: ['isOptedOut'],
    sentence: 'The lead opted out of SMS',
    isActivity: true,
  },
  LEAD_OPTED_IN: {
    of: 'lead',
    changes: ['isOptedOut'],
    sentence: 'The lead opted in to SMS again',
    isActivity: true,
  },
  LEAD_MARKED: {
    of: 'lead',
    changes: ['read'],
    sentence: { read: 'The lead was marked as read', unread: 'The lead was marked as unread' },
    shownAs: 'LEAD_UPDATED',
  },
  LEAD_DELETED: { of: 'lead', sentence: 'The lead was deleted' },
  LEAD_ERASED: {
    of: 'lead',
    sentence: 'The lead was erased, with its inquiries and messages',
    isActivity: true,
  },
  INQUIRY_CREATED: {
    of: 'inquiry',
    sentence: {
      CALL: 'There was a call',
      EMAIL: 'An email came in',
      CHATBOT: 'There was a chat',
      SMS: 'A conversation by SMS began',
      WEBFORM: 'A web form was sent',
    },
    isActivity: true,
  },
  INQUIRY_UPDATED: { of: 'inquiry', changes: true, sentence: 'The inquiry was changed' },
  INQUIRY_ERASED: { of: 'inquiry', sentence: 'The inquiry was erased' },
  SMS_CREATED: {
    of: 'inquiry',
    changes: ['data'],
    sentence: 'An SMS is about to be handed over',
    shownAs: 'INQUIRY_UPDATED',
  },
  SMS_SENT: { of: 'inquiry', sentence: 'An SMS was handed over to be sent', isActivity: true },
  SMS_RECEIVED: { of: 'inquiry', sentence: 'An SMS came in', isActivity: true },
  SMS_ACCEPTED: {
    of: 'inquiry',
    changes: ['data'],
    sentence: 'The provider took the SMS',
    shownAs: 'INQUIRY_UPDATED',
  },
  SMS_FAILED: { of: 'inquiry', sentence: 'The SMS was not sent' },
  SMS_UNKNOWN: { of: 'inquiry', sentence: 'The provider gave no answer for the SMS' },
  SMS_DELIVERED: { of: 'inquiry', sentence: 'The SMS arrived' },
  SMS_UNDELIVERED: { of: 'inquiry', sentence: 'The SMS did not arrive' },
  SMS_ERASED: {
    of: 'inquiry',
    changes: ['data'],
    sentence: 'Messages of the conversation by SMS were erased',
    shownAs: 'INQUIRY_UPDATED',
  },
  NUMBER_OPTED_OUT: {
    of: 'opt-out',
    sentence: 'A number that no lead has opted out of SMS',
    shownAs: 'OTHER',
  },
  NUMBER_OPTED_IN: {
    of: 'opt-out',
    sentence: 'A number that no lead has opted in to SMS again',
    shownAs: 'OTHER',
  },
  APPOINTMENT_CREATED: { of: 'appointment', sentence: 'An appointment was made', isActivity: true },
  APPOINTMENT_UPDATED: {
    of: 'appointment',
    changes: true,
    sentence: 'An appointment was changed',
    isActivity: true,
  },
  APPOINTMENT_CANCELLED: {
    of: 'appointment',
    changes: true,
    sentence: 'An appointment was cancelled',
    isActivity: true,
  },
  APPOINTMENT_ERASED: { of: 'appointment', sentence: 'An appointment was erased' },
  CATEGORY_CREATED: { of: 'category', sentence: 'The category was created' },
  CATEGORY_UPDATED: { of: 'category', changes: true, sentence: 'The category was changed' },
  CATEGORY_DELETED: { of: 'category', sentence: 'The category was deleted' },
  COMPANY_CREATED: { of: 'company', sentence: 'The company was created' },
  COMPANY_UPDATED: { of: 'company', changes: true, sentence: 'The company was changed' },
  COMPANY_DELETED: { of: 'company', sentence: 'The company was deleted' },
  NOTE_CREATED: { of: 'note', sentence: 'The note was created' },
  NOTE_UPDATED: { of: 'note', changes: true, sentence: 'The note was changed' },
  NOTE_DELETED: { of: 'note', sentence: 'The note was deleted' },
  NOTES_DELETED: { of: 'company', sentence: 'Notes about a deleted company were deleted' },
  EPOCH_BEGUN: {
    of: 'organization',
    sentence: 'An operator has everyone who follows the events start anew',
    shownAs: 'OTHER',
  },
  FAQ_CREATED: { of: 'faq', sentence: 'The FAQ was created' },
  FAQ_UPDATED: { of: 'faq', changes: true, sentence: 'The FAQ was changed' },
  FAQ_DELETED: { of: 'faq', sentence: 'The FAQ was deleted' },
  MEMBER_ADDED: { of: 'member', sentence: 'A member was added' },
  MEMBER_UPDATED: { of: 'member', changes: true, sentence: 'A member was changed' },
  MEMBER_DISABLED: { of: 'member', changes: ['isDisabled'], sentence: 'A member was disabled' },
  MEMBER_ENABLED: { of: 'member', changes: ['isDisabled'], sentence: 'A member was enabled' },
  MEMBER_REMOVED: {
    of: 'member',
    sentence: 'A member was removed, and the tokens of the member were revoked',
  },
  INVITATION_CREATED: { of: 'invitation', sentence: 'Someone was invited to join' },
  INVITATION_RESENT: { of: 'invitation', changes: ['expiresAt'], sentence: 'An invitation got a new token' },
  INVITATION_ACCEPTED: { of: 'invitation', sentence: 'An invitation was accepted' },
  INVITATION_DELETED: {
    of: 'invitation',
    sentence: 'An invitation was withdrawn, or replaced after its end',
  },
  MEMBER_ROLE_CHANGED: {
    of: 'member',
    changes: ['role'],
    sentence: ({ from, to }: ChangedValue) => `The role of a member changed from ${from} to ${to}`,
  },
  ORGANIZATION_CREATED: { of: 'organization', sentence: 'The organization was created' },
  ORGANIZATION_UPDATED: { of: 'organization', changes: true, sentence: 'The organization was changed' },
  ORGANIZATION_IMPORTED: {
    of: 'organization',
    sentence: 'The organization was founded from the copy of another',
    shownAs: 'OTHER',
  },
  ORGANIZATION_REPAIRED: {
    of: 'organization',
    sentence: 'An operator repaired counts or lists that follow from the records',
    shownAs: 'OTHER',
  },
  NUMBER_ADDED: { of: 'organization', sentence: 'A number for SMS was added', shownAs: 'OTHER' },
  NUMBER_REMOVED: { of: 'organization', sentence: 'A number for SMS was removed', shownAs: 'OTHER' },
  POLICY_CREATED: { of: 'policy', sentence: 'The policy was created' },
  POLICY_UPDATED: { of: 'policy', changes: true, sentence: 'The policy was changed' },
  POLICY_DELETED: { of: 'policy', sentence: 'The policy was deleted' },
  PRODUCT_CREATED: { of: 'product', sentence: 'The product was created' },
  PRODUCT_UPDATED: { of: 'product', changes: true, sentence: 'The product was changed' },
  PRODUCT_DELETED: { of: 'product', sentence: 'The product was deleted' },
  SCENARIO_UPDATED: { of: 'scenario', changes: true, sentence: 'The scenario was changed' },
  MEMBER_SCHEDULE_UPDATED: { of: 'member', changes: true, sentence: 'The schedule of a member was changed' },
  SERVICE_CREATED: { of: 'service', sentence: 'The service was created' },
  SERVICE_UPDATED: { of: 'service', changes: true, sentence: 'The service was changed' },
  SERVICE_DELETED: { of: 'service', sentence: 'The service was deleted' },
  TIME_ZONE_CHANGED: {
    of: 'organization',
    changes: ['timeZone'],
    sentence: ({ from, to }: ChangedValue) => `The time zone changed from ${from} to ${to}`,
    shownAs: 'ORGANIZATION_UPDATED',
  },
  TOKEN_ISSUED: { of: 'token', sentence: 'A token was issued' },
  TOKEN_UPDATED: { of: 'token', changes: true, sentence: 'A token was renamed, or is for other websites' },
  TOKEN_REVOKED: { of: 'token', sentence: 'A token was revoked' },
  TOKEN_ROTATED: { of: 'token', sentence: 'A token was replaced by another' },
  TOKEN_SECRET_ROTATED: { of: 'token', sentence: 'A key got a new signing secret' },
  TRANSFER_CREATED: { of: 'transfer', sentence: 'The transfer rule was created' },
  TRANSFER_UPDATED: { of: 'transfer', changes: true, sentence: 'The transfer rule was changed' },
  TRANSFER_DELETED: { of: 'transfer', sentence: 'The transfer rule was deleted' },
  WEBHOOK_CREATED: { of: 'webhook', sentence: 'The webhook was created' },
  WEBHOOK_UPDATED: { of: 'webhook', changes: true, sentence: 'The webhook was changed' },
  WEBHOOK_DELETED: { of: 'webhook', sentence: 'The webhook was deleted' },
  WEBHOOK_DISABLED: {
    of: 'webhook',
    changes: ['isEnabled', 'disabledAt', 'disabledReason'],
    sentence: {
      GONE: 'The webhook was disabled: its receiver answered with 410',
      FAILING: 'The webhook was disabled: its receiver failed for five days',
      TOKEN_ENDED: 'The webhook was disabled: the token that it acts for has ended',
    },
  },
  WEBHOOK_SECRET_ROTATED: { of: 'webhook', changes: true, sentence: 'The webhook got a new secret' },
  WEBHOOK_TESTED: { of: 'webhook', sentence: 'The webhook is to be tested' },
  WEBHOOK_REPLAYED: { of: 'webhook', sentence: 'The webhook is to go on after another event' },
  WEBHOOK_REDELIVERED: {
    of: 'webhook',
    sentence: ({ from, to }: ChangedValue) => `Delivery ${from}, of event ${to}, is to be sent again`,
  },
} as const satisfies Record<string, EventKind> &
  Record<`${string}_${'UPDATED' | 'CHANGED'}`, EventKind & Required<Pick<EventKind, 'changes'>>>;

type EventKinds = typeof eventKinds;
export type EventName = keyof EventKinds;

/** Names of the events that are activities of a lead. */
export type ActivityName = {
  [Name in EventName]: EventKinds[Name] extends { isActivity: true } ? Name : never;
}[EventName];

const isActivityName = (name: EventName): name is ActivityName => 'isActivity' in eventKinds[name];

export const activityNames: readonly ActivityName[] = Object.keys(eventKinds)
  .filter(isEventName)
  .filter(isActivityName);

/** Name of a kind of event for clients. */
export type PublicEventName = {
  [Name in EventName]: EventKinds[Name] extends { shownAs: infer Shown extends string } ? Shown : Name;
}[EventName];

type OwnName = EventName & PublicEventName;
const hasOwnName = (name: EventName): name is OwnName => !('shownAs' in eventKinds[name]);

/** Names of events for clients. The last name, `OTHER`, stands for all events without a meaning for clients. */
export const publicEventNames: readonly PublicEventName[] = [
  ...Object.keys(eventKinds).filter(isEventName).filter(hasOwnName),
  'OTHER',
];

/** Name of an event for clients, and kind of its record. No kind for OTHER, or if clients cannot read such records. */
export function publicKindOf(event: string): { name: PublicEventName; about?: NamedType } {
  const kind: EventKind | undefined = isEventName(event) ? eventKinds[event] : undefined;
  const shown = kind?.shownAs ?? event;
  const name = publicEventNames.find((one) => one === shown) ?? 'OTHER';
  return { name, ...(kind && name !== 'OTHER' && isNamedType(kind.of) && { about: kind.of }) };
}

function isEventName(name: string): name is EventName {
  return Object.hasOwn(eventKinds, name);
}
