import { defaultCategories } from '../../shared/domain/categories/categories.ts';
import type { StartSet } from '../../shared/domain/organizations/start-set.ts';
import { everyTrade } from './every-trade.ts';

/** Records of a business that goes to its customers, whatever its trade. */
export const general: StartSet = {
  ...everyTrade,
  categories: defaultCategories,
  services: [
    {
      name: 'Visit for a quote',
      description: 'Have a look at a job, and quote for it',
      duration: 60,
      followUpQuestions: [
        'What would you like to have done?',
        'Where is it?',
        'When would a visit suit you?',
      ],
      category: 'Services',
    },
    {
      name: 'Urgent help',
      description: 'Come as soon as possible, and make it safe',
      duration: 2,
      durationUnit: 'HOURS',
      followUpQuestions: ['What has happened?', 'Is anyone in danger?', 'Where are you?'],
      category: 'Services',
    },
    {
      name: 'Repair',
      description: 'Find out what is wrong, and mend it',
      duration: 2,
      durationUnit: 'HOURS',
      followUpQuestions: ['What is broken?', 'Since when?', 'Do you have a photo that you can send?'],
      category: 'Services',
    },
    {
      name: 'Regular maintenance',
      description: 'A visit at intervals, before anything breaks',
      duration: 90,
      followUpQuestions: ['What should be looked after?', 'When was that last done?'],
      category: 'Services',
    },
    {
      name: 'Installation',
      description: 'Supply something new and install it, or install what is there',
      duration: 4,
      durationUnit: 'HOURS',
      followUpQuestions: ['What should be installed?', 'Do you have it already?'],
      category: 'Services',
    },
    {
      name: 'Larger project',
      description: 'Work of several days, which begins with a visit',
      duration: 5,
      durationUnit: 'DAYS',
      followUpQuestions: ['What do you plan?', 'Do you have drawings?', 'When should it begin?'],
      category: 'Services',
      teamAssignmentMethod: 'ROUND_ROBIN',
    },
  ],
  products: [
    {
      name: 'First product',
      description: 'Write here what you sell: the make, the sizes, and what it suits.',
      category: 'Products',
      pricingType: 'NONE',
      isActive: false,
    },
  ],
};
