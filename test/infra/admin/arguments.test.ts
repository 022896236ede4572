import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { onInterrupt } from '../../../infra/interrupt.ts';
import { scopeSubjects } from '../../../shared/contract/scopes.ts';
import { admin } from '../../support/admin.ts';

// No machine runs there. Valid arguments lead to that message, and invalid arguments are reported before.
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
  newEpoch: ['organization', 'new-epoch', ...local, ...organization],
  setRole: ['member', 'set-role', ...local, ...organization, '--member', '2', '--role', 'user'],
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

test.each([
  ...Object.values(valid),
  args('create', '--country', 'nz', '--token-name', 'Website', '--scopes', 'read', '--expires', '90d'),
  args('create', '--time-zone', 'Pacific/Auckland', '--trade', 'none'),
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
])('valid arguments: %#', async (...typed: string[]) => {
  expect(await admin(typed)).toEqual({ code: 1, stdout: '', stderr: nothingRuns });
});

/** Wrong values of one option, each with the end of its sentence. */
const wrong = (command: string, option: string, values: readonly string[], must: string) =>
  values.map((value): [string[], string] => [args(command, option, value), `${option} ${must}.`]);

const inQuotes = (typed: string[], what: string, command: string): [string[], string] => [
  typed,
  `Too many values: "${what}". A value with spaces needs quotes; "npm run admin -- ${command} --help" shows how it is used.`,
];

const countryFormat = 'must be the two letters of a country (ISO 3166), such as AU, NZ or GB';
const timeZoneFormat = 'must be the name of a time zone, such as Australia/Sydney';
const keys = 'forms:submit, calls:submit, or receptionist:answer';
const scopesFormat =
  'must be read, write, or a subject with :read, :write or :create, with commas between several, or ' +
  `${keys} alone; the subjects are ${scopeSubjects.join(', ')}`;
const aloneScopes = `must be ${keys} alone, or without it: issue a token for each`;
const sitesFormat =
  'must be websites such as https://a.example, with commas between several; name each subdomain';
const numberFormat = 'must be a phone number with its country, such as +61491570156';
const organizationFormat = 'must be the code of an organization, such as 6H8EV880, or org_6H8EV880';
const idFormat = 'must be the id of a token: its number in "token list"';
const sitesBelong = '--sites goes with forms:submit alone.';
const future = 'must be in the future';
const tableStart = 'must be followed by the name of a table, which begins with a letter, a digit or "_"';

const ofStage = ['token', 'list', ...organization, '--stage', 'dev'];

test.each<[string[], string]>([
  ...wrong('create', '--name', [' '], 'must not be empty'),
  ...wrong('create', '--name', ['x'.repeat(201)], 'must be at most 200 long'),
  ...wrong('create', '--name', ['two\nlines'], 'must be a single line of text'),
  ...wrong('create', '--country', ['Australia', 'ZZ', 'UK'], countryFormat),
  ...wrong('create', '--time-zone', ['Sydney', '+10:00'], timeZoneFormat),
  ...wrong('setTimeZone', '--time-zone', [''], timeZoneFormat),
  ...wrong(
    'create',
    '--trade',
    ['painting', ''],
    'must be one of general, plumbing, electrical, roofing, none',
  ),
  ...wrong('create', '--owner-email', ['mia', ''], 'must be an email address'),
  ...wrong('create', '--scopes', ['admin'], scopesFormat),
  ...wrong('create', '--expires', ['2020-01-01'], future),
  ...wrong(
    'create',
    '--scopes',
    ['forms:submit'],
    `cannot be ${keys} for the first token: issue another token for that, with "token issue"`,
  ),
  ...wrong('issue', '--scopes', ['', 'read,admin', 'leads:delete', 'lead:create', 'forms'], scopesFormat),
  ...wrong('issue', '--scopes', ['forms:submit,read'], aloneScopes),
  ...wrong('issueForSites', '--scopes', ['leads:create,forms:submit'], aloneScopes),
  [
    args('issue', '--scopes', 'forms:submit'),
    '--sites must have, for forms:submit, the websites whose forms may send the key, such as https://www.harbourplumbing.example.',
  ],
  [args('issueForSites', '--scopes', 'read,write'), sitesBelong],
  [
    args('issue', '--secret-file', 'secret.txt'),
    '--secret-file goes with calls:submit or receptionist:answer alone.',
  ],
  [
    args('issue', '--scopes', 'receptionist:answer'),
    '--secret-file must be given for receptionist:answer, because the key tells who has a phone number. If the platform does ' +
      'not make a secret, make one of 32 random bytes.',
  ],
  [args('issue', '--sites', 'https://a.example'), sitesBelong],
  ...wrong('issueForSites', '--sites', ['', 'a.example', 'https://a.example,'], sitesFormat),
  ...wrong('issueForSites', '--sites', ['https://*.a.example', 'https://a.example;https://b'], sitesFormat),
  ...wrong('issueForSites', '--sites', [manySites(21)], 'must be 20 websites at most'),
  ...wrong('addNumber', '--number', ['0491 570 156', '61491570156', '+061491570156'], numberFormat),
  ...wrong('addNumber', '--number', ['+6149157015612345'], numberFormat),
  ...wrong('removeNumber', '--number', ['phone-0123456789abcdef', ''], numberFormat),
  [['number', 'add', ...local], '--organization is required; --number is required.'],
  [['number', 'remove', ...local, ...organization], '--number is required.'],
  ...wrong('issue', '--expires', ['0d', '2020-01-01T00:00:00Z', '1970-01-01'], future),
  ...wrong(
    'issue',
    '--expires',
    ['soon', '90', '-1d', '9998-02-29', '9998-02-28T10:00', '9999-12-31T23:59-01:00'],
    'must be a date (2030-01-31), a time with its zone (2030-01-31T09:00:00Z), or a span (90d, 12h; m, h, d, w)',
  ),
  ...wrong('issue', '--user', ['mia'], 'must be an id such as user_6H8EV88000000001'),
  ...wrong('issue', '--organization', ['harbour', '6H8EV88I'], organizationFormat),
  ...wrong('list', '--organization', ['ORG#6H8EV880'], organizationFormat),
  ...wrong('importLeads', '--organization', ['x'], organizationFormat),
  ...wrong('setRole', '--member', ['0', 'mia'], 'must be the id of a member: a number such as 2'),
  ...wrong('setRole', '--role', ['', 'BOSS'], 'must be one of USER, ADMIN, OWNER'),
  ...wrong('revoke', '--id', ['0', '1.5'], idFormat),
  ...wrong('rotate', '--id', ['Website'], idFormat),
  ...wrong(
    'rotate',
    '--overlap',
    ['1', '2030-01-31'],
    'must be a span such as 24h or 30m (m, h, d, w), or 0 to end the old token at once',
  ),
  [
    args('create', '--country', 'X', '--owner-email', 'mia'),
    `--country ${countryFormat}; --owner-email must be an email address.`,
  ],
  [['token', 'issue', ...local], '--organization is required; --name is required.'],
  [['token', 'list', ...organization], 'Say which table: --stage dev, --stage prod, or --local.'],
  [args('list', '--stage', 'dev'), '--stage and --local cannot be combined.'],
  [
    ['token', 'list', ...organization, '--stage', 'Test'],
    '--stage must be 1 to 16 lower-case letters and digits, first a letter, such as staging.',
  ],
  [
    ['token', 'list', ...organization, '--stage', 'local'],
    '--stage must be a stage that can be deployed: local is for sam local alone.',
  ],
  [[...ofStage, '--data', '.data'], '--data goes with --local alone.'],
  [args('list', '--data', ''), '--data must name a folder.'],
  [args('list', '--table', 'Restored'), '--table goes with --stage alone.'],
  ...(
    [
      ['arn:aws:dynamodb:table/Restored', 'must be the name of a table, not its ARN'],
      ['', tableStart],
      ['--json', tableStart],
      ['-restored', tableStart],
      ['my table', 'must be the name of a table, which has only letters, digits, "_", "-" and "."'],
      ['my', 'must be the name of a table, which has 3 to 255 characters'],
      ['m'.repeat(256), 'must be the name of a table, which has 3 to 255 characters'],
    ] as const
  ).map(([name, must]): [string[], string] => [[...ofStage, '--table', name], `--table ${must}.`]),
  [['organization', 'verify', '--stage', 'dev', '--table', '--all'], `--table ${tableStart}.`],
  [
    ['drill', ...local],
    '--stage must be given: a drill restores the table of a deployed stage, and the local machine cannot restore.',
  ],
  [
    ['drill', '--stage', 'prod', '--table', 'Restored'],
    'A drill restores the table that the stage uses: leave --table out.',
  ],
  [
    ['drill', '--stage', 'prod', '--remove-left', '--keep'],
    '--remove-left begins no drill: leave --at and --keep out.',
  ],
  [
    ['drill', '--stage', 'prod', '--at', '2026-11-22T08:55'],
    '--at must be a time with its zone, such as 2026-11-22T08:55:00Z.',
  ],
  inQuotes([...valid['addNumber']!.slice(0, -1), '+61', '491', '570'], '491 570', 'number add'),
  inQuotes(args('create', '--name', 'Harbour', 'Plumbing'), 'Plumbing', 'organization create'),
  inQuotes(args('exportLeads', 'more.csv'), 'more.csv', 'leads export'),
  [
    ['leads', 'import', ...local, ...organization],
    `Missing required argument 'file': "npm run admin -- leads import --help" shows how it is used.`,
  ],
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
])('a mistake is reported in one sentence, before any call: %j', async (typed, sentence) => {
  for (const more of [[], ['--json']]) {
    expect(await admin([...typed, ...more])).toEqual({ code: 1, stdout: '', stderr: `${sentence}\n` });
  }
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
    [['organization', 'create'], '--name NAME --country CODE', ['--owner-email', '--token-name', '--trade']],
    [['organization', 'set-time-zone'], '--organization CODE --time-zone ZONE', ['do not change']],
    [['organization', 'new-epoch'], '(--organization CODE | --all)', ['does no harm']],
    [['token', 'issue'], '--organization CODE --name NAME', ['--scopes', '--sites', '--expires', '--user']],
    [['token', 'list'], '(--stage STAGE | --local) --organization CODE', ['--json']],
    [['token', 'revoke'], '--organization CODE --id NUMBER', ['within 60 seconds']],
    [['token', 'rotate'], '--organization CODE --id NUMBER', ['--overlap', '--expires']],
    [['number', 'add'], '--organization CODE --number NUMBER', ['that are still missing']],
    [['number', 'list'], '(--stage STAGE | --local) --organization CODE', ['go out from the first']],
    [['number', 'remove'], '--organization CODE --number NUMBER', ['become dead letters']],
    [['leads'], 'Usage: npm run admin -- leads', ['import', 'export']],
    [['drill'], 'Usage: npm run admin -- drill --stage STAGE [options]', ['--at', '--keep', '--remove-left']],
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
