/** Options of a run of the benchmark. */
export interface Run {
  /** True for a run of two minutes, with smaller sizes and fewer repetitions. */
  quick: boolean;
  /** Tells the person at the terminal what is measured next. */
  progress: (text: string) => void;
}

/** A chapter of the report. */
export interface Section {
  title: string;
  /** Paragraphs that say what is measured, and how. */
  about: string[];
  budgets: Budget[];
  tables: Table[];
}

/** A limit that the project sets itself, and the measured value. */
export interface Budget {
  what: string;
  limit: string;
  measured: string;
  met: boolean;
}

export interface Table {
  caption: string;
  columns: string[];
  rows: (string | number)[][];
}

/** Measures one chapter. */
export type Measure = (run: Run) => Promise<Section>;
