import { describe, expect, it } from 'vitest';
import { parsePestTemplate } from '../../../src/runner/pest/template-file.ts';

describe('a template file of PEST', () => {
  it('keeps its text, its line ends and the places of all columns', () => {
    const { widths, render } = parsePestTemplate('PTF ~\r\nk = ~ K1    ~;~k1~\r\n\r\nend\tö ~ n_2 ~', 'm.tpl');
    expect([...widths]).toEqual([
      ['k1', 4],
      ['n_2', 7],
    ]);
    expect(render({ k1: 0.25, n_2: -3 })).toBe('k = ' + '0.25'.padStart(9) + ';0.25\r\n\r\nend\tö ' + '   -3.0');
  });

  it('is read after a byte order mark, as jtf, and with another fill', () => {
    expect(parsePestTemplate('\uFEFFjtf #\n#  a  #', 'm.tpl', { fill: '0' }).render({ a: -1.5 })).toBe('-0001.5');
  });

  it.each([
    ['k = 1\n', 'm.tpl:1: must begin with "ptf ~", where ~ is the marker of the file.'],
    ['ptf kk\n', 'm.tpl:1: the marker must be one character, no letter, digit, !, [, ], (, ), : or &; it is "kk".'],
    ['ptf ~\na ~k~\nb ~k\n', 'm.tpl:3: the marker ~ must stand on both sides of each parameter.'],
    ['ptf ~\n~   ~\n', 'm.tpl:2: a space between two markers names no parameter.'],
  ])('%j is refused by its line', (text, message) => {
    expect(() => parsePestTemplate(text, 'm.tpl')).toThrow(message);
  });

  it('says which value does not fit, and which parameter is unknown', () => {
    const template = parsePestTemplate('ptf ~\n~k~', 'm.tpl');
    expect(() => template.render({ k: -1.5e-120 })).toThrow('m.tpl: k = -1.5e-120 does not fit into 3 characters');
    expect(() => template.check(['n'])).toThrow('m.tpl: there is no parameter "k".');
  });
});
