import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ErasingNumbers } from '../../../infra/local/erasure/erasing-numbers.ts';
import { compactNowOrLater } from '../../../infra/local/erasure/erasures.ts';
import { newFolder } from '../../support/new-folder.ts';

const folder = newFolder();

test.each(['', '{"lead_1":', 'null', '{"lead_1":7}'])(
  'a file of numbers that has %j is begun anew, and that is said once',
  (content) => {
    const file = join(folder, 'erasing.json');
    writeFileSync(file, content);
    const said: string[] = [];
    const erasing = new ErasingNumbers(file, (sentence) => said.push(sentence));
    expect(erasing.of('lead_1')).toBeUndefined();
    erasing.keep('lead_2', '+61491570156');
    expect(erasing.of('lead_2')).toBe('+61491570156');
    erasing.forget('lead_2');
    expect(existsSync(file)).toBe(false);
    expect(said).toEqual([
      `${file} cannot be read, and is begun anew. If erasures of leads had begun, texts of these leads may stay in the queues ` +
        'and their dead letters.',
    ]);
  },
);

test('a database file that could not be compacted is reported, with the reason and the remedy', () => {
  const said: string[] = [];
  const say = (sentence: string) => said.push(sentence);
  compactNowOrLater(() => undefined, say);
  expect(said).toEqual([]);
  compactNowOrLater(() => {
    throw new Error('database or disk is full');
  }, say);
  expect(said).toEqual([
    'The erased data is still in the database file, because the file could not be written anew (database or disk is full). ' +
      '"npm start" tries again when it ends, and when it starts. Close other programs that have the file open, and free as much ' +
      'space on the disk as the database takes.',
  ]);
});
