import { expect, inject, test } from 'vitest';
import { createService } from '../../shared/domain/services/services.ts';
import { blocksOf, curl, guideOf, isAs } from '../support/docs/guide.ts';
import { twoOrganizations } from '../support/test-organization.ts';

test('each command of the guide succeeds, and answers as the guide shows', async () => {
  const { ours } = await twoOrganizations();
  await createService(ours.openLedger().ledger, { name: 'Blocked drain', tradeCategoryId: 1 });
  const [, ...blocks] = blocksOf(guideOf('appointments.md', ours.code));
  const variables: Record<string, string> = { API: inject('baseUrl'), TOKEN: ours.token };
  const dateIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  [variables['MONDAY'], variables['SUNDAY']] = [dateIn(-1), dateIn(7)];
  const statuses: number[] = [];
  let last: unknown;
  for (const { language, text } of blocks) {
    if (language === 'json') {
      const shown: unknown = JSON.parse(text);
      expect(isAs(last, shown), `${JSON.stringify(last)} is not as ${text}`).toBe(true);
      continue;
    }
    const { status, body } = await curl(text, variables);
    statuses.push(status);
    last = body;
    const { slots = [] } = body as { slots?: { start: string }[] };
    variables['START'] ||= slots[0]?.start ?? '';
    variables['LATER'] = slots[1]?.start ?? variables['LATER'] ?? '';
    if (status === 201) variables['APPOINTMENT'] = (body as { appointment: { id: string } }).appointment.id;
  }
  // The schedule, the free times, the times to read out, the booking, the refused booking, the move, the end, the
  // calendar.
  expect(statuses).toEqual([200, 200, 200, 201, 409, 200, 200, 200]);
  expect(last).toMatchObject({ appointments: [{ isRescheduled: true, status: 'CANCELLED' }] });
});
