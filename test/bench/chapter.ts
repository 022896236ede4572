import type { Rows } from '../support/docs/markdown.ts';

/** Options of a run of the benchmark. */
export interface Run {
  /** True for a short run, with smaller sizes and fewer repetitions. */
  quick: boolean;
  /** Tells the person at the terminal what is measured next. */
  progress: (text: string) => void;
}

/** Measurements of one thing, for the terminal and for docs/scale.md. */
export interface Chapter {
  title: string;
  /** Says what is measured, and how. */
  about: string;
  table?: Rows;
  budgets: Budget[];
}

/** A limit that the project sets itself, and the measured value. */
export interface Budget {
  what: string;
  limit: number;
  measured: number;
  unit?: string;
}

/**
 * Returns the value below which a share of the values lies, from 0 to 1. The result is one of the values.
 * @throws RangeError for no values
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('There is nothing to take a quantile of');
  return value;
}

/** Returns the middle value, the lower one of two. @throws RangeError for no values */
export const median = (values: readonly number[]) => quantile(values, 0.5);
