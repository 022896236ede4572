/*
 * What must be there when the week is over, worked out by hand from the story: what is late in the week comes first in lists, as
 * in the service. A new day, or a new thing on a day, is written down here too.
 */

import type { Day } from './calendar.ts';

/** All leads, newest first. */
export const everyone = [
  ...['Pat', 'Nia', 'Leo', 'Ike', 'Rae', 'Otto', 'Joe', 'Rex'],
  ...['Zoe', 'Uma', 'Ava', 'Gus', 'Vic', 'Lena', 'Tom', 'Sofia'],
];

/** Fields of each lead: see `PersonView.leadCards`. */
export const leadCards = {
  Sofia: {
    name: 'Sofia Rossi',
    phone: '+61491570156',
    email: 'sofia@example.com',
    suburb: 'Norwood',
    came: 'Mon 00:10',
    changed: 'Mon after 00:12',
    last: 'mail of Sofia, Mon after 00:12',
    status: 'won',
    read: true,
    unreadEmails: 1,
  },
  Tom: {
    name: 'Tom Baker',
    email: 'tom@example.com',
    came: 'Mon 09:45',
    changed: 'Fri 09:05',
    last: 'form of Tom, Thu 20:00',
    status: 'archived',
    unreadEmails: 1,
    unreadWebformSubmissions: 1,
  },
  Lena: {
    name: 'Lena Koch',
    businessName: 'Café Koch',
    phone: '+493023125012',
    suburb: 'Unley',
    socials: { Instagram: '@cafekoch' },
    came: 'Mon 10:00',
    changed: 'Fri 10:30',
    last: 'call of Lena, Fri 10:30',
    status: 'pending',
  },
  Vic: {
    name: 'Vic Stone',
    phone: '+61491572549',
    email: 'vic@example.com',
    suburb: 'Brompton',
    came: 'Mon 20:00',
    changed: 'Tue 12:00',
    last: 'texts with Vic, Tue 12:00',
    status: 'pending',
    unreadWebformSubmissions: 1,
  },
  Gus: {
    name: 'Gus Özil',
    businessName: 'Özil & Sons',
    email: 'gus@example.com',
    suburb: 'Glenelg',
    came: 'Mon 23:50',
    changed: 'Sat 12:00',
    last: 'form of Gus, Mon 23:50',
    status: 'won',
    read: true,
    hasFlaggedInquiry: true,
  },
  Ava: {
    name: 'Ava',
    came: 'Tue 00:10',
    changed: 'Sun 11:00',
    last: 'chat with Ava, Tue 00:10',
    status: 'active',
    unreadChatbotThreads: 1,
  },
  Uma: {
    name: 'Uma Das',
    phone: '+61491571266',
    came: 'Wed 11:00',
    changed: 'Sun 12:00',
    last: 'texts of Uma, Sun 12:00',
    status: 'won',
    unreadWebformSubmissions: 1,
    unreadSMS: 1,
    hasFlaggedInquiry: true,
  },
  Zoe: {
    name: '',
    phone: '+61491571491',
    status: 'pending',
    unreadSMS: 1,
    came: 'Wed 16:00',
    changed: 'Sun 09:00',
    last: 'texts of Zoe, Sun 09:00',
  },
  Rex: {
    name: 'Rex Hall',
    phone: '+61491572983',
    status: 'pending',
    unreadWebformSubmissions: 1,
    isOptedOut: true,
    came: 'Sat 15:00',
    changed: 'Sat 15:00',
    last: 'form of Rex, Sat 15:00',
  },
  Joe: {
    name: 'Joe Smith',
    phone: '+12025550143',
    came: 'Sat 20:00',
    changed: 'Sat 21:10',
    last: 'call of Joe, Sat 20:00',
    status: 'pending',
    unreadCalls: 1,
    externalId: 'invoices-7',
  },
  Otto: {
    name: 'Otto Kost',
    email: 'otto@example.com',
    status: 'quoted',
    externalId: 'invoices-8',
    came: 'Sat 21:00',
    changed: 'Sat 21:00',
    last: 'none',
  },
  Rae: {
    name: 'Rae Wong',
    email: 'rae@example.com',
    phone: '+61491573087',
    suburb: 'Unley; SA',
    came: 'Sat 21:30',
    changed: 'Sat 21:30',
    last: 'none',
    status: 'won',
    read: true,
  },
  Ike: {
    name: 'Ike Moss',
    socials: { instagram: '@ikemoss' },
    status: 'pending',
    came: 'Sat 21:30',
    changed: 'Sat 21:30',
    last: 'none',
  },
  Leo: {
    name: 'Leo Leonard',
    status: 'pending',
    unreadChatbotThreads: 1,
    came: 'Sun 03:01',
    changed: 'Sun 03:01',
    last: 'chat with Leo, Sun 03:01',
  },
  Nia: {
    name: '',
    email: 'nia@example.com',
    status: 'pending',
    unreadWebformSubmissions: 1,
    came: 'Sun 23:50',
    changed: 'Sun 23:50',
    last: 'form of Nia, Sun 23:50',
  },
  Pat: {
    name: 'Pat Quinn',
    phone: '+61491570157',
    status: 'pending',
    unreadCalls: 1,
    came: 'Mon after 00:10',
    changed: 'Mon after 00:10',
    last: 'call of Pat, Mon after 00:10',
  },
};

/** All inquiries, newest first: see `PersonView.inquiryLines`. */
export const inquiryLines = [
  'Mon after 00:12 EMAIL mail of Sofia of Sofia: ',
  'Mon after 00:10 CALL call of Pat of Pat: first, #Burst pipe',
  'Sun 23:50 WEBFORM form of Nia of Nia: first',
  'Sun 03:01 CHATBOT chat with Leo of Leo: first',
  'Sat 20:00 CALL call of Joe of Joe: first, call-1002',
  'Sat 15:00 WEBFORM form of Rex of Rex: first',
  'Fri 10:30 CALL call of Lena of Lena: first, read, #Burst pipe, Asks for a date',
  'Thu 20:00 WEBFORM form of Tom of Tom: Any news?',
  'Wed 16:00 SMS texts of Zoe of Zoe: first, start',
  'Wed 12:00 WEBFORM form of Uma of Uma: flagged',
  'Wed 11:00 SMS texts of Uma of Uma: first, Warm again, thanks!',
  'Tue 16:00 SMS texts with Sofia of Sofia: read, Thank you! When?',
  'Tue 12:00 SMS texts with Vic of Vic: read, We come at five',
  'Tue 10:00 EMAIL second mail of Tom of Tom: mail-2, #Quote',
  'Tue 00:10 CHATBOT chat with Ava of Ava: first, #Complaint, Wants to speak to Mia',
  'Mon 23:50 WEBFORM form of Gus of Gus: first, read, flagged',
  'Mon 20:00 WEBFORM booking of Vic of Vic: first, Blocked drain',
  'Mon 09:45 EMAIL mail of Tom of Tom: first, read, mail-1, #Quote',
  'Mon 00:10 CALL burst pipe of Sofia: first, read, call-1001, #Burst pipe',
];

const created = 'LEAD_CREATED: The lead was created';
const updated = 'LEAD_UPDATED: The lead was changed';
const called = 'INQUIRY_CREATED: There was a call';
const mailed = 'INQUIRY_CREATED: An email came in';
const chatted = 'INQUIRY_CREATED: There was a chat';
const texted = 'INQUIRY_CREATED: A conversation by SMS began';
const filledIn = 'INQUIRY_CREATED: A web form was sent';
const sent = 'SMS_SENT: An SMS was handed over to be sent';
const booked = 'APPOINTMENT_CREATED: An appointment was made';
const rebooked = 'APPOINTMENT_UPDATED: An appointment was changed';
const cancelled = 'APPOINTMENT_CANCELLED: An appointment was cancelled';
/** Activity without a token. */
const came = 'SMS_RECEIVED by the service: An SMS came in';
const moved = (from: string, to: string) => `LEAD_STATUS_CHANGED: Status changed from ${from} to ${to}`;

/** Activities of each lead, oldest first: see `PersonView.activities`. */
export const activities: Record<string, string[]> = {
  Sofia: [
    `Mon 00:10 ${created}`,
    `Mon 00:10 ${called} (burst pipe)`,
    `Mon 09:25 ${moved('pending', 'active')}`,
    `Tue 09:05 ${updated}`,
    `Tue 11:00 ${moved('active', 'quoted')}`,
    `Tue 16:00 ${texted} (texts with Sofia)`,
    `Tue 16:00 ${sent} (texts with Sofia)`,
    `Wed 08:30 ${moved('quoted', 'won')}`,
    `Wed 08:35 ${came} (texts with Sofia)`,
    `Wed 08:38 ${sent} (texts with Sofia)`,
    `Mon after 00:12 ${mailed} (mail of Sofia)`,
  ],
  Tom: [
    `Mon 09:45 ${created}`,
    `Mon 09:45 ${mailed} (mail of Tom)`,
    `Tue 10:00 ${mailed} (second mail of Tom)`,
    `Tue 11:00 ${moved('pending', 'active')}`,
    `Wed 10:00 ${moved('active', 'quoted')}`,
    `Thu 09:00 ${moved('quoted', 'lost')}`,
    `Thu 20:00 ${filledIn} (form of Tom)`,
    `Fri 09:00 ${moved('lost', 'archived')}`,
  ],
  Lena: [
    `Mon 10:00 ${created}`,
    `Tue 15:00 ${updated}`,
    `Tue 15:00 ${updated}`,
    `Thu 23:59 ${moved('pending', 'active')}`,
    `Fri 00:01 ${moved('active', 'pending')}`,
    `Fri 10:30 ${called} (call of Lena)`,
    `Fri 10:42 ${booked} (drain of Lena)`,
    `Sun 10:00 ${rebooked} (drain of Lena)`,
  ],
  Vic: [
    `Mon 20:00 ${created}`,
    `Mon 20:00 ${filledIn} (booking of Vic)`,
    `Tue 12:00 ${texted} (texts with Vic)`,
    `Tue 12:00 ${sent} (texts with Vic)`,
  ],
  Gus: [
    `Mon 23:50 ${created}`,
    `Mon 23:50 ${filledIn} (form of Gus)`,
    `Tue 14:00 ${updated}`,
    `Tue 14:10 ${updated}`,
    `Tue 14:10 ${moved('pending', 'active')}`,
    `Thu 09:30 ${moved('active', 'quoted')}`,
    `Sat 12:00 ${moved('quoted', 'won')}`,
    `Sat 12:00 ${booked} (gutters of Gus)`,
    `Sun 10:00 ${cancelled} (gutters of Gus)`,
  ],
  Ava: [
    `Tue 00:10 ${created}`,
    `Tue 00:10 ${chatted} (chat with Ava)`,
    `Sun 11:00 ${moved('pending', 'active')}`,
  ],
  Uma: [
    `Wed 11:00 ${created}`,
    `Wed 11:00 ${texted} (texts of Uma)`,
    `Wed 12:00 ${filledIn} (form of Uma)`,
    `Fri 10:00 ${moved('pending', 'quoted')}`,
    `Fri 15:00 ${moved('quoted', 'won')}`,
    `Fri 15:10 ${booked} (tank of Uma)`,
    `Sun 10:00 ${rebooked} (tank of Uma)`,
    `Sun 12:00 ${came} (texts of Uma)`,
  ],
  Zoe: [
    'Wed 16:00 LEAD_CREATED by the service: The lead was created',
    'Wed 16:00 INQUIRY_CREATED by the service: A conversation by SMS began (texts of Zoe)',
    `Wed 16:00 ${came} (texts of Zoe)`,
    `Thu 10:00 ${sent} (texts of Zoe)`,
    `Fri 11:00 ${came} (texts of Zoe)`,
    'Fri 11:00 LEAD_OPTED_OUT by the service: The lead opted out of SMS',
    `Fri 11:00 ${sent} (texts of Zoe)`,
    `Sun 09:00 ${came} (texts of Zoe)`,
    'Sun 09:00 LEAD_OPTED_IN by the service: The lead opted in to SMS again',
    `Sun 09:00 ${sent} (texts of Zoe)`,
    `Sun 09:10 ${sent} (texts of Zoe)`,
  ],
  Rex: [`Sat 15:00 ${created}`, `Sat 15:00 ${filledIn} (form of Rex)`],
  Joe: [
    `Sat 20:00 ${created}`,
    `Sat 20:00 ${called} (call of Joe)`,
    `Sat 20:10 ${updated}`,
    `Sat 21:10 ${updated}`,
  ],
  Otto: [`Sat 21:00 ${created}`],
  Rae: [`Sat 21:30 ${created}`],
  Ike: [`Sat 21:30 ${created}`],
  Leo: [`Sun 03:01 ${created}`, `Sun 03:01 ${chatted} (chat with Leo)`],
  Nia: [`Sun 23:50 ${created}`, `Sun 23:50 ${filledIn} (form of Nia)`],
  Pat: [`Mon after 00:10 ${created}`, `Mon after 00:10 ${called} (call of Pat)`],
};

/** Messages of each conversation by SMS, oldest first: see `PersonView.texts`. */
export const texts = {
  'texts with Vic': ['OUTBOUND UNDELIVERED Tue 12:00: We come at five'],
  'texts with Sofia': [
    'OUTBOUND DELIVERED Tue 16:00: Your quote is in the mail',
    'INBOUND RECEIVED Wed 08:35: Thank you! When?',
    'OUTBOUND DELIVERED Wed 08:38: On Thursday at nine',
  ],
  'texts of Uma': [
    'INBOUND RECEIVED Wed 11:00: No hot water',
    'OUTBOUND SENT Wed 11:00: Since when?',
    'INBOUND RECEIVED Sun 12:00: Warm again, thanks!',
  ],
  'texts of Zoe': [
    'INBOUND RECEIVED Wed 16:00: Do you fix gas heaters?',
    'OUTBOUND DELIVERED Thu 10:00: We do. When suits you?',
    'INBOUND RECEIVED Fri 11:00: Stop.',
    'OUTBOUND DELIVERED Fri 11:00: Torrens Plumbing: You will get no more texts from us. Reply START to get them again.',
    'INBOUND RECEIVED Sun 09:00: start',
    'OUTBOUND DELIVERED Sun 09:00: Torrens Plumbing: You will get texts from us again. Reply STOP to get no more.',
    'OUTBOUND DELIVERED Sun 09:10: Welcome back',
  ],
};

/** Values that visitors of the website typed and their leads do not have, or did not have before. */
export const typed = {
  'booking of Vic': { message: 'Blocked drain', 'Best time': 'evening' },
  'form of Tom': {
    Name: 'Thomas Baker',
    'E-Mail': 'TOM@example.com',
    Phone: '0491 577 426',
    message: 'Any news?',
    photo: 'roof.jpg (a file, not kept)',
  },
  'form of Rex': { email: 'rex(at)example' },
};

/** Answers that callers get around the long weekend when the clocks go forward. */
export const hours: readonly (readonly [day: Day, time: string, told: string])[] = [
  ['Thu', '16:59', 'Open until 5 pm'],
  ['Thu', '17:00', 'Closed until 8 am on Friday, 2 October'],
  ['Fri', '12:00', 'Open until 12:30 pm'],
  ['Fri', '12:30', 'Closed until 8 am on Tuesday, 6 October'],
  ['Sat', '22:00', 'Closed until 8 am on Tuesday, 6 October, on call'],
  ['Sun', '05:59', 'Closed until 8 am on Tuesday, 6 October, on call'],
  ['Sun', '06:00', 'Closed until 8 am on Tuesday, 6 October'],
  ['Mon after', '09:00', 'Closed for Labour Day until 8 am on Tuesday, 6 October'],
];

/** All appointments, newest first: see `Diary.lines`. The appointment of Hal was erased with him. */
export const appointments = [
  'Sun 04:00 to Sun 05:00 gutters of Gus of Gus: CANCELLED',
  'Sat 23:30 to Sun 04:30 tank of Uma of Uma: COMPLETED',
  'Tue after 09:00 to Tue after 10:30 drain of Lena of Lena: PENDING, moved',
];

/** Times that are free for a blocked drain in the days of the long weekend and after. */
export const freeTimes = [
  ...['10:30', '11:00', '11:30', '12:00', '12:30', '13:00', '13:30', '14:00', '14:30', '15:00', '15:30'],
].map((time) => `Tue after ${time}`);

/** The first of them, as a caller is told. */
export const offeredTimes =
  'I can offer Tuesday the 6th of October at 10:30 in the morning, Tuesday the 6th of October at 11 in the morning, ' +
  'or Tuesday the 6th of October at 11:30 in the morning.';
