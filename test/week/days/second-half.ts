import {
  getInquiryEndpoint,
  listInquiriesEndpoint,
  updateInquiryEndpoint,
} from '../../../shared/contract/inquiries.ts';
import { createLeadEndpoint, listLeadsEndpoint } from '../../../shared/contract/leads.ts';
import type { Cast } from '../cast.ts';

export async function thursday({ business, mia, phone }: Cast): Promise<void> {
  await business.at('Thu', '09:00');
  await mia.moves('Tom', 'lost');
  await business.at('Thu', '09:30');
  await mia.moves('Gus', 'quoted');
  await business.at('Thu', '09:40');
  await mia.marks('chat with Ava', { isFlagged: false });
  await mia.marks('form of Gus', { isFlagged: true, isRead: true });
  await mia.marksRead('Gus');

  // Read, and unread again: it is then the newest of the unread.
  await business.at('Thu', '11:00');
  await mia.marksRead('Tom');
  await mia.marks('mail of Tom', { isRead: true });
  await mia.marks('second mail of Tom', { isRead: true });
  await business.at('Thu', '11:10');
  await mia.marks('second mail of Tom', { isRead: false });

  await business.at('Thu', '11:30');
  await phone.brings('call of a short number', { of: 'short', source: 'CALL', lead: { phone: '12345' } });

  // Two minutes on either side of midnight, and one day in UTC.
  await business.at('Thu', '23:59');
  await mia.moves('Lena', 'active');
}

export async function friday({ business, mia }: Cast): Promise<void> {
  await business.at('Fri', '00:01');
  await mia.moves('Lena', 'pending');
  await business.at('Fri', '09:00');
  await mia.moves('Tom', 'archived');
  await business.at('Fri', '09:05');
  await mia.marksRead('Tom', false);

  await business.at('Fri', '10:00');
  await mia.moves('Uma', 'quoted');
  // Mia writes down a call that she took herself.
  await business.at('Fri', '10:30');
  await mia.brings('call of Lena', {
    ...{ of: 'Lena', source: 'CALL', isRead: true, summary: 'Asks for a date' },
    leadId: business.names.idOf('Lena'),
  });
  await business.at('Fri', '15:00');
  await mia.moves('Uma', 'won');
}

export async function saturday({ business, mia, ben, phone }: Cast): Promise<void> {
  await business.at('Sat', '10:00');
  await mia.moves('somebody', 'archived');
  await business.at('Sat', '12:00');
  await mia.moves('Gus', 'won');
  await mia.moves('short', 'lost');

  // Of two flags one goes, so the lead keeps its own.
  await business.at('Sat', '13:00');
  await ben.marks('texts of Uma', { isFlagged: true });
  await ben.marks('form of Uma', { isFlagged: true });
  await ben.marks('texts of Uma', { isFlagged: false, isRead: true });
  await business.at('Sat', '13:10');
  await ben.marks('second call of Sofia', { isRead: true, tag: 'Burst pipe' });
  await ben.marks('hidden call', { tag: 'Spam' });
  await ben.marks('hidden call', { tag: '' });

  // The provider sends it by two lines at once.
  await business.at('Sat', '20:00');
  await phone.bringsTwiceAtOnce('call of Joe', {
    ...{ of: 'Joe', source: 'CALL', externalInquiryId: 'call-1002' },
    lead: { name: 'Joe Smyth', phone: '+1 202 555 0143' },
  });
  await business.at('Sat', '20:10');
  await ben.changes('Joe', { lastName: 'Smith' });
  await business.at('Sat', '21:00');
  await mia.adds('Otto', { name: 'Otto Kost', status: 'quoted', email: 'otto@example.com' });
}

/** In this night the clocks go forward. */
export async function sunday({ business, mia, phone, chat, site }: Cast): Promise<void> {
  await business.at('Sun', '01:59');
  await phone.brings('call of Kim', {
    of: 'Kim',
    source: 'CALL',
    lead: { name: 'Kim Kovač', phone: '08 7010 0123' },
  });
  // Two minutes later.
  await business.at('Sun', '03:01');
  await chat.brings('chat with Leo', { of: 'Leo', source: 'CHATBOT', lead: { name: 'Leo Leonard' } });

  await business.at('Sun', '10:00');
  await mia.moves('somebody', 'pending');
  await business.at('Sun', '11:00');
  await mia.moves('Ava', 'active');

  await business.at('Sun', '23:50');
  await site.brings('form of Nia', { of: 'Nia', source: 'WEBFORM', lead: { email: 'nia@example.com' } });
}

/** In the night to Monday: where the clocks had not gone forward, it would be Sunday still. */
export async function mondayAfter({ business, phone, mailbox }: Cast): Promise<void> {
  await business.at('Mon after', '00:10');
  await phone.brings('call of Pat', {
    ...{ of: 'Pat', source: 'CALL', tag: 'Burst pipe' },
    lead: { name: 'Pat Quinn', phone: '0491 570 157' },
  });
  await business.at('Mon after', '00:12');
  await mailbox.brings('mail of Sofia', {
    ...{ of: 'Sofia', source: 'EMAIL', lead: { email: 'Sofia@example.com', suburb: 'Elsewhere' } },
  });

  // All that a provider may do is to bring inquiries.
  const inquiryId = business.names.idOf('call of Pat');
  await phone.mayNot(listLeadsEndpoint);
  await phone.mayNot(createLeadEndpoint, {}, { name: 'Pat' });
  await phone.mayNot(listInquiriesEndpoint);
  await phone.mayNot(getInquiryEndpoint, { inquiryId });
  await phone.mayNot(updateInquiryEndpoint, { inquiryId }, { isRead: true });
}
