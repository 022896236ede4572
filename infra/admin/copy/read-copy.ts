import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { events, type Collection } from '../../../shared/ledger/internal/collection.ts';
import { collectionsIn, storageFormat } from '../../../shared/ledger/internal/head.ts';
import { AdminError, onDisk } from '../admin-error.ts';
import { malformedFields } from '../verify/finding.ts';
import { copyForm, fileOf, Form, headFile, HeadLine, RecordLine, SealLine } from './format.ts';
import { linesOf, notAsExported, sumOf, type Line } from './files.ts';

/** A line of a copy with its position. */
export interface CopiedRecord extends RecordLine {
  collection: Collection;
  /** File and line, for messages. */
  where: string;
}

/** The files of an organization's copy. */
export class Copy {
  readonly head: HeadLine;
  /**
   * Checksum of the head's line, which has the checksums of all other files: equal copies have equal digests.
   */
  readonly digest: string;
  readonly #folder: string;
  readonly #collections: ReadonlyMap<string, Collection>;

  /** @throws AdminError if the folder has no copy that this version of the code reads */
  constructor(folder: string, collections: readonly Collection[]) {
    this.#folder = folder;
    this.#collections = new Map(collections.map((collection) => [collection.name, collection]));
    ({ head: this.head, digest: this.digest } = this.#readHead());
    const known = [...this.names].map(fileOf);
    const strange = onDisk(`${folder} could not be read`, () => readdirSync(folder)).find(
      (name) => name.endsWith('.jsonl') && name !== headFile && !known.includes(name),
    );
    if (strange !== undefined)
      throw new AdminError(`${join(folder, strange)} is of no kind of record that ${headFile} tells of.`);
  }

  /** Names of the collections, events last. */
  get names(): readonly string[] {
    return [...collectionsIn(this.head).filter((name) => name !== events.name), events.name];
  }

  /** Path of the head's file, which lists the others. */
  get headPath(): string {
    return join(this.#folder, headFile);
  }

  /** Path of a collection's file. */
  pathOf(name: string): string {
    return join(this.#folder, fileOf(name));
  }

  /**
   * Checks that every file is as exported, byte for byte. @throws AdminError that names the first that is not
   */
  checkSums(): void {
    for (const name of this.names.map(fileOf)) {
      const path = join(this.#folder, name);
      const stated = this.head.files[name];
      const sum = existsSync(path) ? sumOf(path) : undefined;
      if (sum?.sha256 === stated?.sha256 && sum?.lines === stated?.lines) continue;
      if (sum?.lines === stated?.lines) throw changed(path);
      throw notAsExported(`${path} has ${sum?.lines ?? 0} lines and must have ${stated?.lines ?? 0}`);
    }
  }

  /** Records of a collection; none if the file is missing. @throws AdminError for a malformed line */
  *records(name: string): Generator<CopiedRecord> {
    const collection = this.#collections.get(name);
    if (!collection)
      throw new AdminError(
        `This version of the service knows no ${name}: import the copy by the version that exported it.`,
      );
    const path = this.pathOf(name);
    if (!existsSync(path)) return;
    for (const line of linesOf(path)) {
      const where = `${path}, line ${line.at}`;
      yield { ...parsed(RecordLine, line, where), collection, where };
    }
  }

  #readHead(): { head: HeadLine; digest: string } {
    const path = this.headPath;
    if (!existsSync(path))
      throw new AdminError(`${this.#folder} has no ${headFile}: name the folder of an export.`);
    const [line, seal, another] = [...linesOf(path)];
    const where = `${path}, line 1`;
    if (!line || !seal || another) throw notAsExported(`${path} must have two lines`);
    const { form, stored } = parsed(Form, line, where);
    if (form !== copyForm || stored !== storageFormat)
      throw new AdminError(
        `The copy is of form ${form}.${stored}, and this version of the service reads ${copyForm}.${storageFormat}: ` +
          'import it by the version that exported it.',
      );
    const { sha256 } = parsed(SealLine, seal, `${path}, line 2`);
    if (createHash('sha256').update(`${line.text}\n`).digest('hex') !== sha256) throw changed(path);
    return { head: parsed(HeadLine, line, where), digest: sha256 };
  }
}

const changed = (path: string) => notAsExported(`${path} was changed`);

function parsed<S extends v.GenericSchema>(schema: S, line: Line, where: string): v.InferOutput<S> {
  return parseStrictly(schema, valueOf(line, where), where);
}

function valueOf({ text }: Line, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notAsExported(`${where}, is no JSON`);
  }
}

/**
 * Parses a value and refuses every name that the schema does not know, at any depth. A person who edits a
 * copy can also renew its checksums, and an unknown name would become an attribute in the table.
 * @throws AdminError that names the malformed or unknown field
 */
export function parseStrictly<S extends v.GenericSchema>(
  schema: S,
  value: unknown,
  where: string,
): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  const path = result.success ? strangeIn(value, result.output) : strangePath(result.issues);
  if (path)
    throw new AdminError(
      `${where}, has a field that this version of the service does not know: ${path.map(shown).join('.')}. Import the file ` +
        'exactly as the export wrote it, with the version that exported it.',
    );
  if (result.success) return result.output;
  throw new AdminError(`${where}, cannot be read: ${malformedFields(result.issues)}.`);
}

/** Path of a name that a strict schema refuses. */
function strangePath(issues: readonly v.BaseIssue<unknown>[]): string[] | undefined {
  const issue = issues.find(({ type, expected }) => type === 'strict_object' && expected === 'never');
  return issue?.path?.map(({ key }) => String(key));
}

/** Path of a name that a loose schema dropped from the value. */
function strangeIn(value: unknown, parsed: unknown): string[] | undefined {
  if (typeof value !== 'object' || value === null || value === parsed) return undefined;
  const known = new Map<string, unknown>(Object.entries(parsed ?? {}));
  for (const [name, one] of Object.entries(value)) {
    if (!known.has(name)) return [name];
    const path = strangeIn(one, known.get(name));
    if (path) return [name, ...path];
  }
  return undefined;
}

/** A name for a sentence. A name that is not a plain word may be personal data. */
const shown = (name: string): string => (/^\w{1,40}$/.test(name) ? name : '(not shown)');
