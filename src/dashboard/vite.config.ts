/**
 * Builds the page into dist/page: hashed files under assets, nothing inline, so that the strict policy holds. The files are few,
 * because small ones compress badly.
 */
import { defineConfig } from 'vite';

/** What makes up a file is not drawn in by what needs it. */
const alone = { includeDependenciesRecursively: false };

export default defineConfig({
  root: import.meta.dirname,
  base: '/page/',
  logLevel: 'warn',
  // Also where NODE_ENV is not production, as in tests: what they build is served later.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
  build: {
    outDir: '../../dist/page',
    emptyOutDir: true,
    // An inlined file would be a data: address, which the policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    target: 'es2022',
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'base', test: /clients.typescript|node_modules|dashboard.(shell|parts|main)/ },
            // Loaded when the first of them opens.
            { name: 'dialogs', test: /objective.actions.(?!actions|row-actions|correcting)/, ...alone },
            // Shared by the run view, the comparison and new problems.
            { name: 'runs', test: /objective.(scales|distances|columns|values|history)/, ...alone },
            { name: 'objective', test: /views.objective/, ...alone },
          ],
        },
      },
    },
  },
});
