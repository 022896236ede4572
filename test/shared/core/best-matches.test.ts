import { expect, test, vi } from 'vitest';
import { bestMatches } from '../../../shared/core/best-matches.ts';

const texts: Record<string, string> = {
  weekends: 'Do you work on weekends? | Emergencies only.',
  price: 'What does a call-out cost? | The price of work is 99 dollars.',
  taps: 'Do you repair taps? | Yes, and leaking pipes.',
  zoe: 'Who is Zoë? | The owner of the work.',
};

test.each([
  ['the best first: a title counts for more', 'who does the work', ['weekends', 'price', 'zoe']],
  [
    'a rare word counts for more than a usual one',
    'the work, and pipes',
    ['taps', 'weekends', 'price', 'zoe'],
  ],
  ['without case and accents', 'ZOE', ['zoe']],
  ['short endings', 'emergency', ['weekends']],
  ['short endings of short words', 'tap', ['taps']],
  ['another ending of a title and of a body', 'pricing leak', ['price', 'taps']],
  ['a longer form of a title, and shorter forms', 'repairing emergence taped', ['taps', 'weekends']],
  ['three more letters at most, and one after three', 'workload workloads tape taped', []],
  ['no words that only begin alike', 'taper zoetic weekday', []],
  ['no fillers beside another word', 'do you have rhubarb', []],
  ['fillers alone', 'Who is', ['zoe', 'price']],
  ['nothing in no words', ' ?! ', []],
])('finds %s', (_, text, found) => {
  const matches = bestMatches(Object.keys(texts), text, (name) => {
    const [title = '', body = ''] = texts[name]!.split('|');
    return { title, body };
  });
  expect(matches.map(({ one }) => one)).toEqual(found);
});

test('letters are compared in proportion to the words, not to the product of two counts', () => {
  const wordsOf = (beginning: string) =>
    Array.from({ length: 100 }, (_, at) => `${beginning}${at}`).join(' ');
  const all = Array.from({ length: 20 }, () => ({ title: '', body: wordsOf('work') }));
  const spies = [vi.spyOn(String.prototype, 'slice'), vi.spyOn(String.prototype, 'startsWith')];
  expect(bestMatches(all, wordsOf('word'), (one) => one)).toEqual([]);
  const comparisons = spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  for (const spy of spies) spy.mockRestore();
  // The texts have 2,000 words, and the question has 100: a product of 200,000.
  expect(comparisons).toBeGreaterThan(2000);
  expect(comparisons).toBeLessThan(2100 * 10);
});
