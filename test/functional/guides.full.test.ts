import { expect, test } from 'vitest';
import { pagesWithRequests, playPage } from '../support/docs/guide-pages.ts';

test.each(pagesWithRequests)(
  'each curl command of %s succeeds, and its answer is as the page shows',
  async (page) => {
    expect((await playPage(page, 'curl')).length).toBeGreaterThan(0);
  },
);
