import { parseFieldMap, type MappedName } from '../../contract/field-map.ts';
import { sentences } from '../../contract/errors.ts';
import { formSentences } from '../../contract/forms.ts';
import type { InquirySender } from '../../contract/new-inquiry.ts';
import type { SentField, SentForm } from '../../contract/sent-form.ts';
import { cutText } from '../../core/cut-text.ts';
import { invalid } from '../../core/failure.ts';
import { readable, readableLine } from '../../core/readable.ts';
import { answerPairs } from './answer-pairs.ts';
import { chooseFields, knownFields, type ChosenFields } from './choose-fields.ts';
import { controlOf, filledIn } from './controls.ts';
import { keptFields } from './kept-fields.ts';
import { isPing } from './ping.ts';

/** Longest name of a form, and longest beginning of a message in a summary, in code points. */
const maxLengths = { formName: 200, summary: 300 } as const;

/** Form after reading: values for the lead and the inquiry, and the fields to keep. */
export interface TakenForm extends ChosenFields {
  isPing: boolean;
  formName: string;
  summary: string;
  /** Names of the fields of leads and inquiries that each field is taken for. */
  known: ReadonlyMap<SentField, readonly MappedName[]>;
  /** Fields that an inquiry keeps: questions with their answers, and all others. `isKnown` as in `keptFields`. */
  keptWithout(isKnown: (field: SentField) => boolean): Record<string, string>;
}

/** Reads a form by the map of its address. @throws Failure `invalid` for an empty form */
export function takenForm(form: SentForm, map = ''): TakenForm {
  const fields = filledIn(form);
  const { unread } = form;
  if (fields.length === 0 && unread === 0) throw invalid([{ field: '', message: sentences.emptyForm }]);
  const known = knownFields(fields, parseFieldMap(map));
  const chosen = chooseFields(known);
  return {
    ...chosen,
    isPing: isPing(form, fields, known),
    formName: formNameOf(form),
    summary: summaryOf(beginningOf(chosen.message), isPerson(chosen.sender)),
    known,
    keptWithout: (isKnown) => {
      const pairs = answerPairs(fields);
      const inPairs = new Set(pairs.flatMap(({ question, answers }) => [question, ...answers]));
      const unknown = pairs.filter(({ answers }) => !answers.every(isKnown));
      const others = fields.filter((field) => !inPairs.has(field));
      return keptFields({ fields: [...unknown, ...others], unread }, isKnown);
    },
  };
}

/**
 * True if the field that people do not see is filled in. Scripts that send a checkbox as JSON send `false` for an empty
 * checkbox.
 */
export function isTrapped(form: SentForm): boolean {
  const trap = controlOf(form, '_hp') ?? '';
  return trap !== '' && trap !== 'false';
}

function formNameOf(form: SentForm): string {
  const name = controlOf(form, '_form') ?? (form.site === undefined ? '' : new URL(form.site).host);
  return readableLine(name, maxLengths.formName);
}

function beginningOf(message: string): string {
  const all = readable(message).trim();
  const beginning = cutText(all, maxLengths.summary);
  return beginning === all ? all : `${beginning}…`;
}

const isPerson = ({ name, firstName, lastName, email, phone }: InquirySender): boolean =>
  Boolean(name || firstName || lastName || email || phone);

/** Summary that says at its end if the form has no person. */
const summaryOf = (said: string, hasPerson: boolean): string =>
  hasPerson ? said : `${said}\n${formSentences.nobody}`.trim();

/** Summary of an inquiry after a later form with its id: a message stays, and a person who is named later counts. */
export function laterSummary(before: string, { message, sender }: TakenForm): string {
  const hadPerson = !before.endsWith(formSentences.nobody);
  const said = hadPerson ? before : before.slice(0, -formSentences.nobody.length).trimEnd();
  return summaryOf(said || beginningOf(message), hadPerson || isPerson(sender));
}
