/** True in `.ci/run`, which plays all tests. Otherwise what takes long and rarely breaks is left out. */
export const IS_IN_FULL = (process.env['TEST_IN_FULL'] ?? '') !== '';

/**
 * Tests that take long and rarely break, for `.ci/run` alone: a third of the time of all tests. Each has a quicker neighbour that fails
 * first where something common breaks, except for the copies of other people's programs and systems.
 */
export const IN_FULL_ALONE: readonly string[] = [
  // The pages beyond README.md and the first guide, with services, restored backups and searches of their own.
  'test/scenario/documented-commands/{recovery,others}.test.ts',
  'test/scenario/guides.test.ts',
  // Clients that others made, and our own as a package.
  'test/scenario/{python-client,javascript-client,many-machines,one-answer}.test.ts',
  'test/clients/typescript/{package,crashes}.test.ts',
  'test/agents/over-stdio.test.ts',
  // Databases that are made, stopped, upgraded and repaired.
  'test/cli/{start,upgrade}.test.ts',
  'test/postgres/embedded-postgres.test.ts',
  'test/tools/{build-page,build-docs}.test.ts',
  // Faults of the machine; that of a worker, of its lease and of the network play always.
  'test/fault/{database-connections,disk-full,full-disk-of-runs}.test.ts',
  // Uploaded workbooks, which LibreOffice calculates; test/http/uploaded-workbooks.test.ts and workbooks.test.ts play always.
  'test/outside/workbooks/workbooks.test.ts',
  'test/page/workbook.test.ts',
  // The reference, which another project draws, and another browser.
  'test/page/{docs,firefox}.test.ts',
];
