import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cleanFileName, LONGEST_FILE_NAME } from '../../../src/domain/notes/note.ts';

it.each([
  ['weld.jpg', 'weld.jpg'],
  ['C:\\rig\\logs\\run 7.csv', 'run 7.csv'],
  ['../../etc/passwd', 'passwd'],
  ['folder/', 'folder'],
  ['..', 'file'],
  ['', 'file'],
  ['\u202egpj.exe', 'gpj.exe'],
  ['a\u0000b\r\nc.txt', 'abc.txt'],
  ['what?.txt', 'what-.txt'],
  ['Prüfstand 3 – Düse.jpg', 'Prüfstand 3 – Düse.jpg'],
  [`${'x'.repeat(1_000)}.tar`, `${'x'.repeat(LONGEST_FILE_NAME - 4)}.tar`],
])('The file name %j is kept as %j', (sent, kept) => {
  expect(cleanFileName(sent)).toBe(kept);
});

it('Every kept file name is short, is one that file systems accept, and stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (sent) => {
      const kept = cleanFileName(sent);
      expect([...kept].length).toBeLessThanOrEqual(LONGEST_FILE_NAME);
      expect(kept).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}/\\<>:"|?*]+$/u);
      expect(cleanFileName(kept)).toBe(kept);
    }),
  );
});
