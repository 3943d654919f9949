/**
 * Builds the page into dist/page: hashed files under assets, nothing inline, so that the strict policy holds. The files are few,
 * because small ones compress badly.
 */
import { defineConfig } from 'vite';
import { onlyWhatIsUsed, TEAM } from './only-what-is-used.ts';

/**
 * Calls the import and nothing else, instead of Vite's helper: all styles are in one file that the index names, so there is nothing
 * to load beforehand.
 */
const withoutPreloading = {
  name: 'without-preloading',
  enforce: 'pre',
  load: (id: string) => (id.includes('vite/preload-helper') ? 'export const __vitePreload = (load) => load();' : null),
} as const;

const LOCALE_OF_UPLOT = "domEnv ? nav.language : 'en-US'";

/**
 * uPlot gives the language of the browser to a number format that the page does not use. Where the language is no valid tag, such as
 * en-US@posix, uPlot would not load.
 */
const withoutLocale = {
  name: 'without-locale',
  transform(code: string, id: string) {
    if (!/uplot.dist/i.test(id) || !id.endsWith('.js')) return null;
    if (!code.includes(LOCALE_OF_UPLOT)) throw new Error(`uPlot has changed: look for ${LOCALE_OF_UPLOT}`);
    return { code: code.replace(LOCALE_OF_UPLOT, "'en-US'"), map: null };
  },
} as const;

const LEGEND = /[^{}]*\.u-(?:legend|inline|title)[^{}]*\{[^}]*\}/g;

/** The page has legends and titles of its own. */
const withoutLegend = {
  name: 'without-legend',
  enforce: 'pre',
  transform(code: string, id: string) {
    if (!/uPlot\.min\.css/.test(id)) return null;
    if (code.search(LEGEND) < 0) throw new Error('uPlot has changed: look for .u-legend');
    return { code: code.replace(LEGEND, ''), map: null };
  },
} as const;

/** Keeps the dependencies of a group out of its file. */
const alone = { includeDependenciesRecursively: false };

export default defineConfig({
  root: import.meta.dirname,
  base: '/page/',
  logLevel: 'warn',
  plugins: [withoutPreloading, withoutLocale, withoutLegend, onlyWhatIsUsed(import.meta.dirname)],
  // Also where NODE_ENV is not production, as in tests: what they build is served later.
  // h is the shorter call.
  oxc: {
    jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment', development: false },
    jsxInject: "import { Fragment, h } from 'preact'",
  },
  build: {
    outDir: '../../dist/page',
    emptyOutDir: true,
    // An inlined file would be a data: address, which the policy refuses.
    assetsInlineLimit: 0,
    // A view is one file beside the first.
    modulePreload: false,
    reportCompressedSize: false,
    target: 'es2022',
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // For people who share a service or an account, and sign in to it; whoever works alone follows the link of `start`.
            { name: 'team', test: TEAM, ...alone },
            // For views that draw charts; many visits see none.
            {
              name: 'charts',
              test: /node_modules.uplot|parts.plot-|numbers.pareto|objective.(charts\W|distance\W|coordinates.(?!axes|choose)|fit\W|further.front)|presentation.(run-|front-rows|value-so|distance-d|fit-)/,
              ...alone,
            },
            // Opened more rarely than the overview and the run view, or only to save something. The comparison needs most of it.
            {
              name: 'rest',
              test: /objective.(actions.(?!actions|row-actions|correcti|read-outputs)|by-hand.(overtaken-card|paste-box)|further.(?!further|answer|front|confidence))|views.(batch|compare|new-problem|administration)|parts.(export|file-box|sign-question)|presentation.drawing/,
              ...alone,
            },
            {
              name: 'base',
              // The building blocks of runs are shared by the run view, the comparison and new problems.
              test: /clients.typescript|node_modules|rolldown|src.numbers|dashboard.(shell|parts|main|frame|routes)|objective.state.history|presentation.(scales|distances|columns|values|formats|ticks|plot|colours)/,
            },
            // The parts of an objective beside its targets, and the list of objectives, from which most people come to them.
            {
              name: 'parts',
              test: /views.overview|objective.(runs.(?!run-key)|log|insight.(?!words)|further.further)|presentation.correction/,
              ...alone,
            },
            { name: 'objective', test: /views.objective|notes.notes-on-demand|presentation/, ...alone },
          ],
        },
      },
    },
  },
});
