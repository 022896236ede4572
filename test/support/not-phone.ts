/** Phrase that says how an organization in Australia is to write a phone number. */
export const phoneExamples =
  'national (Australia) with its area code, such as (02) 5550 1234, or international with +, such as +61 2 5550 1234';

/** Refusal of a text that has no phone number, behind the field's name. */
export const notPhone = `must be a phone number: ${phoneExamples}`;
