/** Run in a process of its own by find-browser.ts, which says why. */
import chromium from '@sparticuz/chromium';

await chromium.executablePath();
