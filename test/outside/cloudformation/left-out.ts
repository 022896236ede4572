import type { LeftOut } from '../../support/left-out.ts';

const mocks =
  'MiniStack does not render the templates and headers of a mock integration: $context.requestId stays.';
const compression = 'MiniStack neither compresses nor decompresses: it ignores minimumCompressionSize.';

/** The functional tests that would show something about MiniStack, and nothing about the service. */
export const leftOut: readonly LeftOut[] = [
  {
    file: 'test/functional/authentication.test.ts',
    test: /^an unknown path or method \w+ \S+ is 404 in the envelope/,
    why: mocks,
  },
  {
    file: 'test/functional/authentication.test.ts',
    test: /^an unknown path or method is 404 with a body as application\/json/,
    why: mocks,
  },
  {
    file: 'test/functional/bad-input.test.ts',
    test: /^a path that is not valid percent-encoding/,
    why: 'MiniStack takes a percent sign that begins no encoding for what it is.',
  },
  {
    file: 'test/functional/compression.test.ts',
    test: /^an answer of 1 KB or more is compressed/,
    why: compression,
  },
  {
    file: 'test/functional/compression.test.ts',
    test: /^a body (of 1 KB or more can come|is counted|that is smaller)/,
    why: compression,
  },
];
