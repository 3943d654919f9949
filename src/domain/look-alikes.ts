/**
 * Whether two names look the same: the skeletons of Unicode TR39, which also leave out what nobody sees, with and without capitals. Names are
 * compared, never changed: joiners that Persian or Hindi spell with, and names of any script, are as welcome as others.
 */
import { LOOK_ALIKES } from './look-alike-table.ts';

/** Characters without a picture of their own, and the blank of braille. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/gu;

const toCharacter = (point: string) => String.fromCodePoint(Number.parseInt(point, 36));
let prototypes: ReadonlyMap<string, string> | undefined;

/** Made when two names are compared for the first time: most processes never do. */
function readPrototypes(): ReadonlyMap<string, string> {
  return new Map(
    LOOK_ALIKES.split(' ').map((word) => {
      const [from, ...to] = word.split('-').map(toCharacter);
      return [from!, to.join('')];
    }),
  );
}

function skeletonOf(text: string): string {
  prototypes ??= readPrototypes();
  const known = prototypes;
  const seen = text.normalize('NFKD').replace(INVISIBLE, '').replace(/\s+/gu, ' ').trim();
  return Array.from(seen, (character) => known.get(character) ?? character)
    .join('')
    .normalize('NFKD');
}

/** As written, in small letters and in capitals: a capital I looks like an l, and Cyrillic capitals like Latin ones that the small do not. */
function looksOf(name: string): readonly string[] {
  const plain = name.normalize('NFKD');
  return [plain, plain.toLowerCase(), plain.toUpperCase()].map(skeletonOf);
}

/** Says of other names whether they look like this one. */
export function looksLike(name: string): (other: string) => boolean {
  const looks = looksOf(name);
  return (other) => looksOf(other).some((look, i) => look === looks[i]);
}

/** Whether nothing of a text can be seen. */
export function isUnseen(text: string): boolean {
  return text.replace(INVISIBLE, '').trim() === '';
}
