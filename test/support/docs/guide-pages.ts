import { inject } from 'vitest';
import { findContracts } from '../../../infra/functions.ts';
import { readGuides } from '../../../infra/site/guides.ts';
import { isCurl } from '../../../infra/site/requests.ts';
import { createInquiryEndpoint } from '../../../shared/contract/inquiries.ts';
import { createLeadEndpoint } from '../../../shared/contract/leads.ts';
import { newOrganization, type TestOrganization } from '../test-organization.ts';
import { guideOf, type CurlAnswer } from './guide.ts';
import { playable, playGuide, type Form } from './play-guide.ts';

/** Records that a page needs before its first request. */
const needs: Record<string, (organization: TestOrganization) => Promise<unknown>> = {
  'guides/erasing': storeSofia,
  'guides/pages': storeThree,
  'guides/receptionist': storeSofia,
};

function storeSofia({ api }: TestOrganization) {
  const lead = { name: 'Sofia Rossi', phone: '+61491570159' };
  return api.call(createInquiryEndpoint, { body: { source: 'CALL', lead, data: {} } });
}

async function storeThree({ api }: TestOrganization) {
  for (const firstName of ['Nora', 'Liam', 'Sofia'])
    await api.call(createLeadEndpoint, { body: { firstName } });
}

/** Pages that the site serves. */
export const servedPages = readGuides(await findContracts()).flatMap(({ guides }) => guides);

/** Files of the pages with requests. */
export const pagesWithRequests = servedPages
  .filter(({ markdown }) => [...markdown.matchAll(playable)].some(([, code = '']) => isCurl(code)))
  .map(({ file }) => file);

/** Plays a page in a new organization, with the token of its owner. */
export async function playPage(page: string, form: Form): Promise<CurlAnswer[]> {
  const organization = await newOrganization();
  await needs[page]?.(organization);
  const secret = 'a-secret-of-32-characters-or-more';
  return playGuide(guideOf(page, organization.code), form, {
    API: inject('baseUrl'),
    TOKEN: organization.token,
    SECRET: secret,
    WEBHOOK_SECRET: secret,
  });
}
