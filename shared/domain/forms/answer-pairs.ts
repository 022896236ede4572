import type { SentField } from '../../contract/sent-form.ts';
import { stepsOf } from './steps.ts';

/** Question of a provider's form with its answer, and the fields that hold the question and the answer. */
export interface AnswerPair extends SentField {
  question: SentField;
  answers: readonly SentField[];
}

/** Names of questions and of answers, if a provider has both in one part of a message. */
const byQuestion = {
  questions: ['label', 'title', 'question', 'column_name'],
  answers: /^(?:values?|answers?|string_value|response)(?:\.|$)/,
};
/** Names that ask for something only beside a `value`. */
const byName = { questions: ['name', 'field', 'key'], answers: /^values?(?:\.|$)/ };
/** Names in a part of Typeform's `answers` that hold no answer: the kind, and ids. */
const besides = /^type$|^field\.|(?:^|\.)(?:ids?|refs?)(?:\.|$)/;

/**
 * Finds the questions of a provider's form with their answers, for a person to read.
 *
 * - Tally, Google Ads and others have both in one part: `fields.0.label` and `fields.0.value`, or
 *   `fields[phone][title]` and `fields[phone][value]`. An answer that is the id of an option becomes the option's text.
 * - Meta and WPForms have a name in place of the question: `field_data.0.name` and `field_data.0.values.0`.
 * - Typeform has the questions in `definition.fields`, and answers that name a question by its id.
 */
export function answerPairs(fields: readonly SentField[]): AnswerPair[] {
  const parts = partsOf(fields);
  const byId = new Map(
    [...parts].flatMap(([path, part]) => {
      const [id, title] = [part.get('id'), part.get('title')];
      return id && title && /(?:^|\.)definition\.fields\.\d+$/.test(path) ? [[id.value, title] as const] : [];
    }),
  );
  return [...parts].flatMap(([path, part]) => {
    const asked = /(?:^|\.)answers\.\d+$/.test(path) && byId.get(part.get('field.id')?.value ?? '');
    if (asked)
      return pairOf(
        asked,
        all(part, (name) => !besides.test(name)),
      );
    return pairIn(part, byQuestion) ?? pairIn(part, byName) ?? [];
  });
}

function pairIn(part: ReadonlyMap<string, SentField>, { questions, answers }: typeof byQuestion) {
  const question = questions.map((name) => part.get(name)).find((field) => field !== undefined);
  const given = question ? all(part, (name) => answers.test(name)) : [];
  return question && given.length > 0 ? pairOf(question, given, optionsOf(part)) : undefined;
}

/**
 * Fields by their paths within each part. A numbered part, such as `data.fields.0`, has all fields below it. A part with
 * a name, such as `fields[phone]`, has only its own fields.
 */
function partsOf(fields: readonly SentField[]): Map<string, Map<string, SentField>> {
  const parts = new Map<string, Map<string, SentField>>();
  for (const field of fields) {
    const steps = stepsOf(field.name);
    for (const at of steps.keys()) {
      const isPart = /^\d+$/.test(steps[at - 1] ?? '') || (at > 0 && at === steps.length - 1);
      if (!isPart) continue;
      const path = steps.slice(0, at).join('.');
      const part = parts.get(path) ?? new Map<string, SentField>();
      parts.set(path, part.set(steps.slice(at).join('.'), field));
    }
  }
  return parts;
}

const all = (part: ReadonlyMap<string, SentField>, isWanted: (name: string) => boolean): SentField[] =>
  [...part].flatMap(([name, field]) => (isWanted(name) ? [field] : []));

/** Texts of a question's options by their ids. */
function optionsOf(part: ReadonlyMap<string, SentField>): Map<string, string> {
  return new Map(
    [...part].flatMap(([name, { value }]) => {
      const [, path] = /^(options\.\d+)\.id$/.exec(name) ?? [];
      const text = path && (part.get(`${path}.text`) ?? part.get(`${path}.label`))?.value;
      return text ? [[value, text] as const] : [];
    }),
  );
}

function pairOf(
  question: SentField,
  given: readonly SentField[],
  options: ReadonlyMap<string, string> = new Map(),
): AnswerPair[] {
  if (given.length === 0) return [];
  const value = given.map((answer) => options.get(answer.value) ?? answer.value).join(', ');
  return [{ name: question.value, value, question, answers: given }];
}
