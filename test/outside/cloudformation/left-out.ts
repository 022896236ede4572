import type { LeftOut } from '../../support/left-out.ts';

const mocks =
  'MiniStack does not render the templates and headers of a mock integration: $context.requestId stays.';
const compression = 'MiniStack neither compresses nor decompresses: it ignores minimumCompressionSize.';

/** What these show a function decides by the body of a request alone, whatever calls it and wherever things are stored. */
const byTheBody = [
  'bad-input',
  'forms-any-body',
  'forms-providers',
  'input-rules',
  'inquiry-input',
  'service-input',
].map((name) => ({
  file: `test/functional/${name}.test.ts`,
  why: 'A function decides it by the body alone. It runs on the local machine, and on a real stack in test:deployed.',
}));

/** What these add to other tests of the same operations is decided by what is stored, not by what is deployed. */
const byWhatIsStored = [
  'inquiry-changes',
  'inquiry-reads',
  'inquiry-repeats',
  'inquiry-sources',
  'lead-filters',
  'product-batch',
  'revisions',
].map((name) => ({
  file: `test/functional/${name}.test.ts`,
  why: 'Other tests call the same operations. It runs on the local machine, and on a real stack in test:deployed.',
}));

/** The functional tests that would show something about MiniStack, and nothing about the service, or nothing new. */
export const leftOut: readonly LeftOut[] = [
  ...byTheBody,
  ...byWhatIsStored,
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
    file: 'test/functional/compression.test.ts',
    test: /^an answer of 1 KB or more is compressed/,
    why: compression,
  },
  {
    file: 'test/functional/compression.test.ts',
    test: /^a body (of 1 KB or more can come|is measured|that is smaller)/,
    why: compression,
  },
];
