import { describe, expect, it } from 'vitest';
import { externalFilesOf, readControlFile } from '../../../src/runner/pest/control-file.ts';
import { modelValues, parameterValues } from '../../../src/runner/pest/parameter-values.ts';
import { PestFileError } from '../../../src/runner/pest/pest-error.ts';
import { likelyRange } from '../../../src/runner/pest/prior-information.ts';
import { formatParameterFile, formatResidualFile } from '../../../src/runner/pest/result-files.ts';
import { CONTROL } from './pest-case.ts';

const VERSION_2 = `pcf version=2
* control data keyword
noptmax 5
pestmode estimation
ies_num_reals 5
* parameter data external
p.csv
* observation data external
o.csv
* model command line
run.bat
* model input
"my model.tpl" sub\\m.in
* model output external
io.csv
`;
const FILES = new Map<string, string | Error>([
  ['p.csv', 'name,transform,value,lower_bound,upper_bound,group,partied\nA,log,1,0.1,10,g,\nb,tied,2,0.1,10,g,a\n'],
  ['o.csv', 'obsnme,obsval,weight,obgnme,extra\n"o1",1.5,2,g,x\n'],
  ['io.csv', 'pest_file,model_file\nm.ins,m.out\n'],
]);

describe('a control file of PEST', () => {
  const control = readControlFile(CONTROL, 'm.pst');

  it('says what is estimated, fixed and tied, in any case of letters', () => {
    const rows = control.parameters.map(({ name, transform, initial, lower, upper, parent }) => {
      return [name, transform, initial, lower, upper, parent];
    });
    expect(rows).toEqual([
      ['k1', 'log', 0.3, 0.01, 1000, null],
      ['n', 'none', 1, 0.2, 2000, null],
      ['half', 'tied', 0.15, 0, 1, 'k1'],
      ['still', 'fixed', 7, 7, 7, null],
      ['wide', 'none', 5, 0.001, 10, null],
    ]);
  });

  it('says what was observed, how the model is called, and what it does not use', () => {
    expect(control.observations[2]).toEqual({ name: 'h3', value: 3.5, weight: 20, group: 'heads' });
    expect(control.commands).toEqual(['python3 model.py # 1', 'echo done']);
    expect(control.templates).toEqual([{ pest: 'm.tpl', model: 'm.in' }]);
    expect(control.instructions).toEqual([{ pest: 'm.ins', model: 'out/m.out' }]);
    expect(control.notes).toEqual(['Options of PEST++ are not used: ies_num_reals, svd_pack.']);
  });

  it('gives the model scaled values, in which tied parameters keep their ratio', () => {
    const values = parameterValues(
      control,
      new Map([
        ['k1', 2],
        ['n', 3],
      ]),
    );
    expect(Object.fromEntries(values)).toEqual({ k1: 2, n: 3, half: 1, still: 7, wide: 5 });
    expect(modelValues(control, values)).toEqual({ k1: 2, n: 16, half: 1, still: 7, wide: 5 });
  });

  it('has prior information, also over several lines', () => {
    expect(control.priors.map(({ name, terms, value, weight, group }) => [name, terms, value, weight, group])).toEqual([
      ['pi1', [{ factor: 1, parameter: 'k1', isLog: true }], 0, 2, 'prior'],
      [
        'pi2',
        [
          { factor: 1, parameter: 'k1', isLog: true },
          { factor: -2, parameter: 'n', isLog: false },
        ],
        1,
        1,
        'prior',
      ],
      ['pi3', [{ factor: 1, parameter: 'n', isLog: false }], 1, 1, 'regul_n'],
    ]);
    const [k1] = control.parameters;
    expect(likelyRange(control.priors[0]!, k1!)).toEqual([0.1, 10]);
    expect(likelyRange({ ...control.priors[0]!, value: 3 }, k1!)).toEqual([100, 1000]);
    expect(likelyRange({ ...control.priors[0]!, value: 9 }, k1!)).toBeUndefined();
    expect(likelyRange(control.priors[1]!, k1!)).toBeUndefined();
  });

  it('gets its results in files of PEST', () => {
    const values = parameterValues(control, new Map([['k1', 2]]));
    expect(formatParameterFile(control, values).split('\n').slice(0, 3)).toEqual([
      'single point',
      ' k1              2.0000000000000000E+00    1.0000000000000000E+00    0.0000000000000000E+00',
      ' n               1.0000000000000000E+00    2.0000000000000000E+00    1.0000000000000000E+01',
    ]);
    const rows = formatResidualFile(control, 'run 7', values, new Map([['h1', 1.25]])).split('\n');
    expect(rows[0]).toBe(' MODEL OUTPUTS OF THE BEST RUN OF BACKSOLVE, RUN 7:-');
    expect(rows.slice(2).map((row) => row.trim().split(/\s+/))).toEqual([
      ['Name', 'Group', 'Measured', 'Modelled', 'Residual', 'Weight'],
      [
        'h1',
        'heads',
        ...[1.5, 1.25, 0.25, 50].map((one) =>
          one
            .toExponential(16)
            .toUpperCase()
            .replace(/E(.)(\d)$/, 'E$10$2'),
        ),
      ],
      expect.arrayContaining(['pi1', 'prior', '3.0102999566398120E-01', '-3.0102999566398120E-01']),
      expect.arrayContaining(['pi2']),
      expect.arrayContaining(['pi3']),
      [''],
    ]);
  });
});

describe('a control file of version 2', () => {
  it('is read with its CSV files', () => {
    expect(externalFilesOf(VERSION_2, 'm.pst')).toEqual(['p.csv', 'o.csv', 'io.csv']);
    const control = readControlFile(VERSION_2, 'm.pst', FILES);
    expect(control.parameters).toMatchObject([
      { name: 'a', transform: 'log', scale: 1, offset: 0, parent: null },
      { name: 'b', transform: 'tied', parent: 'a' },
    ]);
    expect(control.observations).toEqual([{ name: 'o1', value: 1.5, weight: 2, group: 'g' }]);
    expect(control.templates).toEqual([{ pest: 'my model.tpl', model: 'sub/m.in' }]);
    expect(control.instructions).toEqual([{ pest: 'm.ins', model: 'm.out' }]);
    expect(control.options.get('ies_num_reals')).toBe('5');
  });

  it('says which file is missing, and where a cell is wrong', () => {
    expect(() =>
      readControlFile(VERSION_2, 'm.pst', new Map([...FILES, ['o.csv', new Error('o.csv: none.')]])),
    ).toThrow(new PestFileError('m.pst:9: o.csv: none.'));
    const wrong = new Map([...FILES, ['o.csv', 'obsnme,obsval\no1,high\n']]);
    expect(() => readControlFile(VERSION_2, 'm.pst', wrong)).toThrow('o.csv:2: OBSVAL must be a number, is "high".');
  });
});

describe('what cannot be a fit is refused by name:', () => {
  it.each([
    ['inputs: {}', 'pcf', 'm.pst:1: is no control file of PEST: it must begin with pcf.'],
    ['* prior information', '* pareto', 'm.pst:38: Backsolve has no Pareto mode'],
    ['* parameter groups', '* magic', 'm.pst:13: the section "* magic" is not known here'],
    [
      'restart estimation',
      'restart prediction',
      'm.pst:4: PESTMODE prediction is not known here; set it to estimation.',
    ],
    ['5 6 1 3 4', '4 6 1 3 4', 'm.pst: "* control data" announces 4 parameters, the section has 5.'],
    ['1 1 double', '1 2 double', 'announces 1 template and 2 instruction files, "* model input/output" has 2 lines.'],
    ['Heads\n', 'Heads heads.cov\n', 'm.pst:22: covariance matrices of observations are not used here'],
    [
      'h2 2.5 0.0',
      'H1 2.5 0.0',
      'm.pst: the observation h1 is there twice; PEST does not tell capital and small letters apart.',
    ],
    ['h2 2.5 0.0', 'h2 2.5 -1', 'm.pst:26: the weight of an observation must not be negative.'],
    ['still fixed', 'still frozen', 'm.pst:18: PARTRANS of still must be none, log, fixed or tied, is "frozen".'],
    ['1e-2\t', '0\t', 'm.pst: k1 is logarithmic, so PARLBND must be positive; it is 0.'],
    ['half k1', 'half still', 'm.pst: half is tied to still, which is fixed'],
    ['half k1\n', '', 'm.pst:17: half is tied, but the section does not say to which parameter.'],
    ['log(K1) = 0.0', 'log(K9) = 0.0', 'm.pst: the prior information pi1 is about k9, which is no parameter.'],
    ['log(K1) = 0.0', 'log(K1) : 0.0', 'm.pst:38: the equation "1.0 * log(K1) : 0.0" cannot be read'],
    ['python3 model.py # 1\necho done\n', '', 'm.pst: the section "* model command line" is empty.'],
  ])('%j', (now, then, message) => {
    const text = now === 'inputs: {}' ? now : CONTROL.replace(now, then);
    expect(() => readControlFile(text, 'm.pst')).toThrow(message);
  });
});
