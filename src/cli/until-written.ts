/** Maximum time that the last lines wait for their reader. */
const LIMIT_MS = 1_000;

/** Whether the reader has taken everything that was printed; waits for it a second at most. */
export function untilWritten(): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LIMIT_MS, false);
    process.stdout.write('', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
