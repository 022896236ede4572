import type { StartSet } from '../../shared/domain/organizations/start-set.ts';
import { everyTrade } from './every-trade.ts';

/** Records of a plumber. */
export const plumbing: StartSet = {
  ...everyTrade,
  categories: [
    { name: 'Repairs and maintenance', type: 'SERVICE' },
    { name: 'Emergencies', type: 'SERVICE' },
    { name: 'Hot water', type: 'SERVICE' },
    { name: 'Installations', type: 'SERVICE' },
    { name: 'Products', type: 'PRODUCT' },
  ],
  services: [
    {
      name: 'Blocked drain',
      description: 'Clear a blocked sink, shower, toilet or outside drain',
      duration: 90,
      followUpQuestions: [
        'Which drain is blocked?',
        'Does water come back up anywhere else?',
        'Has it happened before?',
      ],
      category: 'Repairs and maintenance',
    },
    {
      name: 'Leaking tap or shower',
      description: 'Replace washers, cartridges or the whole tap',
      duration: 60,
      followUpQuestions: [
        'Which tap is it?',
        'Does it drip, or does it run?',
        'How many taps are there to do?',
      ],
      category: 'Repairs and maintenance',
    },
    {
      name: 'Toilet repair',
      description: 'Mend a toilet that leaks, runs or does not flush',
      duration: 60,
      followUpQuestions: ['Does it leak, run or not flush?', 'Is it the only toilet of the house?'],
      category: 'Repairs and maintenance',
    },
    {
      name: 'Search for a leak',
      description: 'Find where water gets lost, with a pressure test or a camera',
      duration: 2,
      durationUnit: 'HOURS',
      followUpQuestions: ['What have you noticed?', 'Does the meter turn when all taps are closed?'],
      category: 'Repairs and maintenance',
    },
    {
      name: 'Gutters and downpipes',
      description: 'Clean, mend or replace gutters and downpipes',
      duration: 3,
      durationUnit: 'HOURS',
      followUpQuestions: [
        'Is it a leak, a blockage or something new?',
        'How many storeys does the house have?',
      ],
      category: 'Repairs and maintenance',
    },
    {
      name: 'Burst pipe',
      description: 'Stop the water and repair the pipe',
      duration: 2,
      durationUnit: 'HOURS',
      followUpQuestions: ['Can you turn off the water at the meter?', 'Where does the water come out?'],
      category: 'Emergencies',
    },
    {
      name: 'Smell of gas',
      description: 'Find a gas leak and make it safe',
      duration: 2,
      durationUnit: 'HOURS',
      followUpQuestions: [
        'Is everyone outside?',
        'Can you turn off the gas at the meter?',
        'Where does it smell?',
      ],
      category: 'Emergencies',
    },
    {
      name: 'Hot water repair',
      description: 'Find out why there is no hot water, and repair the system',
      duration: 90,
      followUpQuestions: [
        'Is it gas, electric, solar or a heat pump?',
        'Is there no hot water at all, or too little?',
        'How old is the system?',
      ],
      category: 'Hot water',
    },
    {
      name: 'Hot water replacement',
      description: 'Take away the old hot water system and install a new one',
      duration: 4,
      durationUnit: 'HOURS',
      followUpQuestions: ['Is it gas, electric, solar or a heat pump?', 'How many people live there?'],
      category: 'Hot water',
    },
    {
      name: 'Dishwasher or washing machine',
      description: 'Connect an appliance, with a new tap or drain if it needs one',
      duration: 60,
      followUpQuestions: ['Which appliance is it?', 'Was one connected there before?'],
      category: 'Installations',
    },
    {
      name: 'Bathroom or kitchen renovation',
      description: 'All plumbing of a new room, from the first pipe to the last tap',
      duration: 10,
      durationUnit: 'DAYS',
      followUpQuestions: [
        'Is it a house or an apartment?',
        'Do you have plans already?',
        'When should it begin?',
      ],
      category: 'Installations',
      teamAssignmentMethod: 'ROUND_ROBIN',
    },
  ],
  products: [
    {
      name: 'Hot water system',
      description:
        'Write here which systems you supply: the makes, the sizes, and how many people each suits.',
      category: 'Products',
      pricingType: 'NONE',
      isActive: false,
    },
    {
      name: 'Mixer tap',
      description: 'Write here which taps you supply, and whether customers may bring their own.',
      category: 'Products',
      pricingType: 'NONE',
      isActive: false,
    },
  ],
  faqs: [
    ...everyTrade.faqs,
    {
      question: 'What should I do until you come?',
      answer: 'Write here what to turn off, and where the taps for water and gas mostly are.',
      isActive: false,
    },
  ],
};
