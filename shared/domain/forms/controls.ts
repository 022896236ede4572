import type { SentField, SentForm } from '../../contract/sent-form.ts';

/** Fields that control how a form is handled, and are not kept. */
const controlNames = ['_hp', '_next', '_form'] as const;
type ControlName = (typeof controlNames)[number];

/** The value of a form's control field; undefined if it is absent, empty if it is empty. */
export const controlOf = ({ fields }: Pick<SentForm, 'fields'>, control: ControlName): string | undefined =>
  fields.find(({ name }) => name === control)?.value.trim();

export const filledIn = ({ fields }: Pick<SentForm, 'fields'>): SentField[] =>
  fields.filter(({ name }) => !controlNames.some((control) => control === name));
