import { expect } from 'vitest';
import type { Finding } from '../../../infra/admin/verify/finding.ts';
import type { Found } from './damages.ts';

/** What is found, each as its kind and where it is; the sentences are such, and hold no one's data. */
export function foundIn({ findings }: { findings: readonly Finding[] }): Found {
  for (const { sentence } of findings) {
    expect(sentence).toMatch(/^\S.*\.$/);
    expect(sentence).not.toMatch(/@|\bann\b|example|Corner/i);
  }
  return findings.map(({ kind, where }) => [kind, where]);
}
