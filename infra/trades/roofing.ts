import type { StartSet } from '../../shared/domain/organizations/start-set.ts';
import { everyTrade } from './every-trade.ts';

/** Records of a roofer. */
export const roofing: StartSet = {
  ...everyTrade,
  categories: [
    { name: 'Repairs and maintenance', type: 'SERVICE' },
    { name: 'Emergencies', type: 'SERVICE' },
    { name: 'New roofs', type: 'SERVICE' },
    { name: 'Products', type: 'PRODUCT' },
  ],
  services: [
    {
      name: 'Roof inspection',
      description: 'Inspect the roof, with photos and a report',
      duration: 90,
      followUpQuestions: [
        'Is it tiles, metal or flat?',
        'How many storeys does the house have?',
        'How old is it?',
      ],
      category: 'Repairs and maintenance',
    },
    {
      name: 'Leaking roof',
      description: 'Find where water comes in, and repair it',
      duration: 3,
      durationUnit: 'HOURS',
      followUpQuestions: [
        'Where does the water come in?',
        'Does it come in with every rain?',
        'Is it tiles, metal or flat?',
      ],
      category: 'Repairs and maintenance',
    },
    {
      name: 'Broken or missing tiles',
      description: 'Replace broken, slipped or missing tiles',
      duration: 3,
      durationUnit: 'HOURS',
      followUpQuestions: ['How many tiles, about?', 'How steep is the roof?', 'Do you have spare tiles?'],
      category: 'Repairs and maintenance',
    },
    {
      name: 'Ridge capping',
      description: 'Bed and point ridge caps again',
      duration: 2,
      durationUnit: 'DAYS',
      followUpQuestions: ['How long is the ridge, about?', 'When was it last done?'],
      category: 'Repairs and maintenance',
    },
    {
      name: 'Gutters and downpipes',
      description: 'Clean, mend or replace gutters and downpipes',
      duration: 4,
      durationUnit: 'HOURS',
      followUpQuestions: ['To clean, mend or replace?', 'How many storeys does the house have?'],
      category: 'Repairs and maintenance',
    },
    {
      name: 'Roof cleaning and coating',
      description: 'Clean the roof, and coat it if it should last longer',
      duration: 3,
      durationUnit: 'DAYS',
      followUpQuestions: ['Is it tiles or metal?', 'Is it cleaned only, or coated as well?'],
      category: 'Repairs and maintenance',
    },
    {
      name: 'Storm damage',
      description: 'Cover the roof at once, and repair it afterwards',
      duration: 3,
      durationUnit: 'HOURS',
      followUpQuestions: [
        'Is everyone safe?',
        'Does water come in now?',
        'Is a tree or a power line on the roof?',
        'Are you insured?',
      ],
      category: 'Emergencies',
    },
    {
      name: 'Roof replacement',
      description: 'Take off the old roof and put on a new one',
      duration: 5,
      durationUnit: 'DAYS',
      followUpQuestions: [
        'What is the roof made of now?',
        'What should the new one be?',
        'How large is it, about?',
      ],
      category: 'New roofs',
      teamAssignmentMethod: 'ROUND_ROBIN',
    },
    {
      name: 'Roof of an extension',
      description: 'Roof a new room, a garage, a carport or a patio',
      duration: 3,
      durationUnit: 'DAYS',
      followUpQuestions: ['What is built?', 'Do you have plans?', 'When is it ready for the roof?'],
      category: 'New roofs',
      teamAssignmentMethod: 'ROUND_ROBIN',
    },
    {
      name: 'Skylight',
      description: 'Put in a skylight, or replace one',
      duration: 1,
      durationUnit: 'DAYS',
      followUpQuestions: ['Is it new, or replaced?', 'Is it tiles, metal or flat?', 'Which room is below?'],
      category: 'New roofs',
    },
  ],
  products: [
    {
      name: 'Roof tiles',
      description: 'Write here which tiles you supply: the makes, the colours, and how long they last.',
      category: 'Products',
      pricingType: 'NONE',
      isActive: false,
    },
    {
      name: 'Skylight',
      description: 'Write here which skylights you supply, and in which sizes.',
      category: 'Products',
      pricingType: 'NONE',
      isActive: false,
    },
  ],
  faqs: [
    ...everyTrade.faqs,
    {
      question: 'Do you deal with my insurer?',
      answer: 'Write here what you do for an insurance claim, and what the customer does.',
      isActive: false,
    },
  ],
};
