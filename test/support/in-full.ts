/** True in `.ci/run`, which plays all tests. Otherwise what takes long and rarely breaks is left out. */
export const IS_IN_FULL = (process.env['TEST_IN_FULL'] ?? '') !== '';
