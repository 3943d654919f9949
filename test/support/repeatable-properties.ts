/** Makes properties draw the same cases in every run, so that failures repeat. FAST_CHECK_SEED=<number> draws others. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['FAST_CHECK_SEED'] ?? 20_261_120) });
