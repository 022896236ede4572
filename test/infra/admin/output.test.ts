import { expect, test } from 'vitest';
import { localMessageOf } from '../../../infra/local/local-error.ts';
import { receivedLine, requestLine, runLine, smsLine } from '../../../infra/local/terminal.ts';
import { newConsumedCapacity } from '../../../shared/ledger/index.ts';
import { foundOrganizationAt } from '../../support/stored-organization.ts';
import { tableAt } from '../../support/test-organization.ts';
import { Office } from './lead-office.ts';

/** Text with a line break, escape sequences of 7 and 8 bits, and right-to-left letters. */
const forged = 'Ann\nAnn (6H8EV880) is whole\u001B[2K\u009B1A\u202E\u2028Lee';
const shown = 'Ann\\u000aAnn (6H8EV880) is whole\\u001b[2K\\u009b1A\\u202e\\u2028Lee';
const unseen = /[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]/u;

const office = new Office();
const { code } = await foundOrganizationAt(tableAt(), { name: forged });
const title = `${shown} (${code})`;

const run = async (typed: readonly string[]) => {
  const { stdout, stderr } = await office.admin([...typed, '--organization', code]);
  return stdout + stderr;
};

test.each<[typed: string[], sentence: string]>([
  [['organization', 'verify'], `${title} is whole: `],
  [['organization', 'verify', '--repair'], `${title} is whole: `],
  [['token', 'list'], `Tokens of ${title}\n\nID `],
  [['token', 'issue', '--name', 'Till'], `A token of ${title} is issued.\n\n  Token `],
  [['token', 'revoke', '--id', '99'], `There is no token 99 in ${title}: `],
  [['number', 'list'], `${title} has no numbers: `],
  [['token', 'list', `--${forged}`], "Unknown option '--Ann Ann (6H8EV880) is whole\\u001b[2K"],
  [
    ['leads', 'export', `/nowhere/${forged}/a.csv`],
    `No file can be written into the folder /nowhere/${shown} (`,
  ],
  [['leads', 'import', office.file('a.csv', `name,"${forged}"\r\nAnn,x`)], `No field of a lead: "${shown}".`],
])(
  'command %# shows on its line what is data, and nothing that a terminal obeys',
  async (typed, sentence) => {
    const text = await run(typed);
    expect(text).toContain(sentence);
    expect(text).not.toMatch(unseen);
    expect(text).not.toContain('\nAnn');
  },
);

test('the output for scripts is exact, with terminal controls escaped', async () => {
  const json = await run(['organization', 'verify', '--json']);
  expect(json).not.toMatch(unseen);
  expect(JSON.parse(json)).toMatchObject({ organizations: [{ organization: code, name: forged }] });
});

test('the terminal of the local machine escapes requests, workers and SMS as well', () => {
  const consumed = newConsumedCapacity();
  const [milliseconds, troubles] = [1, [forged]];
  const cost = { endpoint: consumed, authorizer: consumed };
  for (const text of [
    requestLine({ method: 'GET', path: forged, status: 200, milliseconds, cost, troubles: [] }),
    runLine({ name: forged, done: 1, attempts: [], failed: undefined, milliseconds, consumed, troubles }),
    receivedLine({ isVerified: true, body: forged }),
    smsLine({ id: '1', to: forged, from: '+61491570737', text: 'Hi' }),
    smsLine({ id: '1', to: '+61491570156', from: '+61491570737', text: forged }),
  ]) {
    expect(text).toContain(shown);
    expect(text).not.toMatch(unseen);
    expect(text).not.toContain('\nAnn');
  }
  expect(localMessageOf(new Error(forged))).not.toMatch(unseen);
});
