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
  plots: Plot[];
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

export interface Plot {
  /** Name of the plot's file, without folder or extension. */
  name: string;
  caption: string;
  kind: 'line' | 'bar';
  x: Axis;
  y: Axis;
  series: Series[];
}

export interface Axis {
  label: string;
  logarithmic?: boolean;
  /** Names of the categories of an axis without numbers. The x of a point is then an index of this list. */
  categories?: string[];
}

export interface Series {
  name: string;
  points: [x: number, y: number][];
}

/** Measures one chapter. */
export type Measure = (run: Run) => Promise<Section>;
