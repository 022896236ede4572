/** Tests that are not run somewhere, where they would show nothing about the service. */
export interface LeftOut {
  /** Their file, relative to the project. */
  readonly file: string;
  /** Matches their full name: those of what they are in, and their own. Without it, the file is not even loaded. */
  readonly test?: RegExp;
  readonly why: string;
}

/** A test, as a list of what is left out names it. */
export interface NamedTest {
  /** Relative to the project. */
  readonly file: string;
  /** As Vitest gives it, with ` > ` between the names. */
  readonly fullName: string;
}

/** The files of which nothing is run. */
export const filesLeftOut = (list: readonly LeftOut[]): string[] =>
  list.filter(({ test }) => test === undefined).map(({ file }) => file);

/** What a list says of a test; undefined where the test is run. */
export const leftOutOf = (list: readonly LeftOut[], { file, fullName }: NamedTest): LeftOut | undefined =>
  list.find((one) => one.file === file && (one.test?.test(fullName.replaceAll(' > ', ' ')) ?? true));

/**
 * What a list names that is not there any more: files, by `exists`, and tests of the files that were loaded. So a test that is
 * renamed is not run somewhere without anybody knowing.
 */
export function namesNothing(
  list: readonly LeftOut[],
  loaded: readonly NamedTest[],
  exists: (file: string) => boolean,
): LeftOut[] {
  const files = new Set(loaded.map(({ file }) => file));
  return list.filter((one) => {
    if (!exists(one.file)) return true;
    if (one.test === undefined || !files.has(one.file)) return false;
    return !loaded.some((test) => leftOutOf([one], test) !== undefined);
  });
}
