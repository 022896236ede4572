import { expect } from 'vitest';
import type { Cast } from '../cast.ts';
import { Mobile } from '../outside.ts';
import type { Incoming } from '../people.ts';

const burst: Incoming = {
  of: 'Sofia',
  source: 'CALL',
  externalInquiryId: 'call-1001',
  tag: 'Burst pipe',
  lead: { name: 'Sofia Rossi', phone: '0491 570 156' },
};

export async function monday({ business, mia, phone, mailbox, site, form }: Cast): Promise<void> {
  // In UTC it is still Sunday.
  await business.at('Mon', '00:10');
  phone.learns(await phone.brings('burst pipe', burst));

  await business.at('Mon', '09:00');
  const day = [{ from: '08:00', to: '17:00' }];
  await mia.sets({
    openingHours: { monday: day, tuesday: day, wednesday: day, thursday: day, friday: day },
    onCallHours: { saturday: [{ from: '22:00', to: '06:00' }] },
  });

  await business.at('Mon', '09:20');
  await mia.marksRead('Sofia');
  await mia.marks('burst pipe', { isRead: true });
  await business.at('Mon', '09:25');
  await mia.moves('Sofia', 'active');

  await business.at('Mon', '09:45');
  await mailbox.brings('mail of Tom', {
    of: 'Tom',
    source: 'EMAIL',
    tag: 'Quote',
    externalInquiryId: 'mail-1',
    data: { subject: 'A quote', from: 'tom@example.com', to: 'office@example.com', body: 'Please.' },
    lead: { name: 'Tom Baker', email: 'tom@example.com' },
  });

  await business.at('Mon', '10:00');
  await mia.adds('Lena', { name: 'Lena Koch', businessName: 'Café Koch', phone: '0049 30 23125 012' });

  // The provider got no response, and sends the call of the night again.
  await business.at('Mon', '10:05');
  phone.learns(await phone.bringsAgain('burst pipe', burst));

  await business.at('Mon', '20:00');
  await form.brings('booking of Vic', 'Vic', {
    name: 'Vic Stone',
    email: 'vic@example.com',
    phone: '0491 572 549',
    suburb: 'Brompton',
    message: 'Blocked drain',
    'Best time': 'evening',
  });

  await business.at('Mon', '23:50');
  await site.brings('form of Gus', {
    of: 'Gus',
    source: 'WEBFORM',
    data: { formName: 'Contact', fields: { Problem: 'Gutters' } },
    lead: { name: 'Gus Özil', email: 'gus@example.com' },
  });
}

export async function tuesday({ business, mia, ben, mailbox, chat }: Cast): Promise<void> {
  // Twenty minutes after the last one: another day here, and the same day in UTC.
  await business.at('Tue', '00:10');
  await chat.brings('chat with Ava', {
    of: 'Ava',
    source: 'CHATBOT',
    data: { messages: [{ user: 'user', text: 'Are you open?' }] },
    lead: { firstName: 'Ava' },
  });

  await business.at('Tue', '09:05');
  await mia.changes('Sofia', { email: 'sofia@example.com', suburb: 'Norwood' });

  // Tom's email and Lena's number: the email decides.
  await business.at('Tue', '10:00');
  await mailbox.brings('second mail of Tom', {
    of: 'Tom',
    source: 'EMAIL',
    tag: 'Quote',
    externalInquiryId: 'mail-2',
    lead: { email: 'TOM@example.com', phone: '+49 30 23125 012' },
  });

  await business.at('Tue', '11:00');
  await mia.moves('Sofia', 'quoted');
  await mia.moves('Tom', 'active');

  // No carrier reaches Vic's number.
  await business.at('Tue', '12:00');
  await mia.texts('Vic', 'texts with Vic', 'We come at five');

  // Both open Gus. Ben saves first, so Mia's change is refused until she reads his.
  await business.at('Tue', '14:00');
  const [forMia, forBen] = [await mia.opens('Gus'), await ben.opens('Gus')];
  expect(forMia).toBe(forBen);
  const afterBen = await ben.saves('Gus', { suburb: 'Glenelg' }, forBen);
  const more = { businessName: 'Özil & Sons', status: 'active' };
  expect(await mia.cannotSave('Gus', more, forMia)).toBe(afterBen);
  expect(await mia.opens('Gus')).toBe(afterBen);
  await business.at('Tue', '14:10');
  expect(await mia.saves('Gus', more, afterBen)).toBe(await ben.opens('Gus'));

  // Concurrent changes without a tag, of different fields.
  await business.at('Tue', '15:00');
  await Promise.all([
    mia.changes('Lena', { suburb: 'Unley' }),
    ben.changes('Lena', { socials: { Instagram: '@cafekoch' } }),
  ]);

  await business.at('Tue', '16:00');
  await mia.texts('Sofia', 'texts with Sofia', 'Your quote is in the mail');
}

export async function wednesday({ business, mia, ben, site, phone }: Cast): Promise<void> {
  await business.at('Wed', '08:30');
  await mia.moves('Sofia', 'won');
  // Ben's copy is outdated, so he changes nothing.
  await ben.moves('Sofia', 'won');

  // Sofia answers yesterday's SMS, and Mia answers hers.
  const sofia = new Mobile(business, '+61491570156');
  await business.at('Wed', '08:35');
  await sofia.texts('Thank you! When?', { answers: sofia.last.id });
  await business.at('Wed', '08:38');
  await mia.marks('texts with Sofia', { isRead: true });
  await mia.texts('Sofia', 'texts with Sofia', 'On Thursday at nine');

  await business.at('Wed', '08:40');
  await mia.marks('chat with Ava', { isFlagged: true, tag: 'Complaint', summary: 'Wants to speak to Mia' });

  await business.at('Wed', '10:00');
  await mia.moves('Tom', 'quoted');

  await business.at('Wed', '11:00');
  await phone.brings('texts of Uma', {
    of: 'Uma',
    source: 'SMS',
    data: { messages: [{ text: 'No hot water' }, { direction: 'OUTBOUND', text: 'Since when?' }] },
    lead: { name: 'Uma Das', phone: '0491 571 266' },
  });
  await business.at('Wed', '12:00');
  await site.brings('form of Uma', {
    of: 'Uma',
    source: 'WEBFORM',
    data: { formName: 'Contact', fields: {} },
    lead: { name: 'Somebody Else', phone: '0491 571 266', email: 'uma@example.com' },
  });

  // A lead that a robot made is deleted. Its inquiry stays and can be changed.
  await business.at('Wed', '15:00');
  const spam: Incoming = {
    of: 'robot',
    source: 'WEBFORM',
    summary: 'Cheap watches',
    externalInquiryId: 'form-666',
    lead: { name: 'Robot', email: 'robot@example.com' },
  };
  await site.brings('form of a robot', spam);
  await mia.marks('form of a robot', { isFlagged: true });
  await mia.deletes('robot', await mia.opens('robot'));
  await mia.marks('form of a robot', { isRead: true });
  // The same form again creates no lead.
  await business.at('Wed', '15:05');
  const inquiry = { id: business.names.idOf('form of a robot') };
  expect(await site.bringsAgain('form of a robot', spam)).toEqual({ inquiry, lead: null });
  // The number is unknown, and the provider sends the SMS twice.
  await business.at('Wed', '16:00');
  await new Mobile(business, '+61491571491').textsTwice('Do you fix gas heaters?', 'inbound-1');
  await mia.finds('texts of Zoe', 'Zoe');
}
