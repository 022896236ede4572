import { expect, test } from 'vitest';
import { halvesOf } from '../../../shared/contract/halves-of.ts';

test.each([
  // Reported:
  ['Okafor, Chidi', 'Chidi', 'Okafor'],
  ['Dr. Ann Lee', 'Dr. Ann', 'Lee'],
  ['Acme Plumbing, Inc', 'Acme', 'Plumbing, Inc'],
  ['Harbour Plumbing, Pty Ltd', 'Harbour', 'Plumbing, Pty Ltd'],
  ['Martin King, Jr.', 'Martin', 'King, Jr.'],
  ['Smith & Sons, Roofing', 'Smith', '& Sons, Roofing'],
  // Made up:
  ['van der Berg , Mary Jane', 'Mary Jane', 'van der Berg'],
  ['Lee, Ann & Bob', 'Ann & Bob', 'Lee'],
  ['Lee，Ann', 'Ann', 'Lee'],
  ['Corwin, Coco', 'Coco', 'Corwin'],
  ['Smith and Sons, Roofing', 'Smith', 'and Sons, Roofing'],
  ['Harbour Plumbing Pty Ltd, Sydney', 'Harbour', 'Plumbing Pty Ltd, Sydney'],
  ['Ann Lee, Bondi, Sydney', 'Ann', 'Lee, Bondi, Sydney'],
  ['Lee,', 'Lee,', ''],
  ['PROF DR Ann Lee', 'PROF DR Ann', 'Lee'],
  ['Mr & Mrs Lee', 'Mr & Mrs', 'Lee'],
  ['Mr Lee', 'Mr', 'Lee'],
  ['Drew Lee', 'Drew', 'Lee'],
  ['Dr', 'Dr', ''],
  ['Ann\u00a0Lee', 'Ann', 'Lee'],
  ['Ann\u2003van\u202fLee', 'Ann', 'van\u202fLee'],
  ['安\u3000李', '安', '李'],
  ['Ann', 'Ann', ''],
])('%s has the first name %s and the last name %s', (name, first, last) => {
  expect(halvesOf(name)).toEqual([first, last]);
});
