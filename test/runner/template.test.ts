import { describe, expect, it, test } from 'vitest';
import { parseArgument, parseFileTemplate } from '../../src/runner/files/template.ts';

const VALUES = { length: 3.5, 'incubation, days': 4, bolts: 8, steel: 'S355', tiny: -1.5e-7, 'ratio:a': 0.25 };
const render = (text: string) => parseFileTemplate(text, 'in.tmpl').render(VALUES);

describe('template files', () => {
  test.each([
    ['l = {{length}} mm, {{ steel }}\n', 'l = 3.5 mm, S355\n'],
    ['{{incubation, days}} {{ratio:a}} {{ratio:a:.3f}}', '4 0.25 0.250'],
    ['{ {length} } \\{{length}}', '{ {length} } {{length}}'],
    ['{{tiny}}', '-1.5e-7'],
    ['{{length:.6e}}|{{length:E}}|{{tiny:.3e}}', '3.500000e+00|3.500000E+00|-1.500e-07'],
    ['{{length:8.2f}}|{{length:<8.2f}}|{{length:^8.2f}}|{{length:+.0f}}', '    3.50|3.50    |  3.50  |+4'],
    ['{{bolts:05d}}|{{bolts: d}}|{{tiny:012.3e}}', '00008| 8|-001.500e-07'],
    ['{{length:g}}|{{tiny:g}}|{{tiny:.1g}}|{{bolts:.3}}', '3.5|-1.5e-07|-1e-07|8'],
    ['{{steel:6s}}|{{steel:>6}}|{{steel:.1}}', 'S355  |  S355|S'],
  ])('%j', (text, expected) => {
    expect(render(text)).toBe(expected);
  });

  test.each([
    [1e21, 'f', '1000000000000000000000.000000'],
    [123456789, 'g', '1.23457e+08'],
    [0.0001, 'g', '0.0001'],
    [0.00001, 'g', '1e-05'],
    [999999.5, 'g', '1e+06'],
    [0, '.4g', '0'],
    [-0, '.1f', '-0.0'],
    [5e-324, '', '5e-324'],
  ])('%d as %s is what C prints', (value, format, expected) => {
    const text = format === '' ? '{{x}}' : `{{x:${format}}}`;
    expect(parseFileTemplate(text, 'f').render({ x: value })).toBe(expected);
  });

  test.each([
    ['{{lenght}}', 'in.tmpl: there is no input "lenght"; the inputs are length, '],
    ['{{length:.6q}}', '".6q" is not a format'],
    ['{{length:999f}}', '"999f" is not a format'],
    ['{{}}', 'there is no input ""'],
    [
      'l = {length:.2f} mm',
      'in.tmpl: has no placeholder such as {{length}}, and {length} is none: every run would read the same. A file that does not change is one of copies.',
    ],
    ['l = 3.5 mm', 'in.tmpl: has no placeholder such as {{length}}: every run would read the same.'],
  ])('%j is refused before a value is known', (text, complaint) => {
    const template = parseFileTemplate(text, 'in.tmpl');
    expect(() => template.check(Object.keys(VALUES))).toThrow(complaint);
  });

  it('a value that does not fit its format is refused, not rounded', () => {
    expect(() => render('{{length:d}}')).toThrow('3.5 is not a whole number');
    expect(() => render('{{steel:.3f}}')).toThrow('"S355" is a text');
  });
});

test.each([
  ['--length={length:.2f}', '--length=3.50'],
  ['{steel}/{{steel}}', 'S355/{steel}'],
  ['{"mass": 1, "of": [{}]}', '{"mass": 1, "of": [{}]}'],
  ['$' + '{HOME}{0}', undefined],
  ['{print $1}', '{print $1}'],
  ['{incubation, days}', '4'],
])('argument %j', (text, expected) => {
  const argument = parseArgument(text, 'Argument');
  if (expected === undefined) expect(() => argument.render(VALUES)).toThrow('there is no input "HOME"');
  else expect(argument.render(VALUES)).toBe(expected);
});
