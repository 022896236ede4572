import type { NewAppointment } from '../../../shared/contract/appointments.ts';
import type { LeadStatus, NewLead } from '../../../shared/contract/leads.ts';
import type { ScheduleChanges } from '../../../shared/contract/member-schedule.ts';
import { noHours } from '../../../shared/contract/opening-hours.ts';
import { defaultCategories } from '../../../shared/domain/categories/categories.ts';
import type { NewMember } from '../../../shared/domain/members/members.ts';
import type { NewOrganization } from '../../../shared/domain/organizations/found-organization.ts';
import { electrical } from '../../trades/electrical.ts';
import { call, chat, email, sms, webform, type DemoInquiry } from './demo-inquiry.ts';

/** One event in an organization. An event refers to records by name, and to members by first name. */
export type DemoEvent = {
  /** Time of the event, on the demo's own clock. */
  at: string;
} & (
  | { what: 'lead'; lead: NewLead & { name: string }; inquiry?: DemoInquiry }
  | { what: 'inquiry'; of: string; inquiry: DemoInquiry }
  | { what: 'status'; by: string; of: string; becomes: LeadStatus }
  /** Continues the lead's thread, if the lead began one. */
  | { what: 'sms'; by: string; to: string; message: string }
  | { what: 'schedule'; of: string; schedule: ScheduleChanges }
  | { what: 'appointment'; of: string; with: string; appointment: NewAppointment }
  | { what: 'company'; name: string }
  | { what: 'note'; about: string; by: string; value: string }
);

/** The people who join an organization once it is founded. */
export interface Team {
  members: NewMember[];
}

export interface DemoOrganization {
  foundedAt: string;
  /** Number that receives SMS, from the numbers that Australia reserves for fiction. */
  number: string;
  organization: NewOrganization;
  team?: Team;
  events: DemoEvent[];
}

const workday = [{ from: '07:00', to: '16:30' }];

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
    startSet: {
      openingHours: {
        monday: workday,
        tuesday: workday,
        wednesday: workday,
        thursday: workday,
        friday: workday,
      },
      categories: [
        ...defaultCategories,
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
          name: 'Bathroom renovation',
          description: 'All plumbing of a new bathroom, from the first pipe to the last tap',
          followUpQuestions: ['Is it a house or an apartment?', 'Do you have plans already?'],
          duration: 10,
          durationUnit: 'DAYS',
          category: 'Services',
          pricingMode: 'NONE',
          isCustomPriceResponseActive: true,
          customPriceResponse: 'Every bathroom differs, so we have a look first. The visit is free.',
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
          plusMaterials: true,
          isDisclosePrice: true,
        },
        {
          name: 'Hot water replacement',
          description: 'Take away the old hot water system, install a new one',
          followUpQuestions: ['Is it gas, electric or a heat pump?', 'How many people live there?'],
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
          response:
            'The 250 litre gas system suits a family of four; we can usually install it the next day.',
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
          category: 'Hot water systems',
          pricingType: 'NONE',
        },
        { name: 'Kitchen mixer tap', category: 'Products', pricingType: 'FIXED', price: 189.5 },
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
        { title: 'Cancellations', content: 'Free of charge until 24 hours before the appointment.' },
        { title: 'Warranty', content: 'Six years on our work. Products have the warranty of their maker.' },
        { title: 'Summer prices 2025', content: 'No call-out fee in January.', isActive: false },
      ],
      faqs: [
        { question: 'Do you work on weekends?', answer: 'Emergencies only.' },
        { question: 'Where do you work?', answer: 'In the inner west and the east of Sydney.' },
        { question: 'Are you licensed?', answer: 'Yes, for plumbing and gas fitting in New South Wales.' },
      ],
    },
  },
  team: {
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
  },
  events: [
    {
      at: '2026-11-03T07:30+11:00',
      what: 'schedule',
      of: 'Ruby',
      schedule: {
        // Monday to Thursday.
        workingHours: {
          ...noHours,
          monday: workday,
          tuesday: workday,
          wednesday: workday,
          thursday: workday,
        },
        daysOff: [{ from: '2026-11-12', reason: 'Course: backflow prevention' }],
      },
    },
    { at: '2026-11-03T07:31+11:00', what: 'schedule', of: 'Daniel', schedule: { priority: 9 } },
    {
      at: '2026-11-03T08:12+11:00',
      what: 'lead',
      lead: {
        name: 'Oliver Bennett',
        email: 'oliver.bennett@example.com',
        phone: '0491 570 156',
        address: { line1: '41 Pittwater Road', suburb: 'Manly', state: 'NSW', postcode: '2095' },
      },
      inquiry: webform(
        {
          tag: 'Quote',
          summary: 'Wants the kitchen mixer replaced and a dishwasher connected',
          isRead: true,
        },
        'form-20418',
        {
          Name: 'Oliver Bennett',
          Email: 'oliver.bennett@example.com',
          'How can we help?': 'Our kitchen mixer drips. Could you also connect a new dishwasher?',
        },
      ),
    },
    {
      at: '2026-11-03T09:44+11:00',
      what: 'lead',
      lead: { name: 'Priya Nair', email: 'priya.nair@example.com', phone: '0491 570 157', suburb: 'Balmain' },
      inquiry: call(
        { tag: 'Hot water', summary: 'Wants a quote for a new gas hot water system by email', isRead: true },
        ['Gas storage, 14 years old', 'Family of four', 'Quote by email'],
        [
          'Harbour Plumbing, how can I help?',
          'Hi, our hot water system is fourteen years old, and I would rather replace it in time.',
          'Gladly. Is it gas, electric or a heat pump, and how many people live there?',
          'Gas, with a tank, and four of us. Priya Nair, in Balmain.',
          'A replacement is between $1,450 and $3,900 plus GST. We will email you a quote, Priya.',
          'Great. Bye.',
        ],
      ),
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
      inquiry: email(
        { tag: 'Drains', summary: 'The floor drain of the bakery smells and drains slowly', isRead: true },
        '<bakery-drain-1@cornerbakery.example>',
        {
          subject: 'Floor drain in the bakery',
          from: 'hannah@cornerbakery.example',
          body: 'Hello,\n\nthe floor drain beside our ovens drains slowly. We close at 2 pm.\n\nHannah Weiss',
        },
      ),
    },
    { at: '2026-11-03T12:10+11:00', what: 'status', by: 'Mia', of: 'Priya Nair', becomes: 'quoted' },
    { at: '2026-11-03T12:25+11:00', what: 'status', by: 'Mia', of: 'Oliver Bennett', becomes: 'quoted' },
    {
      at: '2026-11-03T13:31+11:00',
      what: 'inquiry',
      of: 'Priya Nair',
      inquiry: email(
        { tag: 'Hot water', summary: 'Asks for the price of a heat pump beside the quote for gas' },
        '<quote-re-1@example.com>',
        {
          subject: 'Re: Your quote for a gas hot water system',
          from: 'priya.nair@example.com',
          body: 'Thanks for the quick quote. What would a heat pump cost, with the rebate?\n\nPriya',
        },
      ),
    },
    {
      at: '2026-11-03T15:20+11:00',
      what: 'lead',
      lead: { name: 'Jack Wilson', phone: '0491 570 158', suburb: 'Bondi' },
      inquiry: sms(
        { tag: 'Taps', summary: 'Asks what a new tap washer costs', isRead: true },
        'Hi, bathroom tap drips, probably just the washer. What would that cost in Bondi? Jack Wilson',
      ),
    },
    {
      at: '2026-11-03T15:32+11:00',
      what: 'sms',
      by: 'Daniel',
      to: 'Jack Wilson',
      message: 'Hi Jack, $90 call-out and $130 an hour plus GST. Daniel, Harbour Plumbing',
    },
    {
      at: '2026-11-03T16:12+11:00',
      what: 'inquiry',
      of: 'Hannah Weiss',
      inquiry: call(
        { tag: 'Drains', summary: 'Confirmed the drain for Thursday at 2:30 pm', isRead: true },
        ['Thursday, 2:30 pm', 'Entrance at the back, in the lane'],
        [
          'Corner Bakery, Hannah speaking.',
          'Hello Hannah, Harbour Plumbing. Would Thursday at 2:30 pm suit you for the drain?',
          'Yes, perfect. Please come to the back door, in the lane.',
          'I will note that. Thank you, Hannah. Goodbye.',
        ],
        'AI_TO_LEAD',
      ),
    },
    { at: '2026-11-03T16:14+11:00', what: 'status', by: 'Daniel', of: 'Hannah Weiss', becomes: 'active' },
    {
      at: '2026-11-04T07:42+11:00',
      what: 'lead',
      lead: {
        name: 'Elena Rossi',
        email: 'elena.rossi@example.com',
        phone: '0491 574 118',
        address: {
          line1: '12 Norton Street',
          suburb: 'Leichhardt',
          state: 'NSW',
          postcode: '2040',
          access: 'The key is next door',
        },
      },
      inquiry: call(
        { tag: 'Hot water', summary: 'No hot water since this morning, wants someone today', isRead: true },
        ['Gas storage heater, eight years old', 'Home after 3 pm'],
        [
          'Harbour Plumbing, how can I help?',
          'We have had no hot water since this morning. Can someone come today?',
          'I am sorry to hear that. Do you smell gas?',
          'No, nothing. Elena Rossi, in Leichhardt. I am home after three.',
          'Thank you, Elena. We will send you a message with the time.',
        ],
      ),
    },
    {
      at: '2026-11-04T07:55+11:00',
      what: 'sms',
      by: 'Mia',
      to: 'Elena Rossi',
      message: 'Hi Elena, Tom can be there at 3 pm. Mia, Harbour Plumbing',
    },
    { at: '2026-11-04T07:56+11:00', what: 'status', by: 'Mia', of: 'Elena Rossi', becomes: 'active' },
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
      inquiry: email(
        {
          tag: 'Quote',
          summary: 'Asks for a quote to renew the backflow valves of three buildings',
          isRead: true,
        },
        '<valves-7@bayviewstrata.example>',
        {
          subject: 'Quote: backflow valves, three buildings',
          from: 'grace@bayviewstrata.example',
          body: 'Good morning,\n\nplease quote for each building by itself.\n\nGrace Liu\nBayview Strata',
        },
      ),
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
      inquiry: webform(
        { tag: 'Advertising', summary: 'Offers to advertise the website', isRead: true },
        'form-20431',
        { Name: 'Marcus Webb', 'How can we help?': 'We bring plumbers to the first page of every search.' },
      ),
    },
    { at: '2026-11-04T12:24+11:00', what: 'status', by: 'Daniel', of: 'Marcus Webb', becomes: 'archived' },
    {
      at: '2026-11-04T14:05+11:00',
      what: 'inquiry',
      of: 'Oliver Bennett',
      inquiry: email(
        { tag: 'Accepted', summary: 'Accepts the quote, asks for Friday morning', isRead: true },
        '<quote-re-2@example.com>',
        {
          subject: 'Re: Your quote for a mixer and a dishwasher',
          from: 'oliver.bennett@example.com',
          body: 'Hi Mia,\n\nthat works for us. Could you come on Friday morning?\n\nOliver',
        },
      ),
    },
    { at: '2026-11-04T14:30+11:00', what: 'status', by: 'Mia', of: 'Oliver Bennett', becomes: 'won' },
    {
      at: '2026-11-04T14:32+11:00',
      what: 'appointment',
      of: 'Oliver Bennett',
      with: 'Ruby',
      appointment: {
        title: 'Kitchen mixer, and the dishwasher',
        start: '2026-11-09T08:00:00+11:00',
        end: '2026-11-09T10:00:00+11:00',
        status: 'CONFIRMED',
        customerNotes: 'Please clear the cupboard under the sink',
      },
    },
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
        address: { line1: '7 Illawarra Road', suburb: 'Marrickville', state: 'NSW', postcode: '2204' },
      },
      inquiry: chat({ tag: 'Bathroom', summary: 'Plans a new bathroom in a terrace house' }, 'chat-7731', [
        'Hello! What can we do for you?',
        'We are planning a new bathroom. What would the plumbing cost?',
        'Every bathroom differs, so we have a look first. The visit is free. How can we reach you?',
        'Aisha Rahman, aisha.rahman@example.com or 0491 571 804. I will call later today.',
      ]),
    },
    {
      at: '2026-11-05T12:18+11:00',
      what: 'inquiry',
      of: 'Aisha Rahman',
      inquiry: call(
        { tag: 'Bathroom', summary: 'Wants a visit for the new bathroom next Tuesday' },
        ['Terrace house, bathroom upstairs', 'Has plans from an architect', 'Tuesday, any time'],
        [
          'Harbour Plumbing, how can I help?',
          'Hello, Aisha Rahman. I wrote to you this morning about our bathroom.',
          'Hello Aisha. Do you have plans already?',
          'Yes, from an architect. Could someone have a look next week, on Tuesday?',
          'On Tuesday, certainly. We will confirm the time by email.',
          'Thank you.',
        ],
      ),
    },
    {
      at: '2026-11-05T12:26+11:00',
      what: 'appointment',
      of: 'Aisha Rahman',
      with: 'Mia',
      appointment: {
        title: 'Look at the new bathroom',
        start: '2026-11-10T10:00:00+11:00',
        end: '2026-11-10T11:00:00+11:00',
        notes: 'She has plans from an architect',
      },
    },
  ],
};

/** Shows that no organization sees another's data, and which records an electrician begins with. */
const summitElectrical: DemoOrganization = {
  foundedAt: '2026-11-03T09:00+13:00',
  number: '+61491572983',
  organization: {
    name: 'Summit Electrical',
    country: 'NZ',
    timeZone: 'Pacific/Auckland',
    startSet: electrical,
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
