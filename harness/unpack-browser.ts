/** Runs in a process of its own; find-browser.ts explains why. */
import chromium from '@sparticuz/chromium';

await chromium.executablePath();
