/** The settings of workbooks that people upload: a part of SETTINGS_TREE. */
import { optionalText, setting, trueOrFalse, wholeNumber } from './rules.ts';

const MINUTE_MS = 60_000;
const MEBIBYTE = 1024 * 1024;

export const WORKBOOK_SETTINGS = {
  isAllowed: setting(
    'ALLOW_WORKBOOKS',
    { ...trueOrFalse('false'), rule: trueOrFalse('false').rule.optional(), fallback: undefined },
    'Whether people may upload [workbooks](page.md#workbooks) of formulas that the service calculates. By default only in `start`, and only if `HOST` is loopback. Set it to false if a proxy on the same machine gives others access.',
    { shownDefault: '`start` on loopback: true, else false' },
  ),
  python: setting(
    'WORKBOOK_PYTHON',
    optionalText(
      (value) => /^[^\s/\\]+$|^(\/|[A-Za-z]:).+$/.test(value),
      'the name or path of a Python with backsolve[spreadsheet]',
      '/opt/sheets/bin/python',
    ),
    'The Python that calculates workbooks, which has the Python package with its extra `spreadsheet`. Ingresses and workers need it.',
    { shownDefault: 'that of a Python installation of Backsolve, else `python3`' },
  ),
  maximumBytes: setting(
    'WORKBOOK_MAXIMUM_BYTES',
    wholeNumber(1024, 64 * MEBIBYTE, String(5 * MEBIBYTE)),
    'Largest workbook (5 MiB).',
  ),
  unpackedMib: setting('WORKBOOK_UNPACKED_MIB', wholeNumber(1, 1024, '100'), 'What a workbook may unpack to, in MiB.'),
  memoryMib: setting(
    'WORKBOOK_MEMORY_MIB',
    wholeNumber(64, 16 * 1024, '512'),
    'Memory of the process that calculates a workbook, in MiB beyond that of an empty one; on Windows there is no limit.',
  ),
  limitMs: setting(
    'WORKBOOK_TIMEOUT_MS',
    wholeNumber(100, 60 * MINUTE_MS, String(MINUTE_MS)),
    'How long one calculation of a workbook may take.',
  ),
  processes: setting(
    'WORKBOOK_PROCESSES',
    wholeNumber(1, 64, '2'),
    'Workbooks that an ingress or a worker works on at a time, for all accounts.',
  ),
} as const;
