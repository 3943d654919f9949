/** Properties draw the same cases in every run, so that a red run is red again; FAST_CHECK_SEED=<number> explores others. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['FAST_CHECK_SEED'] ?? 20_261_120) });
