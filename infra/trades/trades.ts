import { emptySet, type StartSet } from '../../shared/domain/organizations/start-set.ts';
import { electrical } from './electrical.ts';
import { general } from './general.ts';
import { plumbing } from './plumbing.ts';
import { roofing } from './roofing.ts';

export const tradeNames = ['general', 'plumbing', 'electrical', 'roofing', 'none'] as const;

/** Records that an organization begins with, by its trade. */
export const trades: Record<(typeof tradeNames)[number], StartSet> = {
  general,
  plumbing,
  electrical,
  roofing,
  none: emptySet,
};
