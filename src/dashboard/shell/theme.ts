/** Light, dark, or the theme of the system. */
import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
const NAME = 'backsolve-theme';

function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(NAME);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    return 'system';
  }
}

export const theme = signal<Theme>(readTheme());

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
  try {
    localStorage.setItem(NAME, theme.value);
  } catch {
    // Storage may be switched off: the choice then lasts until the page is closed.
  }
});
