/** How a run of the benchmark goes. */
export interface Run {
  /** Two minutes in all: smaller sizes and fewer repetitions. */
  quick: boolean;
  /** Tells the person at the terminal what is being measured. */
  progress: (text: string) => void;
}

/** One chapter of the report. */
export interface Section {
  title: string;
  /** What is measured and how, in paragraphs. */
  about: string[];
  budgets: Budget[];
  tables: Table[];
  plots: Plot[];
}

/** A limit that the project sets itself, and how it stands. */
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
  /** Of its file, without folder or ending. */
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
  /** The names of the places on the axis, where it has no numbers: a point's x is then its index here. */
  categories?: string[];
}

export interface Series {
  name: string;
  points: [x: number, y: number][];
}

/** Measures one chapter. */
export type Measure = (run: Run) => Promise<Section>;
