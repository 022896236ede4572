import { expect, test } from 'vitest';
import { isOutside } from '../../../../shared/domain/organizations/areas.ts';

test.each([
  [false, [], { suburb: 'Manly' }],
  [false, ['Glebe'], {}],
  [false, ['Glebe'], { suburb: '', postcode: ' ' }],
  [false, ['Glebe'], { suburb: 'GLEBE ' }],
  [false, ['Potts Point'], { suburb: 'pottspoint', postcode: '9999' }],
  [false, ['2037'], { suburb: 'Glebe', postcode: '2037' }],
  [false, ['Zürich'], { suburb: 'Zurich' }],
  [false, ['St. Kilda'], { suburb: 'ST KILDA' }],
  [false, ["Lavender's Bay"], { suburb: 'Lavender’s\u00a0Bay' }],
  [false, ['Brighton-le-Sands'], { suburb: 'Brighton–Le–Sands' }],
  [true, ['Glebe', '2037'], { suburb: 'Manly' }],
  [true, ['Glebe'], { suburb: 'Glebe Point' }],
  [true, ['2037'], { postcode: '203' }],
])('isOutside is %s: %j are served, %j is asked', (expected, areas, place) => {
  expect(isOutside(areas, place)).toBe(expected);
});
