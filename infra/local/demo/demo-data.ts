import type { NewFaq } from '../../../shared/contract/faqs.ts';
import type { InquirySource } from '../../../shared/contract/inquiries.ts';
import type { LeadStatus, NewLead } from '../../../shared/contract/leads.ts';
import type { NewPolicy } from '../../../shared/contract/policies.ts';
import type { NewProduct } from '../../../shared/contract/products.ts';
import type { NewService } from '../../../shared/contract/services.ts';
import type { NewTransfer } from '../../../shared/contract/transfers.ts';
import type { NewCategory } from '../../../shared/domain/categories/categories.ts';
import type { NewInquiry } from '../../../shared/domain/inquiries/inquiries.ts';
import type { NewMember } from '../../../shared/domain/members/members.ts';
import type { NewOrganization } from '../../../shared/domain/organizations/organizations.ts';

/** One sentence of a call or chat: seconds after its start, speaker, text. */
export type Utterance = [after: number, user: 'user' | 'assistant', text: string];

type DataOf<Source extends InquirySource> = Extract<NewInquiry, { source: Source }>['data'];

/** An inquiry without timestamps. `toNewInquiry` derives them from the time at which it ended or arrived. */
export type DemoInquiry = Omit<NewInquiry, 'source' | 'data'> &
  (
    | {
        source: 'CALL';
        data: Pick<DataOf<'CALL'>, 'keyPoints' | 'recordingUrl' | 'direction' | 'duration' | 'endedBy'>;
        utterances: Utterance[];
      }
    | { source: 'CHATBOT'; utterances: Utterance[] }
    | { source: 'EMAIL'; data: Omit<DataOf<'EMAIL'>, 'receivedAt'> }
    | { source: 'SMS'; text: string }
    | { source: 'WEBFORM'; data: Omit<DataOf<'WEBFORM'>, 'submittedAt'> }
  );

/** One event in an organization. It refers to records by name, and to members by first name. */
export type DemoEvent = {
  /** Time of the event, on the demo's own clock. */
  at: string;
} & (
  | { what: 'lead'; lead: NewLead & { name: string }; inquiry?: DemoInquiry }
  | { what: 'inquiry'; of: string; inquiry: DemoInquiry }
  | { what: 'status'; by: string; of: string; becomes: LeadStatus }
  /** Continues the lead's thread, if the lead began one. */
  | { what: 'sms'; by: string; to: string; message: string }
  | { what: 'company'; name: string }
  | { what: 'note'; about: string; by: string; value: string }
);

/** The initial records of an organization. */
export interface SetUp {
  members: NewMember[];
  invitation: Required<Pick<NewMember, 'email' | 'role'>>;
  categories: NewCategory[];
  services: (Omit<NewService, 'tradeCategoryId'> & { category: string })[];
  products: (Omit<NewProduct, 'tradeCategoryId'> & { category: string })[];
  transfers: (Omit<NewTransfer, 'scenarioId'> & { scenarioOfService?: string })[];
  policies: NewPolicy[];
  faqs: NewFaq[];
}

export interface DemoOrganization {
  foundedAt: string;
  /** Number that receives SMS, one of those that Australia reserves for fiction. */
  number: string;
  organization: Omit<NewOrganization, 'token'>;
  setUp?: SetUp;
  events: DemoEvent[];
}

const harbourPlumbing: DemoOrganization = {
  foundedAt: '2026-11-02T19:00+11:00',
  number: '+61491570737',
  organization: {
    name: 'Harbour Plumbing',
    country: 'AU',
    timeZone: 'Australia/Sydney',
    owner: {
      firstName: 'Mia',
      lastName: 'Tran',
      email: 'mia@harbourplumbing.example',
      position: 'Owner',
      responsibility: 'Quotes',
    },
  },
  setUp: {
    members: [
      {
        role: 'ADMIN',
        firstName: 'Daniel',
        lastName: 'Okafor',
        email: 'daniel@harbourplumbing.example',
        position: 'Office manager',
        responsibility: 'Bookings and invoices',
        avatarImg: 'https://harbourplumbing.example/team/daniel.jpg',
      },
      {
        role: 'USER',
        firstName: 'Ruby',
        lastName: 'Clarke',
        email: 'ruby@harbourplumbing.example',
        position: 'Plumber',
        responsibility: 'Drains and bathrooms',
      },
      {
        role: 'USER',
        firstName: 'Tom',
        lastName: 'Haddad',
        email: 'tom@harbourplumbing.example',
        position: 'Gas fitter',
        responsibility: 'Hot water and gas',
      },
    ],
    invitation: { email: 'jamie@harbourplumbing.example', role: 'USER' },
    categories: [
      { name: 'Emergencies', type: 'SERVICE' },
      { name: 'Hot water', type: 'SERVICE' },
      { name: 'Hot water systems', type: 'PRODUCT' },
    ],
    services: [
      {
        name: 'Blocked drain',
        description: 'Clear a blocked sink, shower or outside drain',
        followUpQuestions: ['Which drain is blocked?', 'Does water come back up anywhere else?'],
        category: 'Services',
        pricingMode: 'FIXED',
        fixedPrice: 180,
        plusGST: true,
        isDisclosePrice: true,
      },
      {
        name: 'Leaking tap',
        description: 'New washers, or a new mixer that is on the van',
        followUpQuestions: ['How many taps leak?', 'Do you have new taps already?'],
        duration: 45,
        category: 'Services',
        pricingMode: 'HOURLY',
        hourlyRate: 130,
        callOutFee: 90,
        plusGST: true,
        plusMaterials: true,
        isDisclosePrice: true,
      },
      {
        name: 'Bathroom renovation',
        description: 'All plumbing of a new bathroom, from the first pipe to the last tap',
        followUpQuestions: ['Is it a house or an apartment?', 'Do you have plans already?'],
        duration: 10,
        durationUnit: 'DAYS',
        category: 'Services',
        pricingMode: 'NONE',
        isCustomPriceResponseActive: true,
        customPriceResponse:
          'Every bathroom differs, so we have a look first. The visit and the quote are free.',
        teamAssignmentMethod: 'ROUND_ROBIN',
      },
      {
        name: 'Burst pipe',
        description: 'Stop the water, repair the pipe, at any hour',
        followUpQuestions: ['Can you turn off the water at the meter?', 'Where does the water come out?'],
        duration: 2,
        durationUnit: 'HOURS',
        category: 'Emergencies',
        pricingMode: 'HOURLY',
        hourlyRate: 190,
        callOutFee: 120,
        plusGST: true,
        plusMaterials: true,
        isDisclosePrice: true,
      },
      {
        name: 'Gas leak check',
        description: 'Pressure test of the gas line, with a certificate',
        followUpQuestions: ['Do you smell gas now?', 'Is the gas turned off at the meter?'],
        category: 'Emergencies',
        pricingMode: 'FIXED',
        fixedPrice: 220,
        isDisclosePrice: true,
      },
      {
        name: 'Hot water replacement',
        description: 'Take away the old hot water system, install a new one',
        followUpQuestions: [
          'Is it gas, electric or a heat pump?',
          'How many people live there?',
          'How old is the system?',
        ],
        duration: 4,
        durationUnit: 'HOURS',
        category: 'Hot water',
        pricingMode: 'RANGE',
        minPrice: 1450,
        maxPrice: 3900,
        plusGST: true,
        isDisclosePrice: true,
      },
      {
        name: 'Solar hot water',
        description: 'Not offered at present',
        followUpQuestions: ['Which way does the roof face?'],
        category: 'Hot water',
        isActive: false,
      },
    ],
    products: [
      {
        name: 'Hot water system, 250 l',
        description: 'Gas storage, ten years of warranty',
        response: 'The 250 litre gas system suits a family of four; we can usually install it the next day.',
        faqs: [{ question: 'Is the old one taken away?', answer: 'Yes, at no cost.' }],
        category: 'Hot water systems',
        pricingType: 'RANGE',
        price: 1450,
        maxPrice: 1900,
        isDisclosePrice: true,
      },
      {
        name: 'Heat pump, 270 l',
        description: 'Electric heat pump; there are government rebates for it',
        response: 'What the heat pump costs depends on the rebate. We work it out for you in the quote.',
        faqs: [
          {
            question: 'Is it loud?',
            answer: 'About as loud as a fridge. It should not stand below a bedroom.',
          },
          { question: 'Does it work in winter?', answer: 'Yes, down to 5 degrees below zero.' },
        ],
        category: 'Hot water systems',
        pricingType: 'NONE',
      },
      {
        name: 'Kitchen mixer tap',
        description: 'Chrome, pull-out spray',
        category: 'Products',
        pricingType: 'FIXED',
        price: 189.5,
        isDisclosePrice: true,
      },
    ],
    transfers: [
      {
        label: 'Burst pipes',
        method: 'WARM',
        destinationType: 'DEPARTMENT',
        destination: 'Emergencies',
        conditions: 'Water is running and cannot be turned off',
        summaryFormat: '{name} called about {topic}: {summary}',
        settings: { ignore_business_hours: true },
        scenarioOfService: 'Burst pipe',
      },
      {
        label: 'Large jobs',
        name: 'Bathrooms and other large jobs',
        method: 'WARM',
        destinationType: 'MEMBER',
        // Mia Tran, the owner, is the first member.
        destination: '1',
        conditions: 'The job will take more than a day, and the caller wants to talk about the price',
        summaryFormat: '{name}, {topic}. {summary}',
      },
      {
        label: 'Suppliers',
        method: 'COLD',
        destinationType: 'PHONE_NUMBER',
        destination: '+61491570737',
        conditions: 'The caller sells or delivers something',
      },
    ],
    policies: [
      {
        title: 'Cancellations',
        content:
          'Free of charge until 24 hours before the appointment. After that, we charge the call-out fee.',
      },
      { title: 'Warranty', content: 'Six years on our work. Products have the warranty of their maker.' },
      {
        title: 'Payment',
        content: 'Card or bank transfer, within seven days. Jobs over $2,000: 20 % in advance.',
      },
      { title: 'Summer prices 2025', content: 'No call-out fee in January.', isActive: false },
    ],
    faqs: [
      { question: 'Do you work on weekends?', answer: 'Emergencies only.' },
      {
        question: 'Where do you work?',
        answer: 'In the inner west, the east and the north shore of Sydney.',
      },
      {
        question: 'Are you licensed?',
        answer: 'Yes, for plumbing, drainage and gas fitting in New South Wales.',
      },
    ],
  },
  events: [
    {
      at: '2026-11-03T08:12+11:00',
      what: 'lead',
      lead: {
        name: 'Oliver Bennett',
        email: 'oliver.bennett@example.com',
        phone: '0491 570 156',
        suburb: 'Manly',
      },
      inquiry: {
        source: 'WEBFORM',
        tag: 'Quote',
        summary: 'Wants the kitchen mixer replaced and a dishwasher connected',
        isRead: true,
        externalId: 'form-20418',
        data: {
          formName: 'Ask for a quote',
          fields: {
            Name: 'Oliver Bennett',
            Email: 'oliver.bennett@example.com',
            Phone: '0491 570 156',
            Suburb: 'Manly',
            'How can we help?':
              'Our kitchen mixer drips and should be replaced. Could you also connect a new dishwasher on the same day?',
          },
        },
      },
    },
    {
      at: '2026-11-03T09:44+11:00',
      what: 'lead',
      lead: {
        name: 'Priya Nair',
        email: 'priya.nair@example.com',
        phone: '0491 570 157',
        suburb: 'Balmain',
      },
      inquiry: {
        source: 'CALL',
        tag: 'Hot water',
        summary: 'Wants to replace a gas hot water system before it fails, and a quote by email',
        isRead: true,
        data: {
          keyPoints: ['Gas storage, 14 years old', 'Family of four', 'No hurry', 'Quote by email'],
          recordingUrl: 'https://recordings.example.com/2026-11-03-priya-nair.mp3',
          direction: 'LEAD_TO_AI',
          duration: 96,
          endedBy: 'user',
        },
        utterances: [
          [1, 'assistant', 'Harbour Plumbing, how can I help?'],
          [
            6,
            'user',
            'Hi, our hot water system is fourteen years old, and I would rather replace it in time.',
          ],
          [15, 'assistant', 'Gladly. Is it gas, electric or a heat pump?'],
          [21, 'user', 'Gas, with a tank. It stands outside.'],
          [27, 'assistant', 'How many people live there?'],
          [31, 'user', 'Four of us.'],
          [
            35,
            'assistant',
            'A replacement is between $1,450 and $3,900 plus GST. Shall we email you a quote?',
          ],
          [49, 'user', 'Yes please. Priya Nair, in Balmain, priya.nair@example.com. There is no hurry.'],
          [78, 'assistant', 'Thank you, Priya. You will have it today.'],
          [88, 'user', 'Great. Bye.'],
        ],
      },
    },
    {
      at: '2026-11-03T11:05+11:00',
      what: 'lead',
      lead: {
        name: 'Hannah Weiss',
        businessName: 'Corner Bakery Pty Ltd',
        email: 'hannah@cornerbakery.example',
        phone: '0491 570 006',
        suburb: 'Newtown',
        socials: { instagram: 'https://instagram.com/cornerbakery.example' },
      },
      inquiry: {
        source: 'EMAIL',
        tag: 'Drains',
        summary: 'The floor drain of the bakery smells and drains slowly',
        isRead: true,
        externalId: '<bakery-drain-1@cornerbakery.example>',
        data: {
          subject: 'Floor drain in the bakery',
          from: 'hannah@cornerbakery.example',
          to: 'office@harbourplumbing.example',
          body:
            'Hello,\n\nthe floor drain beside our ovens drains slowly and has begun to smell. We close at 2 pm, so any ' +
            'afternoon suits us.\n\nHannah Weiss\nCorner Bakery, Newtown',
        },
      },
    },
    { at: '2026-11-03T12:10+11:00', what: 'status', by: 'Mia', of: 'Priya Nair', becomes: 'quoted' },
    { at: '2026-11-03T12:25+11:00', what: 'status', by: 'Mia', of: 'Oliver Bennett', becomes: 'quoted' },
    {
      at: '2026-11-03T13:31+11:00',
      what: 'inquiry',
      of: 'Priya Nair',
      inquiry: {
        source: 'EMAIL',
        tag: 'Hot water',
        summary: 'Asks for the price of a heat pump beside the quote for gas',
        externalId: '<quote-re-1@example.com>',
        data: {
          subject: 'Re: Your quote for a gas hot water system',
          from: 'priya.nair@example.com',
          to: 'office@harbourplumbing.example',
          body: 'Thanks for the quick quote. What would a heat pump cost, with the rebate?\n\nPriya',
        },
      },
    },
    {
      at: '2026-11-03T15:20+11:00',
      what: 'lead',
      lead: { name: 'Jack Wilson', phone: '0491 570 158', suburb: 'Bondi' },
      inquiry: {
        source: 'SMS',
        tag: 'Taps',
        summary: 'Asks what a new tap washer costs',
        isRead: true,
        text: 'Hi, bathroom tap drips, probably just the washer. What would that cost in Bondi? Jack Wilson',
      },
    },
    {
      at: '2026-11-03T15:32+11:00',
      what: 'sms',
      by: 'Daniel',
      to: 'Jack Wilson',
      message:
        'Hi Jack, $90 call-out and $130 an hour plus GST; a washer takes half an hour. Daniel, Harbour Plumbing',
    },
    {
      at: '2026-11-03T16:12+11:00',
      what: 'inquiry',
      of: 'Hannah Weiss',
      inquiry: {
        source: 'CALL',
        tag: 'Drains',
        summary: 'Confirmed the drain for Thursday at 2:30 pm',
        isRead: true,
        data: {
          keyPoints: ['Thursday, 2:30 pm', 'Entrance at the back, in the lane'],
          recordingUrl: 'https://recordings.example.com/2026-11-03-hannah-weiss.mp3',
          direction: 'AI_TO_LEAD',
          duration: 48,
          endedBy: 'assistant',
        },
        utterances: [
          [1, 'user', 'Corner Bakery, Hannah speaking.'],
          [
            4,
            'assistant',
            'Hello Hannah, Harbour Plumbing. Would Thursday at 2:30 pm suit you for the drain?',
          ],
          [13, 'user', 'Yes, perfect. Please come to the back door, in the lane.'],
          [22, 'assistant', 'I will note that. Ruby will be there on Thursday at 2:30 pm.'],
          [33, 'user', 'Thanks, see you then.'],
          [37, 'assistant', 'Thank you, Hannah. Goodbye.'],
        ],
      },
    },
    { at: '2026-11-03T16:14+11:00', what: 'status', by: 'Daniel', of: 'Hannah Weiss', becomes: 'active' },
    {
      at: '2026-11-04T07:42+11:00',
      what: 'lead',
      lead: {
        name: 'Sofia Rossi',
        email: 'sofia.rossi@example.com',
        phone: '0491 570 159',
        suburb: 'Leichhardt',
      },
      inquiry: {
        source: 'CALL',
        tag: 'Hot water',
        summary: 'No hot water since this morning, wants someone today',
        isRead: true,
        data: {
          keyPoints: ['Gas storage heater, eight years old', 'Home after 3 pm'],
          recordingUrl: 'https://recordings.example.com/2026-11-04-sofia-rossi.mp3',
          direction: 'LEAD_TO_AI',
          duration: 74,
          endedBy: 'user',
        },
        utterances: [
          [2, 'assistant', 'Harbour Plumbing, how can I help?'],
          [7, 'user', 'We have had no hot water since this morning. Can someone come today?'],
          [14, 'assistant', 'I am sorry to hear that. Is it gas or electric, and how old is it?'],
          [21, 'user', 'Gas, with a tank, eight years old.'],
          [27, 'assistant', 'And do you smell gas?'],
          [30, 'user', 'No, nothing.'],
          [33, 'assistant', 'Good. What is your name, and when can we come?'],
          [38, 'user', 'Sofia Rossi, in Leichhardt. I am home after three.'],
          [46, 'assistant', 'Thank you, Sofia. We will send you a message with the time.'],
          [66, 'user', 'Wonderful, thanks.'],
        ],
      },
    },
    {
      at: '2026-11-04T07:55+11:00',
      what: 'sms',
      by: 'Mia',
      to: 'Sofia Rossi',
      message: 'Hi Sofia, Tom can be there at 3 pm. Mia, Harbour Plumbing',
    },
    { at: '2026-11-04T07:56+11:00', what: 'status', by: 'Mia', of: 'Sofia Rossi', becomes: 'active' },
    {
      at: '2026-11-04T09:15+11:00',
      what: 'lead',
      lead: {
        name: 'Grace Liu',
        businessName: 'Bayview Strata',
        email: 'grace@bayviewstrata.example',
        phone: '0491 571 266',
        suburb: 'Rozelle',
      },
      inquiry: {
        source: 'EMAIL',
        tag: 'Quote',
        summary: 'Asks for a quote to renew the backflow valves of three buildings',
        isRead: true,
        externalId: '<valves-7@bayviewstrata.example>',
        data: {
          subject: 'Quote: backflow valves, three buildings',
          from: 'grace@bayviewstrata.example',
          to: 'office@harbourplumbing.example',
          body:
            'Good morning,\n\nwe manage three buildings in Rozelle whose backflow valves are due. Please quote for each ' +
            'building by itself; the owners decide on 20 November.\n\nGrace Liu\nBayview Strata',
        },
      },
    },
    { at: '2026-11-04T09:25+11:00', what: 'company', name: 'Bayview Strata' },
    {
      at: '2026-11-04T09:27+11:00',
      what: 'note',
      about: 'Bayview Strata',
      by: 'Daniel',
      value: 'Manages some forty buildings in the inner west. Invoices go to accounts@bayviewstrata.example.',
    },
    {
      at: '2026-11-04T12:20+11:00',
      what: 'lead',
      lead: { name: 'Marcus Webb', email: 'marcus@rankrocket.example' },
      inquiry: {
        source: 'WEBFORM',
        tag: 'Advertising',
        summary: 'Offers to advertise the website',
        isRead: true,
        externalId: 'form-20431',
        data: {
          formName: 'Ask for a quote',
          fields: {
            Name: 'Marcus Webb',
            Email: 'marcus@rankrocket.example',
            'How can we help?': 'We bring plumbers to the first page of every search. Shall we talk?',
          },
        },
      },
    },
    { at: '2026-11-04T12:24+11:00', what: 'status', by: 'Daniel', of: 'Marcus Webb', becomes: 'archived' },
    {
      at: '2026-11-04T14:05+11:00',
      what: 'inquiry',
      of: 'Oliver Bennett',
      inquiry: {
        source: 'EMAIL',
        tag: 'Accepted',
        summary: 'Accepts the quote, asks for Friday morning',
        isRead: true,
        externalId: '<quote-re-2@example.com>',
        data: {
          subject: 'Re: Your quote for a mixer and a dishwasher',
          from: 'oliver.bennett@example.com',
          to: 'office@harbourplumbing.example',
          body: 'Hi Mia,\n\nthat works for us, please go ahead. Could you come on Friday morning?\n\nOliver',
        },
      },
    },
    { at: '2026-11-04T14:30+11:00', what: 'status', by: 'Mia', of: 'Oliver Bennett', becomes: 'won' },
    {
      at: '2026-11-04T16:48+11:00',
      what: 'note',
      about: 'Bayview Strata',
      by: 'Mia',
      value: 'Grace prefers quotes by email, before noon, one for each building.',
    },
    {
      at: '2026-11-04T17:30+11:00',
      what: 'lead',
      lead: { name: 'Ethan Murray', phone: '0491 571 491', suburb: 'Coogee' },
    },
    {
      at: '2026-11-05T08:20+11:00',
      what: 'note',
      about: 'Bayview Strata',
      by: 'Ruby',
      value: 'Keys to the plant rooms are with the caretaker, weekdays from 8 am to 1 pm.',
    },
    { at: '2026-11-05T08:40+11:00', what: 'status', by: 'Daniel', of: 'Jack Wilson', becomes: 'lost' },
    { at: '2026-11-05T09:30+11:00', what: 'status', by: 'Mia', of: 'Grace Liu', becomes: 'quoted' },
    {
      at: '2026-11-05T10:02+11:00',
      what: 'lead',
      lead: {
        name: 'Aisha Rahman',
        email: 'aisha.rahman@example.com',
        phone: '0491 571 804',
        suburb: 'Marrickville',
      },
      inquiry: {
        source: 'CHATBOT',
        tag: 'Bathroom',
        summary: 'Plans a new bathroom in a terrace house, wants to know what it costs',
        externalId: 'chat-7731',
        utterances: [
          [0, 'assistant', 'Hello! What can we do for you?'],
          [14, 'user', 'We are planning a new bathroom. What would the plumbing cost?'],
          [
            16,
            'assistant',
            'Every bathroom differs, so we have a look first. The visit and the quote are free.',
          ],
          [18, 'assistant', 'Is it a house or an apartment?'],
          [41, 'user', 'A terrace house in Marrickville. The bathroom is upstairs.'],
          [43, 'assistant', 'Thank you. How can we reach you?'],
          [82, 'user', 'Aisha Rahman, aisha.rahman@example.com or 0491 571 804. I will call later today.'],
        ],
      },
    },
    {
      at: '2026-11-05T12:18+11:00',
      what: 'inquiry',
      of: 'Aisha Rahman',
      inquiry: {
        source: 'CALL',
        tag: 'Bathroom',
        summary: 'Wants a visit for the new bathroom next Tuesday',
        data: {
          keyPoints: ['Terrace house, bathroom upstairs', 'Has plans from an architect', 'Tuesday, any time'],
          recordingUrl: 'https://recordings.example.com/2026-11-05-aisha-rahman.mp3',
          direction: 'LEAD_TO_AI',
          duration: 83,
          endedBy: 'user',
        },
        utterances: [
          [1, 'assistant', 'Harbour Plumbing, how can I help?'],
          [5, 'user', 'Hello, Aisha Rahman. I wrote to you this morning about our bathroom.'],
          [13, 'assistant', 'Hello Aisha. The upstairs bathroom in Marrickville. Do you have plans already?'],
          [21, 'user', 'Yes, from an architect. Could someone have a look next week, on Tuesday?'],
          [30, 'assistant', 'On Tuesday, certainly. Is there a time that suits you?'],
          [36, 'user', 'I work from home, so any time.'],
          [40, 'assistant', 'Then we will confirm the time by email. Is there anything else?'],
          [48, 'user', 'Should I send you the plans?'],
          [53, 'assistant', 'Please do, to office@harbourplumbing.example.'],
          [76, 'user', 'I will. Thank you.'],
        ],
      },
    },
  ],
};

/** A second organization shows that none sees another's data. */
const summitElectrical: DemoOrganization = {
  foundedAt: '2026-11-03T09:00+13:00',
  number: '+61491572983',
  organization: {
    name: 'Summit Electrical',
    country: 'NZ',
    timeZone: 'Pacific/Auckland',
    owner: { firstName: 'Liam', lastName: 'Parata', email: 'liam@summitelectrical.example' },
  },
  events: [
    {
      at: '2026-11-03T10:00+13:00',
      what: 'lead',
      lead: { name: 'Charlotte King', email: 'charlotte.king@example.com', suburb: 'Ponsonby' },
    },
    {
      at: '2026-11-03T11:00+13:00',
      what: 'lead',
      lead: { name: 'Noah Walker', email: 'noah.walker@example.com', suburb: 'Remuera', status: 'active' },
    },
  ],
};

export const demos = [harbourPlumbing, summitElectrical];
