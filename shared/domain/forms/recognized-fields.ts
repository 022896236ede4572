import { fieldNamed, foldedName, type NamedField } from '../../contract/field-names.ts';
import type { SentField } from '../../contract/sent-form.ts';
import { answerPairs } from './answer-pairs.ts';
import { stepsOf } from './steps.ts';

/** Field of a form, and the field of the lead or the inquiry that it is taken for. */
export type Recognized = readonly [SentField, NamedField];

/**
 * Fields of a form that their names or questions show to be fields of a lead, or the message; likeliest first. A name
 * within a path, and a value without a name, count only if no other value of the form could be the same field.
 */
export function recognizedFields(fields: readonly SentField[]): Recognized[] {
  const pairs = answerPairs(fields);
  const questions = new Set(pairs.map(({ question }) => question));
  const places = fields.filter((field) => !questions.has(field)).map(placeOf);
  const top = places
    .flatMap(({ field, steps }) => taken(field, steps.length === 1 && fieldNamed(steps[0])))
    .toSorted((one, other) => Number(isExact(other)) - Number(isExact(one)));
  const asked = pairs.flatMap(({ question, answers }) =>
    answers.flatMap((answer) => taken(answer, fieldNamed(question.value))),
  );
  const others = [...asked, ...alone(inPaths(places))];
  // A name without anything else of a person may be the name of the form: Webflow sends both.
  const isOfPerson = top.some(([, name]) => name !== 'name');
  return [...(isOfPerson ? [...top, ...others] : [...others, ...top]), ...alone(unnamed(places))];
}

/** True for a field with the name of the API, such as `message`, which comes before `notes`. */
const isExact = ([field, name]: Recognized): boolean => foldedName(field.name) === foldedName(name);

/** Field with the steps of its path, without the last steps that say nothing about it. */
interface Place {
  field: SentField;
  steps: readonly [string, ...string[]];
  /** True if the path ends with a number. */
  isNumbered: boolean;
}

/** Steps at the end of a path that only say that a value follows. */
const ofValue = /^(?:\d+|(?:raw_?)?values?|text|answers?|response|full)$/i;

function placeOf(field: SentField): Place {
  const [first, ...rest] = stepsOf(field.name);
  const isNumbered = /^\d+$/.test(rest.at(-1) ?? first);
  const last = rest.findLastIndex((step) => !ofValue.test(step));
  return { field, steps: [first, ...rest.slice(0, last + 1)], isNumbered };
}

const taken = (field: SentField, name: NamedField | false | undefined): Recognized[] =>
  name ? [[field, name]] : [];

/** The fields whose target no other field with another value has. */
function alone(recognized: readonly Recognized[]): Recognized[] {
  const byName = Map.groupBy(recognized, ([, name]) => name);
  return [...byName.values()].filter((same) => new Set(same.map(comparable)).size === 1).flat();
}

const comparable = ([{ value }]: Recognized): string => value.trim().toLowerCase();

/** Steps before a field of somebody else than the sender, or of no person. */
const ofOthers =
  /^(?:owner|agent|staff|employee|technician|assignee|assigned_?to|recipients?|to|cc|bcc|merchant|seller|provider|manager|host|organi[sz]er|organi[sz]ation|business|company|account|site|website|shop|store|workspace|team|form|page|survey|campaign|product|service|geo|ip|ip_?info|meta|metadata|utm|device)$/i;
/** Steps before a field of the sender. */
const ofSender =
  /^(?:contact|lead|customer|client|person|sender|visitor|guest|applicant|respondent|names?|(?:form|wpforms)?_?(?:fields?|data|values)|named_?values|answers?|responses?|submission)$/i;

/** Names that may be of anything: such a name needs a contact beside it, or a step of the sender before it. */
const isVague = (name: NamedField, step: string): boolean =>
  (name === 'name' && /^\W*names?\W*$/i.test(step)) ||
  (name === 'message' && !/message/i.test(step)) ||
  halves.has(step.toLowerCase());

/** Names of the halves of a name. */
const halves = new Map<string, NamedField>([
  ['first', 'firstName'],
  ['last', 'lastName'],
]);

/** Fields that the last steps of their paths show. */
function inPaths(places: readonly Place[]): Recognized[] {
  const found = places.flatMap(({ field, steps }) => {
    if (steps.length === 1) return [];
    const last = steps.at(-1) ?? '';
    const before = steps.findLast((step, at) => at < steps.length - 1 && !/^\d+$/.test(step)) ?? '';
    const together = fieldNamed(`${before} ${last}`);
    if (ofOthers.test(before) && together !== 'businessName') return [];
    const name = together ?? fieldNamed(last) ?? halves.get(last.toLowerCase());
    const isCertain = together !== undefined || ofSender.test(before);
    return name
      ? [{ field, name, parent: steps.slice(0, -1).join('.'), isSure: isCertain || !isVague(name, last) }]
      : [];
  });
  const persons = new Set(found.flatMap(({ parent, isSure }) => (isSure ? [parent] : [])));
  return found.flatMap(({ field, name, parent, isSure }) =>
    isSure || persons.has(parent) ? ([[field, name]] as const) : [],
  );
}

/** Step that a program made up, such as `input_2`, `field_7ab12` or `3`. */
const ofProgram =
  /^(?:(?:input|field|fields|entry|item|question|element|comp|q)[_\-:]?)?[a-z\d]*\d[a-z\d]*$/i;
const emailAddress = /^[^\s@]+@[^\s@]+\.[^\s@.]+$/;
const phoneNumber = /^[+(0](?:[\s().-]*\d){7,14}$/;
/** Number of a field of Gravity Forms, with the number of a part: `input_1_3`, `1.3`, `2`. */
const gravity = /^(?:input_)?(\d+)(?:[._](\d))?$/;

/** Fields whose names are numbers, by their values. */
function unnamed(places: readonly Place[]): Recognized[] {
  const byValue = places.flatMap(({ field, steps, isNumbered }) => {
    if (!isNumbered && !ofProgram.test(steps.at(-1) ?? '')) return [];
    const value = field.value.trim();
    return taken(field, (emailAddress.test(value) && 'email') || (phoneNumber.test(value) && 'phone'));
  });
  return [...byValue, ...gravityNames(places), ...formbricksNames(places)];
}

/**
 * The halves of a name in Gravity Forms: parts 3 and 6 of its first field. An address has these parts, too, and a part
 * 1.
 */
function gravityNames(places: readonly Place[]): Recognized[] {
  const parts = places.flatMap(({ field }) => {
    const [, number, part] = gravity.exec(field.name) ?? [];
    return number === undefined ? [] : [{ field, number: Number(number), part }];
  });
  const lowest = Math.min(...parts.map(({ number }) => number));
  const ofFirst = parts.filter(({ number }) => number === lowest);
  const [address, first, last] = ['1', '3', '6'].map((wanted) => ofFirst.find(({ part }) => part === wanted));
  if (address || !first || !last) return [];
  return [
    [first.field, 'firstName'],
    [last.field, 'lastName'],
  ];
}

/** The names in an answer of Formbricks to a question for contact data: first, last, email, phone, company. */
function formbricksNames(places: readonly Place[]): Recognized[] {
  const byName = new Map(places.map(({ field }) => [field.name, field]));
  return [...byName].flatMap(([path, { value }]) => {
    const [, answer] = /^(data\.data\.[^.]+)\.2$/.exec(path) ?? [];
    if (answer === undefined || !emailAddress.test(value.trim())) return [];
    const partAt = (at: number, name: NamedField) => {
      const part = byName.get(`${answer}.${at}`);
      return part ? taken(part, name) : [];
    };
    return [...partAt(0, 'firstName'), ...partAt(1, 'lastName'), ...partAt(4, 'businessName')];
  });
}
