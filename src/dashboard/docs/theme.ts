/**
 * Light, dark, or as the system is, as chosen here or on the page. A classic script in the head: it runs before anything is drawn.
 */
{
  const NAME = 'backsolve-theme';
  const root = document.documentElement;

  const readTheme = (): string => {
    try {
      const stored = localStorage.getItem(NAME);
      return stored === 'light' || stored === 'dark' ? stored : 'system';
    } catch {
      return 'system';
    }
  };

  root.dataset['theme'] = readTheme();
  document.addEventListener('DOMContentLoaded', () => {
    const choice = document.querySelector<HTMLSelectElement>('#theme')!;
    choice.value = root.dataset['theme']!;
    choice.hidden = false;
    choice.addEventListener('change', () => {
      root.dataset['theme'] = choice.value;
      try {
        localStorage.setItem(NAME, choice.value);
      } catch {
        // Storage may be switched off: the choice then lasts until another page is opened.
      }
    });
  });
}
