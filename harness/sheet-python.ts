/** A Python with backsolve[spreadsheet], for what calculates workbooks in tests and measurements, and workbooks that it writes. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { makeWorkbooks, type Workbooks, type WorkbooksOptions } from '../src/outside/workbooks/workbooks.ts';
import { environmentForGuarded } from '../src/settings/config.ts';

const CANDIDATES = [new URL('../clients/python/.venv/bin/python', import.meta.url).pathname, 'python3'];
const NEEDED = 'import openpyxl, ironcalc, backsolve';

/** Undefined: NOT CHECKED, there is none. */
export const sheetPython: string | undefined = CANDIDATES.find((python) => {
  if (python.startsWith('/') && !existsSync(python)) return false;
  try {
    execFileSync(python, ['-E', '-c', NEEDED], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

export function openWorkbooks(options: Partial<WorkbooksOptions> = {}): Workbooks {
  return makeWorkbooks({
    python: sheetPython ?? 'python3',
    memoryMib: 512,
    unpackedMib: 50,
    processes: 2,
    limitMs: 30_000,
    environment: environmentForGuarded(),
    onTrouble: () => undefined,
    ...options,
  });
}

/** By sheets, a row of cells each: numbers, texts, and formulas, which begin with =. `names` are cells by name. */
export interface Book {
  readonly sheets: Readonly<Record<string, readonly (readonly (number | string | null)[])[]>>;
  readonly names?: Readonly<Record<string, string>>;
}

const WRITER = `
import base64, io, json, sys, openpyxl
from openpyxl.workbook.defined_name import DefinedName
stated = json.load(sys.stdin)
book = openpyxl.Workbook()
book.remove(book.active)
for title, rows in stated["sheets"].items():
    sheet = book.create_sheet(title)
    for row in rows:
        sheet.append(row)
for name, place in stated.get("names", {}).items():
    book.defined_names[name] = DefinedName(name, attr_text=place)
made = io.BytesIO()
book.save(made)
print(base64.b64encode(made.getvalue()).decode())
`;

/** The file. Its formulas have no saved values: nothing has calculated it. */
export function writeBook(book: Book): Buffer {
  const text = execFileSync(sheetPython!, ['-c', WRITER], { input: JSON.stringify(book), encoding: 'utf8' });
  return Buffer.from(text, 'base64');
}

/** A beam: its sag falls with its height, its mass grows. */
export const BEAM: Book = {
  sheets: {
    Beam: [
      ['Height', 20, 'mm'],
      ['Width', 40, 'mm'],
      ['Sag', '=5E6/(B2*B1^3)'],
      ['Mass', '=B1*B2*7.85/1000'],
    ],
  },
  names: { height: 'Beam!$B$1', sag: 'Beam!$B$3' },
};
