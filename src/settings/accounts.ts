/** The settings of what one account may use: a part of SETTINGS_TREE. */
import { setting, wholeNumber } from './rules.ts';

const MEBIBYTE = 1024 * 1024;

export const ACCOUNT_SETTINGS = {
  openObjectives: setting(
    'MAXIMUM_OPEN_OBJECTIVES',
    wholeNumber(0, 1_000_000_000, '100000'),
    'Running objectives of one account; loading another gets 400. 0 = no limit.',
  ),
  queuedSuggestions: setting(
    'MAXIMUM_QUEUED_SUGGESTIONS',
    wholeNumber(0, 1_000_000_000, '20000'),
    'Suggestions of one account that are waiting to be computed; a request for another gets 429. 0 = no limit.',
  ),
  cases: setting(
    'MAXIMUM_CASES',
    wholeNumber(1, 10_000, '10000'),
    "Cases of one project, the client's own or designed; more get 400. A design of the default size never exceeds it.",
  ),
  cells: setting(
    'MAXIMUM_CASE_NUMBERS',
    wholeNumber(1000, 10_000_000, '500000'),
    'Numbers in the input cases of one project (inputs x cases), and in one set of output cases (outputs x cases); the same limit applies to all inputs, and to all outputs, of the cases of one trial.',
  ),
  storedBytes: setting(
    'MAXIMUM_STORED_BYTES_PER_ACCOUNT',
    wholeNumber(0, 100 * MEBIBYTE ** 2, String(1024 * MEBIBYTE)),
    'What one account may store (1 GiB). Beyond it, adding more gets 403, except for outputs of runs. 0 = no limit. See [storage.md](storage.md).',
  ),
  storedRows: setting(
    'MAXIMUM_STORED_ROWS_PER_ACCOUNT',
    wholeNumber(0, 1_000_000_000_000, '2000000'),
    'Records that one account may store; 0 = no limit.',
  ),
} as const;
