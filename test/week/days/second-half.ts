import {
  getInquiryEndpoint,
  listInquiriesEndpoint,
  updateInquiryEndpoint,
} from '../../../shared/contract/inquiries.ts';
import { createLeadEndpoint, listLeadsEndpoint } from '../../../shared/contract/leads.ts';
import { expect } from 'vitest';
import type { Cast } from '../cast.ts';
import { Mobile } from '../outside.ts';

export async function thursday({ business, mia, ben, form }: Cast): Promise<void> {
  // The Monday after is a holiday, and so they close early on the Friday.
  await business.at('Thu', '08:50');
  await mia.sets({
    holidays: [
      { date: '2026-10-02', name: 'Day before the long weekend', hours: [{ from: '08:00', to: '12:30' }] },
      { date: '2026-10-05', name: 'Labour Day', hours: [] },
    ],
  });
  await business.at('Thu', '09:00');
  await mia.moves('Tom', 'lost');
  await business.at('Thu', '09:30');
  await mia.moves('Gus', 'quoted');
  await business.at('Thu', '09:40');
  await mia.marks('chat with Ava', { isFlagged: false });
  await mia.marks('form of Gus', { isFlagged: true, isRead: true });
  await mia.marksRead('Gus');

  await business.at('Thu', '10:00');
  await ben.texts('Zoe', 'texts of Zoe', 'We do. When suits you?');
  await ben.marks('texts of Zoe', { isRead: true });

  // Read, then unread again: it becomes the newest unread inquiry.
  await business.at('Thu', '11:00');
  await mia.marksRead('Tom');
  await mia.marks('mail of Tom', { isRead: true });
  await mia.marks('second mail of Tom', { isRead: true });
  await business.at('Thu', '11:10');
  await mia.marks('second mail of Tom', { isRead: false });

  // The lead is found by his email. The lead gets neither the new number nor the other name.
  await business.at('Thu', '20:00');
  await form.bringsParts('form of Tom', 'Tom', {
    Name: 'Thomas Baker',
    'E-Mail': 'TOM@example.com',
    Phone: '0491 577 426',
    message: 'Any news?',
    photo: new File(['…'], 'roof.jpg', { type: 'image/jpeg' }),
  });

  // Two minutes before and after midnight, on one day of UTC.
  await business.at('Thu', '23:59');
  await mia.moves('Lena', 'active');
}

export async function friday({ business, mia, ben, form, diary }: Cast): Promise<void> {
  await business.at('Fri', '00:01');
  await mia.moves('Lena', 'pending');
  await business.at('Fri', '09:00');
  await mia.moves('Tom', 'archived');
  await business.at('Fri', '09:05');
  await mia.marksRead('Tom', false);

  await business.at('Fri', '10:00');
  await mia.moves('Uma', 'quoted');
  // Mia records a call that she took herself.
  await business.at('Fri', '10:30');
  await mia.brings('call of Lena', {
    of: 'Lena',
    source: 'CALL',
    isRead: true,
    summary: 'Asks for a date',
    leadId: business.names.idOf('Lena'),
  });
  // She books the first time that is free, when they come back from the long weekend.
  await business.at('Fri', '10:42');
  const [first] = await diary.free('Blocked drain', { from: '2026-10-02', to: '2026-10-06', limit: '1' });
  expect(first).toBe('Fri 10:45');
  expect(await diary.books('drain of Lena', 'Lena', 'Blocked drain', ['Tue after', '08:00'])).toEqual([
    'Tue after 09:30',
  ]);
  // Zoe opts out of SMS, and gets none.
  const zoe = new Mobile(business, '+61491571491');
  await business.at('Fri', '11:00');
  await zoe.texts('Stop.', { isAnswered: true });
  expect(zoe.last.text).toContain('no more texts');
  await business.at('Fri', '11:05');
  await ben.cannotText('Zoe');

  await business.at('Fri', '15:00');
  await mia.moves('Uma', 'won');
  // Four hours over the night when the clocks go forward.
  await business.at('Fri', '15:10');
  expect(await diary.books('tank of Uma', 'Uma', 'Hot water replacement', ['Sat', '23:30'])).toEqual([
    'Sun 04:30',
  ]);

  await business.at('Fri', '22:00');
  await form.sendSpam({ name: 'Robot', email: 'robot@example.com', message: 'Cheap watches' });
}

export async function saturday({ business, mia, ben, phone, form, diary }: Cast): Promise<void> {
  // An unknown number opts out too.
  await business.at('Sat', '09:00');
  const before = await mia.counts();
  const rex = new Mobile(business, '+61491572983');
  await rex.texts('STOP', { isAnswered: true });
  expect(await mia.counts()).toEqual(before);
  expect(rex.last.text).toContain('no more texts');

  await business.at('Sat', '12:00');
  await mia.moves('Gus', 'won');
  // Gus wants to have it done in the same night, which Mia agrees to in the end.
  const gutters = ['gutters of Gus', 'Gus', 'Toilet repair', ['Sun', '04:00']] as const;
  expect(await diary.cannotBook(...gutters)).toEqual([
    'Tue after 09:30',
    'Tue after 10:00',
    'Tue after 10:30',
  ]);
  expect(await diary.books(...gutters)).toEqual(['Sun 05:00', 'tank of Uma']);

  // Ben removes one of two flags of Uma's inquiries, so the lead stays flagged.
  await business.at('Sat', '13:00');
  await ben.marks('texts of Uma', { isFlagged: true });
  await ben.marks('form of Uma', { isFlagged: true });
  await ben.marks('texts of Uma', { isFlagged: false, isRead: true });
  await business.at('Sat', '13:10');
  await ben.marks('call of Lena', { tag: 'Spam' });
  await ben.marks('call of Lena', { tag: 'Burst pipe' });

  // A person who opted out in the morning fills in the form.
  await business.at('Sat', '15:00');
  await form.brings('form of Rex', 'Rex', { name: 'Rex Hall', phone: '0491572983', email: 'rex(at)example' });
  await ben.cannotText('Rex');

  // The provider sends the inquiry twice at once.
  await business.at('Sat', '20:00');
  await phone.bringsTwiceAtOnce('call of Joe', {
    of: 'Joe',
    source: 'CALL',
    externalInquiryId: 'call-1002',
    lead: { name: 'Joe Smyth', phone: '+1 202 555 0143' },
  });
  await business.at('Sat', '20:10');
  await ben.changes('Joe', { lastName: 'Smith' });
  await business.at('Sat', '21:00');
  const otto = { name: 'Otto Kost', status: 'quoted', email: 'otto@example.com', externalId: 'invoices-8' };
  // Mia's program for invoices sends a new customer twice at once, and then a customer who is known by his
  // number.
  await mia.syncs('Otto', 'externalId', otto, [200, 201]);
  await business.at('Sat', '21:10');
  const joe = { name: 'Joe Smith', phone: '+12025550143', externalId: 'invoices-7' };
  await mia.syncs('Joe', 'phone', joe, [200, 200]);

  // The operator imports last year's spreadsheet twice, as if the first import's outcome were unknown.
  await business.at('Sat', '21:30');
  const { created, alreadyThere } = await business.imports(lastYear);
  for (const [at, name] of ['Hal', 'Rae', 'Ike'].entries()) business.names.give(name, created[at]?.id ?? '');
  expect(alreadyThere).toMatchObject([{ line: 4, id: business.names.idOf('Tom') }]);
  const again = await business.imports(lastYear);
  expect(again.created).toEqual([]);
  expect(again.alreadyThere.map(({ line }) => line)).toEqual([2, 3, 4, 5]);
}

/** Spreadsheet as Excel saves it. */
const lastYear =
  '\uFEFFName;E-Mail;Phone;Suburb;Status;Read;socials.instagram\r\n' +
  'Hal Reed;hal@example.com;0491 573 770;;;;\r\n' +
  'Rae Wong;rae@example.com;0491 573 087;"Unley; SA";won;TRUE;\r\n' +
  'Tom Baker;TOM@EXAMPLE.COM;;;;;\r\n' +
  'Ike Moss;;;;;;@ikemoss\r\n';

/** The night when the clocks go forward. */
export async function sunday({ business, mia, ben, chat, site, diary }: Cast): Promise<void> {
  await business.at('Sun', '03:01');
  await chat.brings('chat with Leo', { of: 'Leo', source: 'CHATBOT', lead: { name: 'Leo Leonard' } });

  const zoe = new Mobile(business, '+61491571491');
  await business.at('Sun', '09:00');
  await zoe.texts('start', { isAnswered: true });
  await business.at('Sun', '09:10');
  await ben.texts('Zoe', 'texts of Zoe', 'Welcome back');

  await business.at('Sun', '10:00');
  // Gus slept, and Lena asks to come an hour later.
  await diary.changes('tank of Uma', { status: 'COMPLETED' });
  await diary.cancels('gutters of Gus');
  expect(await diary.moves('drain of Lena', ['Tue after', '09:00'])).toEqual([]);
  await business.at('Sun', '11:00');
  await mia.moves('Ava', 'active');

  // In the conversation that another provider began on Wednesday.
  await business.at('Sun', '12:00');
  await new Mobile(business, '+61491571266').texts('Warm again, thanks!');

  await business.at('Sun', '23:50');
  await site.brings('form of Nia', { of: 'Nia', source: 'WEBFORM', lead: { email: 'nia@example.com' } });
}

/** The night to Monday. Without the change of clocks it would still be Sunday. */
export async function mondayAfter({ business, mia, phone, mailbox, diary }: Cast): Promise<void> {
  await business.at('Mon after', '00:10');
  await phone.brings('call of Pat', {
    of: 'Pat',
    source: 'CALL',
    tag: 'Burst pipe',
    lead: { name: 'Pat Quinn', phone: '0491 570 157' },
  });
  await business.at('Mon after', '00:12');
  await mailbox.brings('mail of Sofia', {
    of: 'Sofia',
    source: 'EMAIL',
    lead: { email: 'Sofia@example.com', suburb: 'Elsewhere' },
  });

  // A provider may only create inquiries.
  const inquiryId = business.names.idOf('call of Pat');
  await phone.mayNot(listLeadsEndpoint);
  await phone.mayNot(createLeadEndpoint, {}, { name: 'Pat' });
  await phone.mayNot(listInquiriesEndpoint);
  await phone.mayNot(getInquiryEndpoint, { inquiryId });
  await phone.mayNot(updateInquiryEndpoint, { inquiryId }, { isRead: true });

  // A person on an old list opts out in every possible way.
  await business.at('Mon after', '00:20');
  await new Mobile(business, '+61491573770').texts('Who are you? Forget me');
  await mia.finds('texts of Hal', 'Hal');
  await mailbox.brings('mail of Hal', {
    of: 'Hal',
    source: 'EMAIL',
    data: { body: 'Forget me' },
    lead: { email: 'hal@example.com' },
  });
  await mia.texts('Hal', 'texts of Hal', 'We will');
  await diary.books('visit of Hal', 'Hal', 'Toilet repair', ['Tue after', '11:00'], { ifFree: true });
  await business.at('Mon after', '00:25');
  await mia.erases('Hal');
  // The lead was deleted on Wednesday; its form still existed.
  await mia.erases('robot');
}
