import type { LeftOut } from '../../support/left-out.ts';

const mocks =
  'MiniStack does not render the templates and headers of a mock integration: $context.requestId stays.';
const compression = 'MiniStack neither compresses nor decompresses: it ignores minimumCompressionSize.';

/** Tests of rules that a function decides by the body of a request alone, wherever it runs. */
const byTheBody = ['input', 'forms-any-body', 'forms-providers'].map((name) => ({
  file: `test/functional/${name}.test.ts`,
  why: 'A function decides it by the body alone. It runs on the local machine, and on a real stack in test:deployed.',
}));

/** Tests of stored data. Other tests call the same operations of the deployed functions. */
const byWhatIsStored = [
  'inquiry-arrivals',
  'inquiry-changes',
  'inquiry-sources',
  'lead-changes',
  'lead-filters',
  'product-batch',
  'revisions.full',
  'turns',
  'what-can-be-undone.full',
].map((name) => ({
  file: `test/functional/${name}.test.ts`,
  why: 'Other tests call the same operations. It runs on the local machine, and on a real stack in test:deployed.',
}));

/** Functional tests that would show something about MiniStack alone, or nothing new about the service. */
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
    test: /^a body (of 1 KB or more can come|is measured|that is smaller|that is as large as a file)/,
    why: compression,
  },
  {
    file: 'test/functional/site.test.ts',
    test: /^(GET \S+ is .*|what the reference page loads|every link of every page)/,
    why: 'MiniStack tells a function another domain than that of its address, and the site names its own address.',
  },
  {
    file: 'test/functional/forms.test.ts',
    test: /^an unreadable form is refused that is larger than Lambda takes/,
    why: 'MiniStack calls functions with more than the 6 MB that Lambda takes.',
  },
];
