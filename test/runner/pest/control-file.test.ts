import { describe, expect, it } from 'vitest';
import { limitOfGroup } from '../../../src/runner/pest/control.ts';
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
    expect(control.observations[2]).toEqual({ name: 'h3', value: 3.5, weight: 20, group: 'heads', limit: undefined });
    expect(control.observations[3]).toMatchObject({ name: 'f1', limit: { atMost: 9 } });
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
    expect(control.observations).toEqual([{ name: 'o1', value: 1.5, weight: 2, group: 'g', limit: undefined }]);
    expect(control.notes).toEqual([
      'Columns of the observations that are not used: extra.',
      'Options of PEST++ are not used: ies_num_reals.',
    ]);
    expect(control.templates).toEqual([{ pest: 'my model.tpl', model: 'sub/m.in' }]);
    expect(control.instructions).toEqual([{ pest: 'm.ins', model: 'm.out' }]);
    expect(control.options.get('ies_num_reals')).toBe('5');
  });

  it('says which file is missing, and where a cell is wrong', () => {
    expect(() =>
      readControlFile(VERSION_2, 'm.pst', new Map([...FILES, ['o.csv', new Error('o.csv: none.')]])),
    ).toThrow(new PestFileError('m.pst:9: o.csv: none.'));
    const fault = (text: string) => () => readControlFile(VERSION_2, 'm.pst', new Map([...FILES, ['o.csv', text]]));
    expect(fault('obsnme,obsval,weight\no1,high,1\n')).toThrow('o.csv:2: OBSVAL must be a number, is "high".');
    expect(fault('obsnme,obsval,weight\no1,1,\n')).toThrow('o.csv:2: WEIGHT is missing.');
    expect(fault('obsnme,obsval,weight\no1,1,2,3\n')).toThrow('o.csv:2: has 4 cells, but there are 3 columns.');
    expect(fault('name,value,weight,obsnme\no1,1,2,o1\n')).toThrow('o.csv:1: the column obsnme is there twice.');
    expect(fault('obsnme,obsval,weight,less_than,greater_than\no1,1,1,2,3\n')).toThrow(
      'o.csv:2: GREATER_THAN, 3, must be below LESS_THAN, 2.',
    );
  });

  it('has limits in columns of their own, but for those of groups that are limits', () => {
    const o = [
      'obsnme,obsval,weight,obgnme,Less_Than,greater_than',
      'a,1,1,g,5,',
      '# b,1,1,g,5,',
      'c,1,1,g,,0.5',
      'd,1,1,g,4,nan',
      'e,1,0,g,4,2',
      'f,1,1,g_x,4,2',
      'h,1,1,g,4,2',
      'i,1,1,g,-999,-999',
    ].join('\n');
    const text = VERSION_2.replace('o.csv', 'o.csv missing_value -999 sep ,');
    const { observations } = readControlFile(text, 'm.pst', new Map([...FILES, ['o.csv', o]]));
    expect(Object.fromEntries(observations.map(({ name, limit }) => [name, limit]))).toEqual({
      a: { atMost: 5 },
      c: { atLeast: 0.5 },
      d: { atMost: 4 },
      e: undefined,
      f: { atLeast: 1 },
      h: { atMost: 4, atLeast: 2 },
      i: undefined,
    });
  });

  it.each([
    ['o.csv sep ;', 'obsnme;obsval;weight;obgnme\no1;1.5;2;g'],
    ['o.csv sep w', 'obsnme obsval\tweight  obgnme\no1 1.5\t2 g'],
    ['o.csv sep |', '\u00EF\u00BB\u00BFobsnme|obsval|weight|obgnme\r\no1|1.5|2|g\r\n'],
    ['o.csv # a comment', 'obsnme,obsval,weight,obgnme,note\no1,1.5,2,g,"x; y, z"'],
  ])('separates cells as its line says: %s', (line, file) => {
    const text = VERSION_2.replace('o.csv', line);
    const { observations } = readControlFile(text, 'm.pst', new Map([...FILES, ['o.csv', file]]));
    expect(observations).toMatchObject([{ name: 'o1', value: 1.5, weight: 2, group: 'g' }]);
  });

  it('refuses options of its CSV files that it does not know', () => {
    const fault = (line: string) => () => readControlFile(VERSION_2.replace('o.csv', line), 'm.pst', FILES);
    expect(fault('o.csv skip 2')).toThrow('m.pst:9: skip is not known here; known are sep and missing_value.');
    expect(fault('o.csv sep')).toThrow('m.pst:9: sep has no value; write it behind.');
    expect(fault('o.csv sep tab')).toThrow('m.pst:9: sep must be one character, or w for blanks and tabs.');
  });
});

describe('groups of observations', () => {
  it.each([
    ['l_flow', 'atMost'],
    ['less_than_x', 'atMost'],
    ['>@cap', 'atMost'],
    ['g_flow', 'atLeast'],
    ['greater', 'atLeast'],
    ['<@floor', 'atLeast'],
    ['level', undefined],
    ['regul_l', undefined],
  ])('%s: %s', (group, end) => {
    expect(limitOfGroup(group)).toBe(end);
  });

  it('may have numbers behind their names, which regularisation alone needs', () => {
    expect(() => readControlFile(CONTROL.replace('Heads\n', 'Heads 1.0E+2\n'), 'm.pst')).not.toThrow();
  });
});

describe('what cannot be a fit is refused by name:', () => {
  it.each([
    ['inputs: {}', 'pcf', 'm.pst:1: is not a control file of PEST: it must begin with pcf.'],
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
    ['log(K1) = 0.0', 'log(K9) = 0.0', 'm.pst: the prior information pi1 is about k9, which is not a parameter.'],
    ['log(K1) = 0.0', 'log(K1) : 0.0', 'm.pst:38: the equation "1.0 * log(K1) : 0.0" cannot be read'],
    ['1 1 double', '2 0 double', 'names no instruction file.'],
    ['python3 model.py # 1\necho done\n', '', 'm.pst: the section "* model command line" is empty.'],
  ])('%j', (now, then, message) => {
    const text = now === 'inputs: {}' ? now : CONTROL.replace(now, then);
    expect(() => readControlFile(text, 'm.pst')).toThrow(message);
  });
});
