import { isDeepStrictEqual } from 'node:util';
import { judge, type Changes, type Place } from './change.ts';
import { resolve, sameIn, type Description, type DescribedOperation } from './description.ts';
import { differingKeys, isObject, listOf, objectOf, type Json } from './json.ts';
import { SchemaComparison } from './schemas.ts';
import { compareSecurity } from './security.ts';

/** Compares operations of the last release with those of today. */
export class OperationComparison {
  readonly #before: Description;
  readonly #after: Description;
  readonly #changes: Changes;
  readonly #schemas: SchemaComparison;
  readonly #isSame: (old: unknown, now: unknown) => boolean;

  constructor(before: Description, after: Description, changes: Changes) {
    this.#before = before;
    this.#after = after;
    this.#changes = changes;
    this.#schemas = new SchemaComparison(before, after, changes);
    this.#isSame = sameIn(before, after);
  }

  compare(before: DescribedOperation, after: DescribedOperation): void {
    const { name } = before;
    const [old, now] = [before.operation, after.operation];
    if (name !== after.name)
      this.#changes.tell(
        'break',
        name,
        `it is called ${after.name}. Generated clients call it by its name: keep the name.`,
      );
    if (!isDeepStrictEqual(old['tags'], now['tags']))
      this.#changes.tell(
        'break',
        name,
        'it is under other tags. Some generated clients call it by its tag: keep the tags.',
      );
    if (old['deprecated'] !== now['deprecated'])
      this.#changes.tell(
        'addition',
        name,
        `it is ${now['deprecated'] === true ? 'deprecated' : 'not deprecated'}.`,
      );
    for (const change of compareSecurity({ ...this.#before, ...old }, { ...this.#after, ...now }))
      this.#changes.tell(change.verdict, name, change.text);
    this.#compareParameters(name, old, now);
    this.#compareBody(name, old['requestBody'], now['requestBody']);
    this.#compareAnswers(name, objectOf(old['responses']), objectOf(now['responses']));
    for (const key of differingKeys(old, now, known.operation, this.#isSame))
      this.#changes.tell('unjudged', name, `it has another \`${key}\`. ${judge}`);
  }

  #compareParameters(operation: string, before: Json, after: Json): void {
    const old = this.#parametersOf(this.#before, before);
    const now = this.#parametersOf(this.#after, after);
    const keptOf = (some: Iterable<string>) => [...some].filter((name) => old.has(name) && now.has(name));
    if (!isDeepStrictEqual(keptOf(old.keys()), keptOf(now.keys())))
      this.#changes.tell(
        'break',
        operation,
        'its parameters are in another order. Some generated clients take them in that order: keep it.',
      );
    for (const [name, parameter] of old) {
      const place: Place = { operation, direction: 'request', name };
      const other = now.get(name);
      if (!other) {
        this.#changes.note(place, 'lost', 'is removed');
        continue;
      }
      this.#changes.noteRequired(place, parameter['required'] === true, other['required'] === true);
      this.#schemas.compare(place, parameter['schema'], other['schema']);
      this.#compareRest(place, parameter, other, known.parameter);
    }
    for (const [name, { required }] of now) {
      const place: Place = { operation, direction: 'request', name };
      if (!old.has(name))
        this.#changes.note(
          place,
          required === true ? 'narrower' : 'wider',
          required === true ? 'is new, and required' : 'is new',
        );
    }
  }

  #parametersOf(description: Description, { parameters }: Json): Map<string, Json> {
    return new Map(
      listOf(parameters).map((parameter) => {
        const { part } = resolve(description, parameter);
        return [`the ${String(part['in'])} parameter ${String(part['name'])}`, part];
      }),
    );
  }

  #compareBody(operation: string, before: unknown, after: unknown): void {
    const place: Place = { operation, direction: 'request', name: 'the body' };
    const [old, now] = [resolve(this.#before, before).part, resolve(this.#after, after).part];
    if (before === undefined && after !== undefined)
      this.#changes.note(place, now['required'] === true ? 'narrower' : 'wider', 'is new');
    else if (before !== undefined && after === undefined) this.#changes.note(place, 'lost', 'is removed');
    else {
      this.#changes.noteRequired(place, old['required'] === true, now['required'] === true);
      this.#compareContent(place, old['content'], now['content']);
      this.#compareRest(place, old, now, known.body);
    }
  }

  #compareAnswers(operation: string, before: Json, after: Json): void {
    for (const [status, answer] of Object.entries(before)) {
      const place: Place = { operation, direction: 'answer', name: `the answer ${status}` };
      if (status in after) this.#compareAnswer(place, answer, after[status]);
      else this.#changes.note(place, 'lost', 'is removed');
    }
    for (const status of Object.keys(after).filter((each) => !(each in before))) {
      const place: Place = { operation, direction: 'answer', name: `the answer ${status}` };
      // Any client has to expect an error, and errors of any status have the same envelope. 304 is for who asks for it.
      this.#changes.note(place, /^(?:[45]|304)/.test(status) ? 'narrower' : 'wider', 'is new');
    }
  }

  #compareAnswer(place: Place, before: unknown, after: unknown): void {
    const [old, now] = [resolve(this.#before, before).part, resolve(this.#after, after).part];
    this.#compareContent(place, old['content'], now['content']);
    const [oldHeaders, headers] = [objectOf(old['headers']), objectOf(now['headers'])];
    for (const [name, header] of Object.entries(oldHeaders)) {
      const at = { ...place, name: `the header ${name} of ${place.name}` };
      if (name in headers) this.#compareHeader(at, header, headers[name]);
      else this.#changes.note(at, 'lost', 'is removed');
    }
    for (const name of Object.keys(headers).filter((each) => !(each in oldHeaders)))
      this.#changes.note({ ...place, name: `the header ${name} of ${place.name}` }, 'narrower', 'is new');
    this.#compareRest(place, old, now, known.answer);
  }

  #compareHeader(place: Place, before: unknown, after: unknown): void {
    const [old, now] = [resolve(this.#before, before).part, resolve(this.#after, after).part];
    this.#changes.noteRequired(place, old['required'] === true, now['required'] === true);
    this.#schemas.compare(place, old['schema'], now['schema']);
    this.#compareRest(place, old, now, known.header);
  }

  #compareContent(place: Place, before: unknown, after: unknown): void {
    const [old, now] = [objectOf(before), objectOf(after)];
    for (const [type, content] of Object.entries(old)) {
      const other = now[type];
      if (!isObject(other)) {
        this.#changes.note(place, 'lost', `has no ${type} any more`);
        continue;
      }
      this.#schemas.compare(place, objectOf(content)['schema'], other['schema']);
      this.#compareRest(place, objectOf(content), other, known.content);
    }
    for (const type of Object.keys(now).filter((each) => !(each in old))) {
      // Who does not ask for it does not get it.
      this.#changes.note(place, place.direction === 'request' ? 'wider' : 'narrower', `has ${type}, too`);
    }
  }

  #compareRest(place: Place, before: Json, after: Json, elsewhere: readonly string[]): void {
    for (const key of differingKeys(before, after, elsewhere, this.#isSame))
      this.#changes.note(place, 'unjudged', `has another \`${key}\``);
  }
}

/** What is compared, by where it stands. What is not, and differs, is unjudged. */
const known = {
  operation: ['operationId', 'tags', 'deprecated', 'security', 'parameters', 'requestBody', 'responses'],
  parameter: ['name', 'in', 'required', 'schema'],
  body: ['required', 'content'],
  answer: ['headers', 'content'],
  header: ['required', 'schema'],
  content: ['schema'],
};
