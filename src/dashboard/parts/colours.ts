/** The colours of the style sheets for canvases and saved pictures. */
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { COLOUR_NAMES, type Colours } from '../../presentation/colours.ts';
import { theme } from '../shell/theme.ts';

function readColours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const pairs = [...COLOUR_NAMES, 'font'].map((name) => [name, token(name)]);
  return Object.fromEntries(pairs) as Colours;
}

const current = signal(readColours());

/** Changes with the theme, of the page or of the system. */
export const colours: ReadonlySignal<Colours> = current;

const readAgain = () => {
  current.value = readColours();
};

effect(() => {
  // After the document has the new theme.
  if (theme.value) queueMicrotask(readAgain);
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', readAgain);
