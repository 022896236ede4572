import { expect, test } from 'vitest';
import { allInOrder } from '../../../shared/core/all-in-order.ts';

const soon = Promise.resolve('soon');
const later = (act: () => string) => soon.then(() => undefined).then(act);
const fail = (message: string) => () => {
  throw new Error(message);
};

test('answers all, or fails as the first in the list that failed, not in time', async () => {
  expect(await allInOrder([later(() => 'later'), soon, 3])).toEqual(['later', 'soon', 3]);
  await expect(allInOrder([later(fail('first')), soon.then(fail('second'))])).rejects.toThrow('first');
});
