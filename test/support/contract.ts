import * as accessTokens from '../../shared/contract/access-tokens.ts';
import * as appointments from '../../shared/contract/appointments.ts';
import * as availability from '../../shared/contract/availability.ts';
import * as callEvents from '../../shared/contract/call-events.ts';
import * as categories from '../../shared/contract/categories.ts';
import * as companies from '../../shared/contract/companies.ts';
import * as companyNotes from '../../shared/contract/company-notes.ts';
import * as eventFeed from '../../shared/contract/event-feed.ts';
import * as faqs from '../../shared/contract/faqs.ts';
import * as formPreview from '../../shared/contract/form-preview.ts';
import * as forms from '../../shared/contract/forms.ts';
import * as inquiries from '../../shared/contract/inquiries.ts';
import * as invitations from '../../shared/contract/invitations.ts';
import * as leadBatch from '../../shared/contract/lead-batch.ts';
import * as leadErasure from '../../shared/contract/lead-erasure.ts';
import * as leads from '../../shared/contract/leads.ts';
import * as memberSchedule from '../../shared/contract/member-schedule.ts';
import * as members from '../../shared/contract/members.ts';
import * as openApi from '../../shared/contract/open-api.ts';
import * as openingHours from '../../shared/contract/opening-hours.ts';
import * as organizationSettings from '../../shared/contract/organization-settings.ts';
import * as organization from '../../shared/contract/organization.ts';
import * as pipeline from '../../shared/contract/pipeline.ts';
import * as policies from '../../shared/contract/policies.ts';
import * as products from '../../shared/contract/products.ts';
import * as receptionist from '../../shared/contract/receptionist.ts';
import * as scenarios from '../../shared/contract/scenarios.ts';
import * as services from '../../shared/contract/services.ts';
import * as sms from '../../shared/contract/sms.ts';
import * as token from '../../shared/contract/token.ts';
import * as transferRoute from '../../shared/contract/transfer-route.ts';
import * as transfers from '../../shared/contract/transfers.ts';
import * as webhookDeliveries from '../../shared/contract/webhook-deliveries.ts';
import * as webhooks from '../../shared/contract/webhooks.ts';

/** Endpoints of all operations, among what else the contracts export. Tests call an operation by its name. */
export const contract = {
  ...accessTokens,
  ...appointments,
  ...availability,
  ...callEvents,
  ...categories,
  ...companies,
  ...companyNotes,
  ...eventFeed,
  ...faqs,
  ...formPreview,
  ...forms,
  ...inquiries,
  ...invitations,
  ...leadBatch,
  ...leadErasure,
  ...leads,
  ...memberSchedule,
  ...members,
  ...openApi,
  ...openingHours,
  ...organizationSettings,
  ...organization,
  ...pipeline,
  ...policies,
  ...products,
  ...receptionist,
  ...scenarios,
  ...services,
  ...sms,
  ...token,
  ...transferRoute,
  ...transfers,
  ...webhookDeliveries,
  ...webhooks,
};
