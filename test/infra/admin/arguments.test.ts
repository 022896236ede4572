import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { onInterrupt } from '../../../infra/interrupt.ts';
import { scopeSubjects } from '../../../shared/contract/scopes.ts';
import { admin } from '../../support/admin.ts';

// No machine runs there: valid arguments lead to that message, and invalid ones are reported before.
const local = ['--local', '--data', 'nowhere'];
const nothingRuns =
  'No "npm start" runs with the data folder nowhere: run it first (without --memory), or name its folder with --data.\n';

const organization = ['--organization', '6H8EV880'];
const valid: Record<string, string[]> = {
  create: [
    ...['organization', 'create', ...local, '--name', 'Harbour Plumbing', '--country', 'AU'],
    ...['--owner-first-name', 'Mia', '--owner-last-name', 'Tran', '--owner-email', 'mia@example.com'],
  ],
  setTimeZone: ['organization', 'set-time-zone', ...local, ...organization, '--time-zone', 'Australia/Perth'],
  issue: ['token', 'issue', ...local, ...organization, '--name', 'Website'],
  list: ['token', 'list', ...local, ...organization],
  revoke: ['token', 'revoke', ...local, ...organization, '--id', '2'],
  rotate: ['token', 'rotate', ...local, ...organization, '--id', '2'],
  issueForSites: [
    ...['token', 'issue', ...local, ...organization, '--name', 'Contact form'],
    ...['--scopes', 'forms:submit', '--sites', 'https://a.example,https://b.example'],
  ],
  addNumber: ['number', 'add', ...local, ...organization, '--number', '+61491570156'],
  listNumbers: ['number', 'list', ...local, ...organization],
  removeNumber: ['number', 'remove', ...local, ...organization, '--number', '+61491570156'],
  importLeads: ['leads', 'import', 'leads.csv', ...local, ...organization],
  exportLeads: ['leads', 'export', ...local, ...organization, 'my leads.csv'],
};

/** Many websites; the first one twice. */
const manySites = (count: number) =>
  ['https://0.example', ...Array.from({ length: count }, (_, at) => `https://${at}.example`)].join(',');

/** Valid arguments of a command, with changes: the last value of a repeated option counts. */
const args = (command: string, ...changes: string[]) => [...valid[command]!, ...changes];

const expiresFormat =
  '--expires must be a date such as 2030-01-31, a time with its zone such as 2030-01-31T09:00:00Z, or a span such as 90d or 12h (m, h, d, w).';
const overlapFormat =
  '--overlap must be a span such as 24h or 30m (m, h, d, w), or 0 to end the old token at once.';
const organizationFormat =
  '--organization must be the code of an organization, such as 6H8EV880, or org_6H8EV880.';
const idFormat = '--id must be the id of a token: its number in "token list".';
const scopesFormat =
  '--scopes must be read, write, or a subject with :read, :write or :create, with commas between several, or ' +
  `forms:submit alone; the subjects are ${scopeSubjects.join(', ')}.`;
const aloneScopes = '--scopes must be forms:submit alone, or without it: issue a token for each.';
const firstTokenScopes =
  '--scopes cannot be forms:submit for the first token: issue another one for websites, with "token issue".';
const sitesFormat =
  '--sites must be websites such as https://a.example, with commas between several; each subdomain is one of its own.';
const sitesNeeded =
  'A token with forms:submit needs --sites: the websites whose forms may send it, such as https://a.example.';
const sitesBelong = '--sites belongs to --scopes forms:submit, and to nothing else.';
const numberFormat = '--number must be a phone number with its country, such as +61491570156.';
const countryFormat = '--country must be the two letters of a country (ISO 3166), such as AU, NZ or GB.';
const timeZoneFormat = '--time-zone must be the name of a time zone, such as Australia/Sydney.';
const tableStart =
  '--table must be followed by the name of a table, which begins with a letter, a digit or "_".';

describe('valid arguments', () => {
  test.each([
    ...Object.values(valid),
    args('create', '--country', 'nz', '--token-name', 'Website', '--scopes', 'read', '--expires', '90d'),
    args('create', '--time-zone', 'Pacific/Auckland'),
    args('issue', '--scopes', 'write, read', '--user', 'user_6H8EV88000000001', '--expires', '12h'),
    args('issue', '--scopes', 'leads:create,inquiries:create, sms:read'),
    args('issue', '--expires', '9999-12-31'),
    args('issue', '--expires', '9998-12-31T23:59+11:00'),
    args('issue', '--expires', '9998-02-28T23:59:59.123Z'),
    args('rotate', '--overlap', '0', '--expires', '2w', '--json'),
    args('rotate', '--overlap', '30m', '--organization', 'org_6H8EV880'),
    ['--json', ...local, 'token', 'list', ...organization],
    args('issueForSites', '--sites', ' HTTP://localhost:8080/contact , https://a.example'),
    args('issueForSites', '--sites', manySites(20)),
    args('addNumber', '--number', '+61 491 570-156'),
    args('addNumber', '--number', '+1 (415) 555.0100'),
    args('importLeads', '--map', 'Company=businessName', '--map', '*='),
  ])('%#', async (...typed: string[]) => {
    expect(await admin(typed)).toEqual({ code: 1, stdout: '', stderr: nothingRuns });
  });
});

describe('a mistake is reported in one sentence, before any call', () => {
  test.each<[string[], string]>([
    [args('create', '--name', ' '), '--name must not be empty.'],
    [args('create', '--name', 'x'.repeat(201)), '--name must be at most 200 long.'],
    [args('create', '--name', 'two\nlines'), '--name must be a single line of text.'],
    [args('create', '--country', 'Australia'), countryFormat],
    [args('create', '--country', 'ZZ'), countryFormat],
    [args('create', '--country', 'UK'), countryFormat],
    [args('create', '--time-zone', 'Sydney'), timeZoneFormat],
    [args('create', '--time-zone', '+10:00'), timeZoneFormat],
    [args('setTimeZone', '--time-zone', ''), timeZoneFormat],
    [args('create', '--owner-email', 'mia'), '--owner-email must be an email address.'],
    [args('create', '--owner-email', ''), '--owner-email must be an email address.'],
    [args('create', '--scopes', 'admin'), scopesFormat],
    [args('create', '--expires', '2020-01-01'), '--expires must be in the future.'],
    [args('issue', '--scopes', ''), scopesFormat],
    [args('issue', '--scopes', 'read,admin'), scopesFormat],
    [args('issue', '--scopes', 'leads:delete'), scopesFormat],
    [args('issue', '--scopes', 'lead:create'), scopesFormat],
    [args('create', '--scopes', 'forms:submit'), firstTokenScopes],
    [args('issue', '--scopes', 'forms:submit'), sitesNeeded],
    [args('issue', '--scopes', 'forms'), scopesFormat],
    [args('issue', '--scopes', 'forms:submit,read'), aloneScopes],
    [args('issueForSites', '--scopes', 'leads:create,forms:submit'), aloneScopes],
    [args('issueForSites', '--scopes', 'read,write'), sitesBelong],
    [args('issue', '--sites', 'https://a.example'), sitesBelong],
    [args('issueForSites', '--sites', ''), sitesFormat],
    [args('issueForSites', '--sites', 'a.example'), sitesFormat],
    [args('issueForSites', '--sites', 'https://a.example,'), sitesFormat],
    [args('issueForSites', '--sites', 'https://*.a.example'), sitesFormat],
    [args('issueForSites', '--sites', 'https://a.example;https://b.example'), sitesFormat],
    [args('issueForSites', '--sites', manySites(21)), '--sites must be 20 websites at most.'],
    [args('addNumber', '--number', '0491 570 156'), numberFormat],
    [args('addNumber', '--number', '61491570156'), numberFormat],
    [args('addNumber', '--number', '+061491570156'), numberFormat],
    [args('addNumber', '--number', '+6149157015612345'), numberFormat],
    [args('removeNumber', '--number', 'phone-0123456789abcdef'), numberFormat],
    [args('removeNumber', '--number', ''), numberFormat],
    [['number', 'add', ...local], '--organization is required; --number is required.'],
    [['number', 'remove', ...local, ...organization], '--number is required.'],
    [
      [...valid['addNumber']!.slice(0, -1), '+61', '491', '570', '156'],
      'What is meant by "491 570 156"? A value with spaces needs quotes; "npm run admin -- number add --help" shows how it is used.',
    ],
    [args('issue', '--expires', '0d'), '--expires must be in the future.'],
    [args('issue', '--expires', '2020-01-01T00:00:00Z'), '--expires must be in the future.'],
    [args('issue', '--expires', '1970-01-01'), '--expires must be in the future.'],
    [args('issue', '--expires', 'soon'), expiresFormat],
    [args('issue', '--expires', '90'), expiresFormat],
    [args('issue', '--expires', '-1d'), expiresFormat],
    [args('issue', '--expires', '9998-02-29'), expiresFormat],
    [args('issue', '--expires', '9998-02-28T10:00'), expiresFormat],
    [args('issue', '--expires', '9999-12-31T23:59-01:00'), expiresFormat],
    [args('issue', '--user', 'mia'), '--user must be the id of a user, such as user_6H8EV88000000001.'],
    [args('issue', '--organization', 'harbour'), organizationFormat],
    [args('issue', '--organization', '6H8EV88I'), organizationFormat],
    [args('list', '--organization', 'ORG#6H8EV880'), organizationFormat],
    [args('revoke', '--id', '0'), idFormat],
    [args('revoke', '--id', '1.5'), idFormat],
    [args('rotate', '--id', 'Website'), idFormat],
    [args('rotate', '--overlap', '1'), overlapFormat],
    [args('rotate', '--overlap', '2030-01-31'), overlapFormat],
    [
      args('create', '--country', 'X', '--owner-email', 'mia'),
      `${countryFormat.slice(0, -1)}; --owner-email must be an email address.`,
    ],
    [['token', 'issue', ...local], '--organization is required; --name is required.'],
    [['token', 'list', ...organization], 'Say which table: --stage dev, --stage prod, or --local.'],
    [args('list', '--stage', 'dev'), '--stage and --local cannot be combined.'],
    [['token', 'list', ...organization, '--stage', 'test'], '--stage must be one of dev, prod.'],
    [
      ['token', 'list', ...organization, '--stage', 'dev', '--data', '.data'],
      '--data belongs to --local, and to nothing else.',
    ],
    [args('list', '--data', ''), '--data must name a folder.'],
    [args('list', '--table', 'Restored'), '--table belongs to --stage, and to nothing else.'],
    ...(
      [
        ['arn:aws:dynamodb:table/Restored', '--table must be the name of a table, not its ARN.'],
        ['', tableStart],
        ['--json', tableStart],
        ['-restored', tableStart],
        [
          'my table',
          '--table must be the name of a table, which has only letters, digits, "_", "-" and ".".',
        ],
        ['my', '--table must be the name of a table, which has 3 to 255 characters.'],
        ['m'.repeat(256), '--table must be the name of a table, which has 3 to 255 characters.'],
      ] as const
    ).map(([name, sentence]): [string[], string] => [
      ['token', 'list', ...organization, '--stage', 'dev', '--table', name],
      sentence,
    ]),
    [['organization', 'verify', '--stage', 'dev', '--table', '--all'], tableStart],
    [
      args('create', '--name', 'Harbour', 'Plumbing'),
      'What is meant by "Plumbing"? A value with spaces needs quotes; "npm run admin -- organization create --help" shows how it is used.',
    ],
    [
      args('exportLeads', 'more.csv'),
      'What is meant by "more.csv"? A value with spaces needs quotes; "npm run admin -- leads export --help" shows how it is used.',
    ],
    [
      ['leads', 'import', ...local, ...organization],
      `Missing required argument 'file': "npm run admin -- leads import --help" shows how it is used.`,
    ],
    [args('importLeads', '--organization', 'x'), organizationFormat],
    [['leads', 'export', '', ...local, ...organization], 'FILE must name a file.'],
    [
      args('list', '--organisation', 'X'),
      `Unknown option '--organisation' (Did you mean --organization?): "npm run admin -- token list --help" shows how it is used.`,
    ],
    [
      ['token', 'list', '--organization'],
      `Option '--organization <code>' argument missing: "npm run admin -- token list --help" shows how it is used.`,
    ],
    [
      ['token', 'isue'],
      `Unknown command 'isue' (Did you mean issue?): "npm run admin -- token --help" shows how it is used.`,
    ],
    [['tenant'], `Unknown command 'tenant': "npm run admin -- --help" shows how it is used.`],
  ])('%j', async (typed, sentence) => {
    for (const more of [[], ['--json']]) {
      expect(await admin([...typed, ...more])).toEqual({ code: 1, stdout: '', stderr: `${sentence}\n` });
    }
  });
});

test('Ctrl-C stops a long command cleanly; a second one ends it at once', () => {
  const signals = new EventEmitter();
  const seen: string[] = [];
  let now = 0;
  const undo = onInterrupt(signals, {
    stop: () => seen.push('stop'),
    end: () => seen.push('end'),
    now: () => now,
  });
  signals.emit('SIGINT');
  // npm forwards the signal that the terminal has already sent.
  now = 20;
  signals.emit('SIGINT');
  expect(seen).toEqual(['stop']);
  now = 1500;
  signals.emit('SIGTERM');
  expect(seen).toEqual(['stop', 'end']);
  undo();
  signals.emit('SIGINT');
  expect(seen).toEqual(['stop', 'end']);
});

describe('help', () => {
  test.each([
    [
      [],
      'Usage: npm run admin -- [options] [command]',
      ['organization', 'token', 'number', 'leads', '--stage', '--local'],
    ],
    [['organization'], 'Usage: npm run admin -- organization', ['create']],
    [['token'], 'Usage: npm run admin -- token', ['issue', 'list', 'revoke', 'rotate']],
    [['number'], 'Usage: npm run admin -- number', ['add', 'list', 'remove']],
    [['organization', 'create'], '--name NAME --country CODE', ['--owner-email', '--token-name']],
    [['organization', 'set-time-zone'], '--organization CODE --time-zone ZONE', ['stay as they are']],
    [['token', 'issue'], '--organization CODE --name NAME', ['--scopes', '--sites', '--expires', '--user']],
    [['token', 'list'], '(--stage STAGE | --local) --organization CODE', ['--json']],
    [['token', 'revoke'], '--organization CODE --id NUMBER', ['within 60 seconds']],
    [['token', 'rotate'], '--organization CODE --id NUMBER', ['--overlap', '--expires']],
    [['number', 'add'], '--organization CODE --number NUMBER', ['still to be switched on']],
    [['number', 'list'], '(--stage STAGE | --local) --organization CODE', ['go out from the first']],
    [['number', 'remove'], '--organization CODE --number NUMBER', ['become dead letters']],
    [['leads'], 'Usage: npm run admin -- leads', ['import', 'export']],
    [['leads', 'import'], '(--stage STAGE | --local) FILE --organization CODE', ['--map', 'Arguments: file']],
    [['leads', 'export'], '(--stage STAGE | --local) FILE --organization CODE', ['must not be there yet']],
  ])('of %j has its options and an example', async (command, usage, parts) => {
    const { code, stdout, stderr } = await admin([...command, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const part of [usage, ...parts, '--json', '\nExamples:\n  npm run admin -- ']) {
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(part.replaceAll(/\s+/g, ' '));
    }
  });

  test('is printed as a mistake if the command is missing', async () => {
    for (const typed of [[], ['token']]) {
      const { code, stdout, stderr } = await admin(typed);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('Usage: npm run admin -- ');
    }
  });
});
