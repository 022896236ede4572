import type { SentField } from '../../contract/sent-form.ts';

/** Question of a provider's form with its answer, and the fields that hold the question and the answer. */
export interface AnswerPair extends SentField {
  question: SentField;
  answers: readonly SentField[];
}

/** Names of questions and of answers, if a provider has both in one part of a message. */
const questions = ['label', 'title', 'question', 'column_name'];
const answers = /^(?:value|answer|answers|string_value|response)(?:\.|$)/;
/** Names in a part of Typeform's `answers` that hold no answer: the kind, and ids. */
const besides = /^type$|^field\.|(?:^|\.)(?:ids?|refs?)(?:\.|$)/;

/**
 * Finds the questions of a provider's form with their answers, for a person to read.
 *
 * - Tally, Google Ads and others have both in one part: `fields.0.label` and `fields.0.value`. An answer that is the id
 *   of an option becomes the option's text.
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
    const question = questions.map((name) => part.get(name)).find((field) => field !== undefined);
    return question
      ? pairOf(
          question,
          all(part, (name) => answers.test(name)),
          optionsOf(part),
        )
      : [];
  });
}

/** Fields by their paths within each numbered part, such as `data.fields.0`. */
function partsOf(fields: readonly SentField[]): Map<string, Map<string, SentField>> {
  const parts = new Map<string, Map<string, SentField>>();
  for (const field of fields) {
    for (const { index, 0: step } of field.name.matchAll(/\.\d+\./g)) {
      const path = field.name.slice(0, index + step.length - 1);
      const part = parts.get(path) ?? new Map<string, SentField>();
      parts.set(path, part.set(field.name.slice(path.length + 1), field));
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
