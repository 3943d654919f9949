/** The order of the test files in a clone that has not run them yet: vitest goes by size then, and what runs longest is not largest. */
import { existsSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ROOT = new URL('../../', import.meta.url).pathname;

/** Files that take a worker longest, so that none of them is left when the other workers have nothing to do. */
const LONGEST = [
  'test/scenario/guides.test.ts',
  'test/cli/run/processes.test.ts',
  'test/cli/run/ends.test.ts',
  'test/cli/run/failures.test.ts',
  'test/cli/start.test.ts',
  'test/clients/typescript/solve.test.ts',
  'test/scenario/documented-commands/readme.test.ts',
  'test/scenario/documented-commands/recovery.test.ts',
  'test/scenario/documented-commands/others.test.ts',
  'test/cli/evaluate.test.ts',
].map((file) => {
  if (!existsSync(ROOT + file)) throw new Error(`test/support/longest-first.ts: there is no ${file}`);
  return ROOT + file;
});

export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications);
    const placeOf = ({ moduleId }: TestSpecification) => LONGEST.indexOf(moduleId) >>> 0;
    // Files of a project stay together: a worker serves one project.
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      sorted.filter((one) => one.project === project).sort((a, b) => placeOf(a) - placeOf(b)),
    );
  }
}
