import type { Locator } from 'playwright-core';

/** Drops a file. Resolves to whether the page dealt with it; else the browser leaves the page for the file. */
export async function dropFile(target: Locator, name: string, text: string): Promise<boolean> {
  return await target.evaluate(
    (element, [title, content]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content!], title!, { type: 'text/csv' }));
      return !element.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    },
    [name, text],
  );
}
