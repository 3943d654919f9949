/** Builds the page into dist/page: hashed files under assets, nothing inline, so that the strict policy holds. */
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/page/',
  logLevel: 'warn',
  build: {
    outDir: '../../dist/page',
    emptyOutDir: true,
    // An inlined file would be a data: address, which the policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    target: 'es2022',
  },
});
