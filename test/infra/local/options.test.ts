import { afterEach, expect, test, vi } from 'vitest';
import { LocalError } from '../../../infra/local/local-error.ts';
import { parseOptions } from '../../../infra/local/options.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const refused = (args: string[], sentence: RegExp) => {
  expect(() => parseOptions(args)).toThrow(LocalError);
  expect(() => parseOptions(args)).toThrow(sentence);
};

test.each([
  [['--port', '-1'], /^Option '--port' argument is ambiguous: [^\n]+$/],
  [['--port', '70000'], /^--port must be a whole number from 0 to 65535, not "70000"\.$/],
  [['--port'], /^Option '--port <value>' argument missing: "npm start -- --help" lists the options\.$/],
  [
    ['--engine-host', 'localhost'],
    /^--engine-host must be an address of this computer, such as 127\.0\.0\.1, not "localhost"\.$/,
  ],
  [['-c', 'webAcl'], /^-c must be NAME=VALUE, such as -c formsPerKeyPerDay=10, not "webAcl"\.$/],
  [['-c', 'stage=prod'], /^-c stage cannot be set: this machine runs the stage dev\.$/],
  [['--data', ''], /^--data must name a folder\.$/],
  [['--data', 'x', '--memory'], /^--memory and --data cannot be combined\.$/],
  [['serve'], /^Unexpected argument 'serve'[^\n]*: "npm start -- --help" lists the options\.$/],
])('a mistake is reported in one sentence: %j', (args, sentence) => {
  vi.stubEnv('DYNAMODB_ENDPOINT', '');
  refused(args, sentence);
});

test('--memory is refused if DYNAMODB_ENDPOINT names a database', () => {
  vi.stubEnv('DYNAMODB_ENDPOINT', 'http://127.0.0.1:8000');
  refused(
    ['--memory'],
    /^--memory and DYNAMODB_ENDPOINT cannot be combined: the data is in the DynamoDB that this names\.$/,
  );
});
