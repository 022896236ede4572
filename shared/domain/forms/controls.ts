import type { SentField, SentForm } from '../../contract/sent-form.ts';

/** Fields that say what to do with a form, and are not kept. */
const controlNames = ['_hp', '_next', '_form'] as const;
type ControlName = (typeof controlNames)[number];

/** What a control field of a form says; undefined where it is not there or empty. */
export const controlOf = ({ fields }: Pick<SentForm, 'fields'>, control: ControlName): string | undefined =>
  fields.find(({ name }) => name === control)?.value.trim();

/** The fields of a form that a person has filled in. */
export const filledIn = ({ fields }: Pick<SentForm, 'fields'>): SentField[] =>
  fields.filter(({ name }) => !controlNames.some((control) => control === name));
