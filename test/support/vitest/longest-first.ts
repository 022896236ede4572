import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders with the files that take longest: whole simulations, and whole starts of the local machine. */
const longest = ['/test/simulation/', '/test/week/', '/test/deployed/', '/test/infra/local/'];

/** Begins with the files that take longest, so that no core waits for one of them at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => longest.some((folder) => moduleId.includes(folder));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
