import { expect } from 'vitest';
import type { Finding } from '../../../infra/admin/verify/finding.ts';
import type { Found } from './damages.ts';

/** Kind and place of each finding. Expects that the sentences are well-formed and show no customer data. */
export function foundIn({ findings }: { findings: readonly Finding[] }): Found {
  for (const { sentence } of findings) {
    expect(sentence).toMatch(/^\S.*\.$/);
    expect(sentence).not.toMatch(/@|\bann\b|example|Corner/i);
  }
  return findings.map(({ kind, where }) => [kind, where]);
}
