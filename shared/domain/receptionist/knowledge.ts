import * as v from 'valibot';
import { KnowledgeType, LeftOut, maxPrompt } from '../../contract/receptionist.ts';
import { cutText } from '../../core/cut-text.ts';
import type { ConfigurationReader } from '../../ledger/index.ts';
import { faqs } from '../faqs/faqs.ts';
import { organizations } from '../settings/organization-record.ts';
import { policies } from '../policies/policies.ts';
import { products } from '../products/products.ts';
import { scenarios } from '../scenarios/scenarios.ts';
import { services } from '../services/services.ts';
import { sayProductPrice, sayServicePrice } from './say-price.ts';

/** Collections that the knowledge is made of. */
export const knowledgeCollections = [organizations, policies, services, products, faqs, scenarios] as const;

/** Stored knowledge of a business: the prompt, and the records without room in it. */
export const Knowledge = v.object({ prompt: v.string(), leftOut: v.array(LeftOut) });
export type Knowledge = v.InferOutput<typeof Knowledge>;

/** Name of the stored knowledge. Includes the version of the format. */
export const knowledgeName = 'knowledge 2';

/** One record in a prompt: a line with the whole record, and a shorter line if that is still of use. */
interface Entry {
  type: KnowledgeType;
  id: number;
  name: string;
  whole: string;
  short?: string;
}

interface Section {
  title: string;
  entries: readonly Entry[];
}

const joined = (...parts: (string | undefined)[]): string => sentencesOf(parts, ' ');

/** Texts of the owner with their line breaks. Further lines are indented, so that they stay within their entry. */
const withLines = (...parts: string[]): string => sentencesOf(parts, '\n  ');

const sentencesOf = (parts: readonly (string | undefined)[], lineBreak: string): string =>
  parts
    .map((part = '') => part.trim().replaceAll(/\s+/g, (space) => (/[\n\r]/.test(space) ? lineBreak : ' ')))
    .filter((part) => part !== '')
    .map((part) => (/[.!?:]$/.test(part) ? part : `${part}.`))
    .join(' ');

const inUse = <R extends { isActive: boolean }>(records: readonly R[]): R[] =>
  records.filter(({ isActive }) => isActive);

const askOf = (questions: readonly string[]): string =>
  questions.length === 0 ? '' : `Ask: ${questions.join(' ')}`;

/** The records in use as a text for a model, at most `maxPrompt` long, and the records without room in it. */
export function knowledgeOf(all: ConfigurationReader): Knowledge {
  const [organization] = all(organizations);
  const { name = 'the business', currency = '' } = organization ?? {};
  const active = inUse(all(scenarios));
  const questionsOf = new Map(
    active.map(({ tradeServiceId, questions }) => [
      tradeServiceId,
      questions.map(({ question }) => question),
    ]),
  );
  const sections: Section[] = [
    {
      title: 'Policies',
      entries: inUse(all(policies)).map(({ id, title, content }) => ({
        type: 'policy',
        id,
        name: title,
        whole: withLines(title, content),
      })),
    },
    {
      title: 'Services',
      entries: inUse(all(services)).map((service) => {
        const { id, duration, durationUnit, description, followUpQuestions } = service;
        const [price, takes] = [
          sayServicePrice(service, currency),
          `It takes ${duration} ${durationUnit.toLowerCase()}`,
        ];
        const asks = questionsOf.get(id) ?? followUpQuestions;
        const ask = askOf(asks);
        return {
          type: 'service',
          id,
          name: service.name,
          whole: joined(`${service.name} (service ${id})`, description, takes, price, ask),
          short: joined(`${service.name} (service ${id})`, price),
        };
      }),
    },
    {
      title: 'Products',
      entries: inUse(all(products)).map((product) => {
        const price = sayProductPrice(product, currency);
        const asked = product.faqs.map(({ question, answer }) => joined(question, answer));
        return {
          type: 'product',
          id: product.id,
          name: product.name,
          whole: joined(product.name, product.description, price, product.response, ...asked),
          short: joined(product.name, price),
        };
      }),
    },
    {
      title: 'Questions and answers',
      entries: inUse(all(faqs)).map(({ id, question, answer }) => ({
        type: 'faq',
        id,
        name: question,
        whole: withLines(question, answer),
      })),
    },
    {
      title: 'What to do when',
      entries: active.map((scenario) => {
        const { id, prompt, response, tradeServiceId, questions, outcome } = scenario;
        const say = response === '' ? '' : `Say: ${response}`;
        // The questions of a service stand with the service.
        const ask = tradeServiceId === null ? askOf(questions.map(({ question }) => question)) : '';
        const then = outcomes[outcome.type];
        const isMore = [prompt, say, ask, then].some((part) => part !== '');
        return {
          type: 'scenario',
          id,
          name: scenario.name,
          whole: isMore ? joined(scenario.name, prompt, say, ask, then) : '',
        };
      }),
    },
  ];
  return promptOf(`This is what ${name} offers, and how it works.`, sections);
}

const outcomes = {
  continueCall: '',
  transferCall: 'Then put the call through',
  sendSms: 'Then send a text message',
  bookAppointment: 'Then book an appointment',
  takeMessage: 'Then take a message',
} as const;

/** Room for the sentence about records that were left out. */
const noteLength = 300;

/**
 * Maximum number of records in `leftOut`, and maximum length of their names. An item of the table has 400 KB at most.
 */
const maxLeftOut = { records: 600, name: 100 } as const;

function promptOf(beginning: string, all: readonly Section[]): Knowledge {
  const sections = all
    .map(({ title, entries }) => ({ title, entries: entries.filter(({ whole }) => whole !== '') }))
    .filter(({ entries }) => entries.length > 0);
  const titles = sections.reduce((sum, { title }) => sum + title.length + 5, beginning.length);
  const shares = sharesOf(
    sections.map(({ entries }) => entries.reduce((sum, { whole }) => sum + lineLength(whole), 0)),
    maxPrompt - noteLength - titles,
  );
  const fitted = sections.map(({ title, entries }, at) => ({ title, ...fit(entries, shares[at] ?? 0) }));
  const leftOut = fitted.flatMap((section) => section.leftOut);
  const texts = fitted
    .filter(({ lines }) => lines.length > 0)
    .map(({ title, lines }) => `## ${title}\n${lines.map((line) => `- ${line}`).join('\n')}`);
  return {
    prompt: [beginning, ...texts, ...noteOn(leftOut)].join('\n\n'),
    leftOut: leftOut
      .slice(0, maxLeftOut.records)
      .map((record) => ({ ...record, name: cutText(record.name, maxLeftOut.name) })),
  };
}

/** Length of an entry in the prompt, with its dash and line break. */
const lineLength = (line: string): number => line.length + 3;

/** Shares of a room: small sections get all the room that they need, and the larger sections share the rest equally. */
function sharesOf(needed: readonly number[], room: number): number[] {
  const shares = needed.map(() => 0);
  let left = room;
  const order = [...needed.keys()].sort((one, other) => (needed[one] ?? 0) - (needed[other] ?? 0));
  for (const [done, at] of order.entries()) {
    const share = Math.min(needed[at] ?? 0, Math.floor(left / (order.length - done)));
    shares[at] = share;
    left -= share;
  }
  return shares;
}

/**
 * Lines of the entries that fit into a share, in their order. First each entry gets its shortest line. Then the first
 * entries get their whole line, as far as there is room.
 */
function fit(entries: readonly Entry[], share: number): { lines: string[]; leftOut: LeftOut[] } {
  let room = share;
  const lines = entries.map(({ whole, short = whole }) => {
    if (lineLength(short) > room) return undefined;
    room -= lineLength(short);
    return short;
  });
  for (const [at, { whole }] of entries.entries()) {
    const line = lines[at];
    if (line === undefined || whole.length - line.length > room) continue;
    room -= whole.length - line.length;
    lines[at] = whole;
  }
  const leftOut = entries.flatMap(({ type, id, name, whole }, at): LeftOut[] =>
    lines[at] === whole ? [] : [{ type, id, name, isNamed: lines[at] !== undefined }],
  );
  return { lines: lines.filter((line) => line !== undefined), leftOut };
}

const plurals = {
  policy: 'policies',
  service: 'services',
  product: 'products',
  faq: 'questions',
  scenario: 'scenarios',
};

function noteOn(leftOut: readonly LeftOut[]): string[] {
  const missing = leftOut.filter(({ isNamed }) => !isNamed);
  if (missing.length === 0) return [];
  const counts = [...Map.groupBy(missing, ({ type }) => type)].map(
    ([type, some]) => `${some.length} ${plurals[type]}`,
  );
  return [
    `Not in this text, for lack of room: ${counts.join(', ')}. If one of them may be meant, say that you will find out.`,
  ];
}
