import { describe, expect, it } from 'vitest';
import { followInstructions } from '../../../src/runner/pest/follow-instructions.ts';
import { parseInstructionFile } from '../../../src/runner/pest/instruction-file.ts';
import { PestFileError } from '../../../src/runner/pest/pest-error.ts';

function read(instructions: string, output: string, delimiters = ''): Record<string, number> {
  const file = parseInstructionFile(`pif ~\n${instructions}`, 'm.ins');
  return Object.fromEntries(followInstructions(file, output, 'm.out', { delimiters }));
}

describe('instructions of PEST find', () => {
  it.each([
    ['a number after a number of lines', 'l2 !a!', 'x\n  1.5 2.5\n', { a: 1.5 }],
    ['several numbers of a line, over blanks, commas and tabs', 'l1 !a! !b! !c!', '1, 2\t3', { a: 1, b: 2, c: 3 }],
    ['numbers of Fortran', 'l1 !a! !b! !c!', '1.0D+03 -.5d-2 1.25-103', { a: 1000, b: -0.005, c: 1.25e-103 }],
    ['what is not finite', 'l1 !a!', 'NaN', { a: Number.NaN }],
    ['words to pass over', 'l1 w w !a!', 'level of  7.5', { a: 7.5 }],
    ['words behind blanks', 'l1 w !a!', '   7.5 8.5', { a: 7.5 }],
    ['dummies that are no numbers', 'l1 !dum! !a!', 'abc 7.5', { a: 7.5 }],
    ['a text, also with blanks', '~step 2~\nl1 !a!', 'step 1\n1\nstep 2\n2\n', { a: 2 }],
    ['texts of a line, one behind the other', 'l1 ~h =~ !a! ~h =~ !b!', 'h = 1, h = 2', { a: 1, b: 2 }],
    ['the line with a second text behind the first', '~time~ ~= 2~ ~h~ !a!', 'time = 1 h 5\ntime = 2 h 6', { a: 6 }],
    ['a number that a text ends', 'l1 !a! ~m~', '1.5m long', { a: 1.5 }],
    ['columns', 'l1 [a]3:6 [b]7:9', 'ab1234567', { a: 1234, b: 567 }],
    ['columns before a tab', 'l1 [a]1:3 !b!', '1.5\t2.5', { a: 1.5, b: 2.5 }],
    ['numbers that begin in columns', 'l1 (a)2:5 (b)9:30', 'x 12345   7.5', { a: 12345, b: 7.5 }],
    ['words with commas in them', 'l1 w !a!', '1,2,3 4', { a: 4 }],
    ['words behind a number and its comma', 'l1 !a! w !b!', '1,2 3', { a: 1, b: 3 }],
    ['words between blanks and tabs', 'l1 w w !a!', 'a,b \t c, \t7.5', { a: 7.5 }],
    ['a text from a line on', 'l1 ~h =~ !a!', 'x\ng = 1\nh = 2', { a: 2 }],
    ['a text on every second line', 'l2 w ~= ~ !a!', '= 1\na b\n= 3\nx y = 4', { a: 4 }],
    ['numbers from a column on', 'l1 t5 !a!', '1 2 3.5', { a: 3.5 }],
    ['numbers on lines that go on', 'l1 !a!\n& !b!\nl1 !c!', '1 2\n3', { a: 1, b: 2, c: 3 }],
    ['names without their case, in lines that end as on Windows', 'L1 !AbC!\r\n', '\r\n5\r\n'.slice(2), { abc: 5 }],
  ])('%s', (_, instructions, output, found) => {
    expect(read(instructions, output)).toEqual(found);
  });

  it('numbers between other delimiters of PEST++', () => {
    expect(read('l1 w !a!', 'x|2.5|3', '|')).toEqual({ a: 2.5 });
  });
});

describe('instructions that do not match say where, and what is there:', () => {
  it.each([
    ['l3 !a!', '1\n2\n', 'm.ins:2: m.out ends at line 2, but line 3 is needed'],
    ['l1 !a!\n~Time~ !b!', '1\ntime 2', 'm.ins:3: m.out has, after line 1, no line with "Time"'],
    ['l1 !b! ~h =~ !a!', '2 g = 1', 'm.ins:2: line 1 of m.out has no "h =": "2 g = 1"'],
    ['l1 ~h =~ !a!', 'g = 1', 'm.ins:2: m.out ends at line 1, and no line before has "h ="'],
    [
      'l1 [a]9:11',
      'a\t1.5',
      'm.ins:2: line 1 of m.out has a tab before column 11, which PEST and PEST++ count differently; find the number by words: "a       1.5"',
    ],
    [
      'l1 (a)4:5',
      'x 12345',
      'm.ins:2: line 1 of m.out has a word that begins before column 4, which PEST reads in full and PEST++ from there; name a column before it: "x 12345"',
    ],
    [
      'l1 [a]5:7 !b!',
      '1.0 1.0 2.0',
      'm.ins:2: line 1 of m.out has "1.0" also before its columns, and PEST goes on behind the columns, PEST++ behind the first one; read the rest by columns, too: "1.0 1.0 2.0"',
    ],
    ['l1 !a!', 'hot', 'm.ins:2: line 1 of m.out has "hot" where a should be: "hot"'],
    ['l1 !a! !b!', '1', 'm.ins:2: line 1 of m.out has no number for b: "1"'],
    ['l1 w w !a!', 'one two', 'm.ins:2: line 1 of m.out has no further word: "one two"'],
    ['l1 [a]5:9', '123', 'm.ins:2: line 1 of m.out has no number for a: "123"'],
    ['l1 [a]5:9 [b]2:3', '123456789', 'm.ins:2: line 1 of m.out was read beyond column 2 already: "123456789"'],
    ['l1 (a)3:4', '1       2', 'm.ins:2: line 1 of m.out has nothing in columns 3 to 4: "1       2"'],
  ])('%j', (instructions, output, message) => {
    expect(() => read(instructions, output)).toThrow(new PestFileError(message));
  });
});

describe('an instruction file is refused by its line where', () => {
  it.each([
    ['it does not begin as one', 'ptf ~\n', 'm.ins:1: must begin with "pif ~"'],
    [
      'a line begins in the middle',
      'pif ~\n!a!',
      'm.ins:2: must begin with a line advance such as l1, a marker, or &.',
    ],
    ['a text has no end', 'pif ~\n~time !a!', 'm.ins:2: the marker ~ must stand on both sides of a text.'],
    ['a word is no instruction', 'pif ~\nl1 !a', 'm.ins:2: !a: is not an instruction; known are l1, w'],
    ['brackets differ', 'pif ~\nl1 [a)2:3', 'm.ins:2: [a)2:3: the brackets do not belong together.'],
    ['columns go back', 'pif ~\nl1 [a]5:3', 'm.ins:2: [a]5:3: needs columns from 1, such as 1:8.'],
    ['lines go back', 'pif ~\nl0 !a!', 'm.ins:2: l0: a line advance is l1 or more.'],
    ['an observation is read twice', 'pif ~\nl1 !a!\nl1 !A!', 'm.ins: the observation a is read twice.'],
  ])('%s', (_, text, message) => {
    expect(() => parseInstructionFile(text, 'm.ins')).toThrow(message);
  });
});
