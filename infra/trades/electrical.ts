import type { StartSet } from '../../shared/domain/organizations/start-set.ts';
import { everyTrade } from './every-trade.ts';

/** Records of an electrician. */
export const electrical: StartSet = {
  ...everyTrade,
  categories: [
    { name: 'Repairs and safety', type: 'SERVICE' },
    { name: 'Emergencies', type: 'SERVICE' },
    { name: 'Installations', type: 'SERVICE' },
    { name: 'Solar and charging', type: 'SERVICE' },
    { name: 'Products', type: 'PRODUCT' },
  ],
  services: [
    {
      name: 'Fault finding',
      description: 'Find out why a circuit trips or something does not work, and repair it',
      duration: 90,
      followUpQuestions: [
        'What does not work?',
        'Does a switch in the switchboard trip?',
        'What was turned on when it happened?',
      ],
      category: 'Repairs and safety',
    },
    {
      name: 'Power points and switches',
      description: 'Repair, move or add power points and switches',
      duration: 60,
      followUpQuestions: ['How many are there to do?', 'Are they new, or replaced?', 'Inside or outside?'],
      category: 'Repairs and safety',
    },
    {
      name: 'Smoke alarms',
      description: 'Test, replace or add smoke alarms',
      duration: 60,
      followUpQuestions: ['How many alarms are there?', 'How old are they?', 'Do you live there, or let it?'],
      category: 'Repairs and safety',
    },
    {
      name: 'Safety inspection',
      description: 'Inspect the installation of a building, with a report',
      duration: 2,
      durationUnit: 'HOURS',
      followUpQuestions: ['Is it a house, an apartment or a business?', 'Whom is the report for?'],
      category: 'Repairs and safety',
    },
    {
      name: 'No power',
      description: 'Get the power back, and make it safe',
      duration: 2,
      durationUnit: 'HOURS',
      followUpQuestions: [
        'Do the neighbours have power?',
        'Is the main switch on?',
        'Does anybody need power for medical equipment?',
      ],
      category: 'Emergencies',
    },
    {
      name: 'Sparks, smoke or shocks',
      description: 'Make a dangerous installation safe',
      duration: 2,
      durationUnit: 'HOURS',
      followUpQuestions: ['Is everyone safe?', 'Can you turn off the main switch?', 'Where does it happen?'],
      category: 'Emergencies',
    },
    {
      name: 'Lighting',
      description: 'Install or replace lights, inside or outside',
      duration: 2,
      durationUnit: 'HOURS',
      followUpQuestions: [
        'How many lights are there?',
        'How high are the ceilings?',
        'Do you have the lights?',
      ],
      category: 'Installations',
    },
    {
      name: 'Ceiling fan or exhaust fan',
      description: 'Install or replace a fan',
      duration: 90,
      followUpQuestions: ['Was there a light or a fan before?', 'Do you have the fan already?'],
      category: 'Installations',
    },
    {
      name: 'Oven or cooktop',
      description: 'Connect an oven or a cooktop, with a circuit of its own if it needs one',
      duration: 90,
      followUpQuestions: ['Which appliance is it?', 'Does it replace one of the same kind?'],
      category: 'Installations',
    },
    {
      name: 'Switchboard upgrade',
      description: 'Replace an old switchboard, with safety switches',
      duration: 1,
      durationUnit: 'DAYS',
      followUpQuestions: [
        'How old is the switchboard?',
        'Can you send a photo of it?',
        'What will be added?',
      ],
      category: 'Installations',
    },
    {
      name: 'Solar panels or battery',
      description: 'Plan and install solar panels or a battery',
      duration: 2,
      durationUnit: 'DAYS',
      followUpQuestions: [
        'What is the roof made of?',
        'How much power do you use?',
        'Would you like a battery?',
      ],
      category: 'Solar and charging',
      teamAssignmentMethod: 'ROUND_ROBIN',
    },
    {
      name: 'Car charger',
      description: 'Install a charger for an electric car',
      duration: 4,
      durationUnit: 'HOURS',
      followUpQuestions: ['Which car is it for?', 'How far is the switchboard from the parking space?'],
      category: 'Solar and charging',
    },
  ],
  products: [
    {
      name: 'Smoke alarm',
      description: 'Write here which alarms you supply, and how long they last.',
      category: 'Products',
      pricingType: 'NONE',
      isActive: false,
    },
    {
      name: 'Car charger',
      description: 'Write here which chargers you supply, and what each suits.',
      category: 'Products',
      pricingType: 'NONE',
      isActive: false,
    },
  ],
  faqs: [
    ...everyTrade.faqs,
    {
      question: 'Do I get a certificate for the work?',
      answer: 'Write here which certificate you give, when, and who else gets it.',
      isActive: false,
    },
  ],
};
