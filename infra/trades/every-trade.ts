import type { StartSet } from '../../shared/domain/organizations/start-set.ts';

const workday = [{ from: '08:00', to: '17:00' }];

/**
 * Hours and records that suit every trade. A record that begins with "Write here" waits for the business to fill it in,
 * and is not in use until then.
 */
export const everyTrade: Pick<StartSet, 'openingHours' | 'transfers' | 'policies' | 'faqs'> = {
  openingHours: { monday: workday, tuesday: workday, wednesday: workday, thursday: workday, friday: workday },
  transfers: [
    {
      label: 'A person',
      method: 'WARM',
      destinationType: 'MEMBER',
      // The owner is the first member.
      destination: '1',
      conditions: 'The caller asks for a person, is upset, or wants something that nothing else covers',
      summaryFormat: '{name} called about {topic}: {summary}',
    },
  ],
  policies: [
    {
      title: 'Cancellations',
      content:
        'Write here until when an appointment can be cancelled or moved, and what a later change costs.',
      isActive: false,
    },
    {
      title: 'Payment',
      content: 'Write here how and when a job is paid, and whether you ask for a deposit.',
      isActive: false,
    },
    {
      title: 'Warranty',
      content: 'Write here how long your work is under warranty, what that covers, and whom to call.',
      isActive: false,
    },
    {
      title: 'Quotes',
      content: 'Write here what a quote costs, how long it holds, and how it is accepted.',
      isActive: false,
    },
  ],
  faqs: [
    {
      question: 'Where do you work?',
      answer: 'Write here the suburbs or towns that you go to, and what a longer way costs.',
      isActive: false,
    },
    {
      question: 'When are you open?',
      answer: 'Write here your hours, and what happens outside them.',
      isActive: false,
    },
    {
      question: 'Are you licensed and insured?',
      answer: 'Write here which licences and insurance you have, with their numbers.',
      isActive: false,
    },
  ],
};
