/** Text that a font can print: what it has no letter for becomes a visible sign. */

/** U+FFFD, which the fonts of reports have. */
const UNKNOWN = '\uFFFD';

/** Marks without a shape: joiners, directions, variants. */
const SHAPELESS = /\p{Cf}|\p{Variation_Selector}/gu;

/** @param isKnown  whether a code point can be printed */
export function makeCleaner(isKnown: (code: number) => boolean): (text: string) => string {
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const known = new Map<string, string>();
  const clean = (text: string) => {
    let shown = '';
    for (const { segment } of graphemes.segment(text.normalize('NFC').replace(/[\s\p{Cc}]/gu, ' '))) {
      const plain = segment.replace(SHAPELESS, '');
      shown += [...plain].every((character) => isKnown(character.codePointAt(0)!)) ? plain : UNKNOWN;
    }
    return shown;
  };
  return (text) => {
    // Most text is plain, and much of it is repeated.
    if (/^[\x20-\x7E]*$/.test(text)) return text;
    let shown = known.get(text);
    if (shown === undefined) {
      shown = clean(text);
      known.set(text, shown);
    }
    return shown;
  };
}
