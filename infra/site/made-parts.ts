import type { Contracts, Operation } from '../functions.ts';
import { TokenScope } from '../../shared/contract/access-tokens.ts';
import { EventType } from '../../shared/contract/event-feed.ts';
import { eventKinds, publicKindOf, publicEventNames, type EventKind } from '../../shared/contract/events.ts';
import type { Endpoint, Method } from '../../shared/contract/endpoint.ts';
import { idPrefixes } from '../../shared/core/ids.ts';
import { isPicklist } from '../open-api/schemas.ts';
import { inOrder as byTag, tagOf, titleOf } from '../open-api/tags.ts';
import { scopeSubjects, type NarrowScope } from '../../shared/contract/scopes.ts';
import { refusedTo, tokenKinds } from './token-kinds.ts';
import { SynthesisError } from '../synthesis-error.ts';

/** Tables and lists of pages that follow from the contracts, as Markdown, by the names in their marks. */
export const madePartsOf = (contracts: Contracts) =>
  ({
    operations: operationTable(contracts),
    scopes: scopeTable(contracts),
    'refused operations': refusedTable(contracts),
    enumerations: enumerationTable(contracts),
    'types of events': eventTypeTable(),
    'prefixes of ids': idPrefixes.map(code).join(', '),
  }) satisfies Record<string, string>;

/**
 * Page with its parts in the places of their marks, such as "_Made by the site: operations_". @throws SynthesisError for a mark
 * without a part
 */
export const withMadeParts = (page: string, text: string, parts: Readonly<Record<string, string>>): string =>
  text.replaceAll(/_made by the site: ([^_]+)_/gi, (mark, name: string) => {
    const part = parts[name];
    if (part === undefined)
      throw new SynthesisError(`${page} has the mark ${mark}: infra/site/made-parts.ts makes no ${name}`);
    return part;
  });

/** Orders operations by path. Operations of one path come in this order: read, make, change, remove. */
function inOrder({ endpoint: one }: Operation, { endpoint: other }: Operation): number {
  const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  if (one.path !== other.path) return one.path < other.path ? -1 : 1;
  return methods.indexOf(one.method) - methods.indexOf(other.method);
}

const markdownTable = ({ columns, rows }: { columns: string[]; rows: string[][] }): string =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const code = (text: string) => `\`${text}\``;

/** A table for each subject, in the order of the served reference. */
function operationTable({ operations }: Contracts): string {
  const tables = [...Map.groupBy(byTag(operations), tagOf)];
  return tables.map(([tag, ofTag]) => `## ${titleOf(tag)}\n\n${tableOf(ofTag)}`).join('\n\n');
}

const tableOf = (operations: readonly Operation[]): string =>
  markdownTable({
    columns: ['Operation', 'Request', 'Scope', 'Success', 'Also'],
    rows: operations
      .toSorted(inOrder)
      .map(({ operationId, endpoint }) => [
        code(operationId) + (endpoint.extension ? ' (extension)' : ''),
        code(`${endpoint.method} ${endpoint.path}`),
        endpoint.scope === 'public' ? 'none' : code(endpoint.scope),
        successesOf(endpoint).join(', '),
        otherStatusesOf(endpoint).join(', '),
      ]),
  });

/** Statuses of success. A browser that sends a form is sent on by a 303. */
const successesOf = ({ responses, takesForms }: Endpoint): (string | number)[] => [
  ...Object.keys(responses),
  ...(takesForms ? [303] : []),
];

/** Statuses that are the endpoint's own, without those that the reference says of all. */
function otherStatusesOf({ errors, bareErrors = [], cache }: Endpoint): number[] {
  const ofAll = [400, 401, 403, 412, 413, 415, 429, 500, 503];
  const own = [...(cache ? [304] : []), ...errors, ...bareErrors];
  return [...new Set(own)].filter((status) => !ofAll.includes(status)).sort((one, other) => one - other);
}

function scopeTable({ operations }: Contracts): string {
  const needing = (scope: NarrowScope) =>
    operations
      .filter(({ endpoint }) => endpoint.scope === scope)
      .map(({ operationId }) => code(operationId))
      .join(', ');
  const rights = ['read', 'create', 'write'] as const;
  return markdownTable({
    columns: ['Subject', ...rights.map((right) => code(`:${right}`))],
    rows: scopeSubjects.map((subject) => [
      code(subject),
      ...rights.map((right) => needing(`${subject}:${right}`) || '–'),
    ]),
  });
}

/**
 * Kinds of tokens, with the operations that each may not call. Kinds with the same refused operations share a
 * row.
 */
function refusedTable({ operations }: Contracts): string {
  const kinds = tokenKinds.map((kind) => {
    const refused = refusedTo(kind, operations.toSorted(inOrder)).map(code).join(', ');
    return { ...kind, refused: refused || '–' };
  });
  const rows = Map.groupBy(kinds, ({ name, refused }) => `${name} ${refused}`).values();
  return markdownTable({
    columns: ['Role of the user', 'Scopes of the token', 'Operations that it may not call (403)'],
    rows: [...rows].map((alike) => [
      alike.map(({ role }) => role).join(', '),
      alike[0]?.name ?? '',
      alike[0]?.refused ?? '',
    ]),
  });
}

/** The types of events that clients know, but OTHER: what each is about, and all that its summary can be. */
function eventTypeTable(): string {
  const kinds: [string, EventKind][] = Object.entries(eventKinds);
  const rows = publicEventNames.flatMap((type) => {
    const { about } = publicKindOf(type);
    const shown = kinds.filter(([name]) => publicKindOf(name).name === type);
    return about ? [[code(type), about, shown.flatMap(([, kind]) => sentencesOf(kind)).join('; ')]] : [];
  });
  return markdownTable({ columns: ['`type`', '`recordId` is of', '`summary`'], rows });
}

function sentencesOf({ sentence }: EventKind): string[] {
  if (typeof sentence === 'string') return [sentence];
  return typeof sentence === 'function' ? [sentence({ from: '…', to: '…' })] : Object.values(sentence);
}

/**
 * The enumerations of codes. Enumerations of whole sentences, the types of events and the scopes are told elsewhere.
 */
function enumerationTable({ schemas, descriptions }: Contracts): string {
  const rows = Object.entries(schemas).flatMap(([name, schema]) => {
    if (schema === EventType || schema === TokenScope || !isPicklist(schema)) return [];
    const values = schema.options;
    if (!/^[A-Z]/.test(name) || values.some((value) => value.includes(' '))) return [];
    const [meaning = ''] = (descriptions[name]?.is ?? '').split('. ');
    return [[inWords(name), values.map(code).join(', '), meaning]];
  });
  return markdownTable({
    columns: ['Name', 'Values', 'Meaning'],
    rows: rows.toSorted(([one = ''], [other = '']) => one.localeCompare(other, 'en')),
  });
}

/** Words of a schema's name: `SMS status` for `SmsStatus`. */
const inWords = (name: string) =>
  name
    .replaceAll(/\B[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase()
    .replace('sms', 'SMS');
