/** Whether this browser tells what happens to objectives in tabs behind; without storage it does not. */
const NAME = 'backsolve-notifies';

export const NOTIFIES = {
  isOn: (): boolean => {
    try {
      return localStorage.getItem(NAME) !== null;
    } catch {
      return false;
    }
  },
  set: (isOn: boolean): void => {
    try {
      if (isOn) localStorage.setItem(NAME, '');
      else localStorage.removeItem(NAME);
    } catch {
      // Switched off by the browser.
    }
  },
};
