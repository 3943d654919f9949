/**
 * Measures uploaded workbooks in their guarded processes: how long a survey, a check, the first and a further run and a copy take, how much
 * memory a process holds, and what it does with a file that unpacks to 60 MB, one that calculates for long, and many cells. Needs a Python
 * with backsolve[spreadsheet] (that of clients/python/.venv, or python3), and Linux for the memory.
 *
 *   npx node bench/scale/workbooks.ts [--runs 50]
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { BEAM, type Book, openWorkbooks, sheetPython, writeBook } from '../../harness/sheet-python.ts';
import { quantiles } from '../quantile.ts';

const { values: options } = parseArgs({ options: { runs: { type: 'string', default: '50' } } });
const runs = Number(options.runs);
if (sheetPython === undefined) throw new Error('NOT MEASURED: no Python has backsolve[spreadsheet]');

const ROWS = 5_000;
const GRID: Book = {
  sheets: {
    S: [
      ['x', 1],
      ...Array.from(
        { length: ROWS },
        (_, i) => [i, `=A${i + 2}*$B$1`, `=B${i + 2}+1`, `=SQRT(ABS(C${i + 2}))`] as const,
      ),
      ['sum', `=SUM(D2:D${ROWS + 1})`],
    ],
  },
};
const never = new AbortController().signal;

for (const [name, book, input, output] of [
  ['beam, 2 formulas', BEAM, 'height', 'sag'],
  [`grid, ${3 * ROWS + 1} formulas`, GRID, 'S!B1', `S!B${ROWS + 2}`],
] as const) {
  const content = writeBook(book);
  const file = { accountId: 1, name: 'book.xlsx', content };
  const cells = { inputs: { x: input }, outputs: { y: output } };
  const sheets = openWorkbooks();
  const run = (x: number) =>
    sheets.run({ accountId: 1, key: '1', cells, load: async () => file }, { x }, 60_000, never).then((outcome) => {
      if (outcome.kind !== 'output') throw new Error(outcome.reason);
    });
  const times: number[] = [];
  const survey = await timed(() => sheets.survey(file));
  const check = await timed(() => sheets.check(file, cells));
  const copy = await timed(() => sheets.copy(file, { [book === BEAM ? 'Beam!B1' : 'S!B1']: 2 }));
  const first = await timed(() => run(2));
  for (let i = 0; i < runs; i++) times.push(await timed(() => run(3 + i)));
  const { p50, p99 } = quantiles(times, { p50: 0.5, p99: 0.99 });
  print({
    workbook: name,
    kb: content.length / 1024,
    ms: { survey, check, copy, first, p50, p99 },
    mb: memoryOfChildren(),
  });
  sheets.close();
}

const bomb = execFileSync(sheetPython, [
  '-c',
  'import io,sys,zipfile\nm=io.BytesIO()\nz=zipfile.ZipFile(m,"w",zipfile.ZIP_DEFLATED)\nz.writestr("xl/workbook.xml",b"0"*(60<<20))\nz.close()\nsys.stdout.buffer.write(m.getvalue())',
]);
const strict = openWorkbooks({ limitMs: 200, memoryMib: 256 });
print({
  bomb: await strict.survey({ accountId: 1, name: 'bomb.xlsx', content: bomb }).catch((error: Error) => error.message),
});
const heavy = writeBook({
  sheets: {
    S: [['=SUM(C1:C400)', 1], ...Array.from({ length: 20_000 }, (_, i) => [i])].map((row, i) =>
      i < 400 ? [row[0]!, row[1] ?? null, '=SUM($A$2:$A$20001)*$B$1'] : row,
    ),
  },
});
const slow = {
  accountId: 1,
  key: '2',
  cells: { inputs: { x: 'S!B1' }, outputs: { y: 'S!A1' } },
  load: async () => ({ name: 's.xlsx', content: heavy }),
};
print({ slow: await strict.run(slow, { x: 2 }, 200, never) });
strict.close();

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return Math.round(10 * (performance.now() - startedAt)) / 10;
}

/** Memory of the processes that this one has started, in MB. */
function memoryOfChildren(): number {
  const sizes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        const isChild = status.includes(`\nPPid:\t${process.pid}\n`);
        return isChild ? [Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024] : [];
      } catch {
        return [];
      }
    });
  return Math.round(Math.max(0, ...sizes));
}

function print(line: object): void {
  console.log(JSON.stringify(line));
}
