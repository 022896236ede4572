/* What must be in the inquiries when the week is over, worked out by hand as the lists of `expected.ts` are. */

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
    ...{ Name: 'Thomas Baker', 'E-Mail': 'TOM@example.com', Phone: '0491 577 426' },
    ...{ message: 'Any news?', photo: 'roof.jpg (a file, not kept)' },
  },
  'form of Rex': { email: 'rex(at)example' },
};
