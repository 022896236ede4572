import { expect, inject, test } from 'vitest';
import { createInquiryEndpoint } from '../../shared/contract/inquiries.ts';
import { guideOf } from '../support/docs/guide.ts';
import { play } from '../support/docs/play.ts';
import { twoOrganizations } from '../support/test-organization.ts';

const { ours } = await twoOrganizations();
const variables = () => ({ API: inject('baseUrl'), TOKEN: ours.token });

test('each request of the guide to appointments succeeds, and answers as the guide shows', async () => {
  const answers = await play(guideOf('appointments.md', ours.code), variables());
  // A service, the members, a schedule; the free times, the times to read out; the booking, the refused booking, the
  // move; the calendar, the end.
  expect(answers.map(({ status }) => status)).toEqual([
    ...[201, 200, 200],
    ...[200, 200],
    ...[201, 409, 200],
    ...[200, 200],
  ]);
  expect(answers.at(-1)?.body).toMatchObject({ appointment: { isRescheduled: true, status: 'CANCELLED' } });
});

test('each request of the guide to erasing succeeds, and answers as the guide shows', async () => {
  const lead = { name: 'Sofia Rossi', phone: '+61491570159' };
  await ours.api.call(createInquiryEndpoint, { body: { source: 'CALL', lead, data: {} } });
  const answers = await play(guideOf('erasing.md', ours.code), variables());
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
});
