/** `solve` and ask-and-tell against the real service. */
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { LeaseLostError, UnauthenticatedError, ValidationFailedError } from '../../../clients/typescript/src/index.ts';
import {
  atLeast,
  BudgetError,
  boolean,
  ChangedProblemError,
  choice,
  exact,
  integer,
  JournalError,
  levels,
  log,
  maximize,
  minimize,
  openProject,
  ProblemLockedError,
  RunLostError,
  real,
  solve,
  within,
} from '../../../clients/typescript/src/solve.ts';
import { openPlaces, type Places } from './places.ts';

let service: Places['service'];
let here: Places['here'];
beforeAll(async () => {
  const places = await openPlaces();
  ({ service, here } = places);
  return places.close;
});

const TWO = {
  inputs: { a: real(0, 10), b: [0, 10] },
  goals: { sum: within(10, { percent: 1 }), difference: within(-4, 0.05) },
} as const;
const two = ({ a, b }: { readonly a: number; readonly b: number }) => ({ sum: a + b, difference: a - b });

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('solve', () => {
  it.each([
    ['fills the first round', { parallel: 5 }, 5],
    ['leaves half of the budget to the search', { parallel: 5, budget: 8 }, 4],
    ['designs as many as are stated', { parallel: 5, cases: 2 }, 2],
  ])('%s with designed runs', async (_, options, count) => {
    let [running, most] = [0, 0];
    const result = await solve(
      async (input) => {
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running -= 1;
        return two(input);
      },
      { ...here(), ...TWO, ...options },
    );
    expect(result.history.filter(({ kind }) => kind === 'designed')).toHaveLength(count);
    if (!('cases' in options)) expect(most).toBe(count);
  });

  it('meets the goals with inputs of every kind, by their names', async () => {
    const seen: unknown[] = [];
    const result = await solve(
      ({ k, n, plate, dry, metal, size }) => {
        expectTypeOf(k).toEqualTypeOf<number>();
        expectTypeOf(dry).toEqualTypeOf<boolean>();
        expectTypeOf(metal).toEqualTypeOf<'steel' | 'brass'>();
        expectTypeOf(size).toEqualTypeOf<8 | 16>();
        seen.push({ k, n, plate, dry, metal, size });
        const base = metal === 'steel' ? 300 : 310;
        return { T: base + 20 * Math.log10(k / 1e-5) + n + (dry ? 0 : 1), cost: 2 * n + plate + size / 8 };
      },
      {
        ...here(),
        inputs: {
          k: log(1e-5, 1e-1, { unit: '1/s', likely: [1e-4, 1e-2] }),
          n: integer(1, 9),
          plate: levels(4, 1, 2),
          dry: boolean(),
          metal: choice('steel', 'brass'),
          size: choice(8, 16),
        },
        goals: { T: within(350, 2), cost: atLeast(8) },
        parallel: 3,
        budget: 60,
      },
    );
    expect(result).toMatchObject({ status: 'satisfied', reason: null, diagnosis: null, best: { worstMiss: 0 } });
    const { best, history } = result;
    expect(Math.abs(best!.output.T - 350)).toBeLessThanOrEqual(2);
    expect(Object.keys(best!.input)).toEqual(['k', 'n', 'plate', 'dry', 'metal', 'size']);
    expect(history.map(({ number }) => number)).toEqual(seen.map((_, i) => i + 1));
    expect(history.map(({ input }) => JSON.stringify(input)).sort()).toEqual(
      seen.map((one) => JSON.stringify(one)).sort(),
    );
    expect(history.map(({ input }) => input)).toContainEqual(best!.input);
    expect(history.slice(0, 4).every(({ kind }) => kind === 'designed')).toBe(true);
    for (const { input } of history) {
      expect(['steel', 'brass']).toContain(input.metal);
      expect([8, 16]).toContain(input.size);
      expect([1, 2, 4]).toContain(input.plate);
      expect(typeof input.dry).toBe('boolean');
    }
  });

  it('Exceptions, NaN and infinite outputs are failed runs, and the search goes on around them', async () => {
    let calls = 0;
    const result = await solve(
      async (input) => {
        calls++;
        if (calls === 1) throw new RangeError('no\nmesh');
        if (calls === 2) return { sum: Number.NaN, difference: 0 };
        if (calls === 3) return [1, Number.POSITIVE_INFINITY];
        return two(input);
      },
      { ...here(), ...TWO, cases: 5 },
    );
    expect(result.status).toBe('satisfied');
    expect(result.history.slice(0, 3)).toMatchObject([
      { output: null, error: 'RangeError: no mesh' },
      { output: null, error: 'sum is NaN' },
      { output: null, error: 'difference is Infinity' },
    ]);
    expect(result.history.length).toBe(calls);
  });

  it('ends as exhausted within its budget, and says what cannot be met together', async () => {
    const contradicted = { inputs: { a: real(0, 1), b: real(0, 1) }, goals: { y: within(5, 0.1), z: within(-5, 0.1) } };
    const result = await solve(({ a, b }) => ({ y: a + b, z: a - b }), { ...here(), ...contradicted, budget: 12 });
    expect(['exhausted', 'stopped']).toContain(result.status);
    expect(result.history.length).toBeLessThanOrEqual(12);
    expect(result.diagnosis?.detail).toMatch(
      /The models expect the worst output to miss by .* times its tolerance at best; .* ends immediately/,
    );
    const best = result.best!;
    expect(best.worstMiss).toBeGreaterThan(1);
    expect(result.history.find(({ name }) => name === best.name)).toMatchObject({
      number: best.run,
      input: best.input,
      output: best.output,
    });
    expect(best.missedBy.y).toBeCloseTo(best.output.y - 4.9, 10);
    expect(result.reason).toMatch(/^(Stopped|Exhausted): /);
    expect(result.reason).toContain(`the nearest run, ${best.name}, misses `);
    expect(result.reason).toMatch(/\by by \d/);
    expect(result.reason).not.toMatch(/iteration|v1/);
    expect(result.probability).toBeNull();
    expect(result.objective?.insight).not.toBeNull();
  });

  it('ends as failed, with the reason, when nothing but failures comes', async () => {
    const broken = () => {
      throw new Error('no licence');
    };
    const options = { ...here(), ...TWO };
    const result = await solve(broken, options);
    expect(result).toMatchObject({ status: 'failed', best: null, objective: null, retried: 0 });
    expect(result.reason).toContain('no licence. Once the fault is mended, retryFailed: true');
    expect(result.history.every(({ error }) => error === 'Error: no licence')).toBe(true);

    const told: string[] = [];
    const retried = await solve(two, { ...options, retryFailed: true, onRun: ({ name }) => told.push(name) });
    expect(retried).toMatchObject({ status: 'satisfied', retried: 10 });
    expect(retried.history.slice(0, 10).map(({ input }) => input)).toEqual(result.history.map(({ input }) => input));
    expect(retried.history.every(({ error }) => error === null)).toBe(true);
    expect(told.filter((name) => name.startsWith('run'))).toEqual(retried.history.slice(10).map(({ name }) => name));
  });

  it('Failed runs of the search are run once more with retryFailed, and their outputs end it or lead on', async () => {
    let calls = 0;
    const broken = (input: Parameters<typeof two>[0]) => {
      if (++calls > 2) throw new Error('a bug');
      return two(input);
    };
    const options = { ...here(), ...TWO, stopAfterFailures: 3 };
    const result = await solve(broken, options);
    expect(result).toMatchObject({ status: 'failed' });
    const seen: unknown[] = [];
    const mended = (input: Parameters<typeof two>[0]) => {
      seen.push(input);
      return two(input);
    };
    const retried = await solve(mended, { ...options, retryFailed: true });
    expect(retried).toMatchObject({ status: 'satisfied', retried: 3 });
    expect(seen.slice(0, 3)).toEqual(result.history.slice(2).map(({ input }) => input));
    expect(retried.history.length).toBe(2 + seen.length);
    expect(await errorOf(solve(two, { ...options, retryFailed: true, fresh: true }))).toBeInstanceOf(TypeError);
  });

  it('The same call gives the same result without a run; fresh starts over and keeps what was', async () => {
    const options = { ...here(), ...TWO };
    const first = await solve(two, options);
    const told: string[] = [];
    const again = await solve(two, { ...options, onRun: ({ name }) => told.push(name) });
    expect(again).toEqual(first);
    expect(told).toEqual(first.history.map(({ name }) => name));
    let calls = 0;
    const counted: typeof two = (input) => {
      calls++;
      return two(input);
    };
    const fresh = await solve(counted, { ...options, fresh: true });
    expect(calls).toBe(first.history.length);
    expect(fresh.history.map(({ input }) => input)).toEqual(first.history.map(({ input }) => input));
    expect(fresh.ids.modelId).not.toBe(first.ids.modelId);
    expect((await readdir(path.join(options.folder, 'typescript/test'))).sort()).toEqual([
      'problem.json',
      'problem.json.1',
      'runs.jsonl',
      'runs.jsonl.1',
    ]);
  });

  it('A signal ends it after what runs; the same call goes on, with another number at a time', async () => {
    const options = { ...here(), ...TWO, cases: 4 };
    const stop = new AbortController();
    const inputs: unknown[] = [];
    const noted: typeof two = (input) => {
      inputs.push(input);
      stop.abort();
      return two(input);
    };
    const first = await solve(noted, { ...options, signal: stop.signal });
    expect(first).toMatchObject({ status: 'interrupted', history: [{ number: 1 }] });
    const second = await solve(noted, { ...options, parallel: 2 });
    expect(second.status).toBe('satisfied');
    expect(inputs.filter((input) => isDeepStrictEqual(input, first.history[0]!.input))).toHaveLength(1);
    expect(second.history).toHaveLength(inputs.length);
  });

  it('A larger budget and other targets go on with the runs so far', async () => {
    const options = { ...here(), inputs: TWO.inputs, goals: { sum: exact(11.25), difference: exact(-4) } };
    const first = await solve(({ a, b }) => [a + b, Math.sin(40 * a) + b], { ...options, budget: 6 });
    expect(first).toMatchObject({ status: 'exhausted', history: { length: 6 } });
    const second = await solve(({ a, b }) => [a + b, Math.sin(40 * a) + b], { ...options, budget: 9 });
    expect(second.history.slice(0, 6)).toEqual(
      first.history.map((run) =>
        run.kind === 'designed' ? run : { ...run, name: `${run.name} of an earlier search` },
      ),
    );
    expect(second.history[6]!.name).toBe('run 2');
    expect(second.history).toHaveLength(9);
    expect(second.ids).toMatchObject({ projectId: first.ids.projectId, trialId: first.ids.trialId });
    expect(
      await errorOf(solve(() => 0, { ...options, goals: { ...options.goals, sum: exact(3) }, budget: 9 })),
    ).toBeInstanceOf(BudgetError);
  });

  it('A wide range is logarithmic, which the result says; a search that was begun linear stays so', async () => {
    const goals = { u: within(0, 0.05), v: within(-4, 0.05) };
    const box = ({ k, b }: { readonly k: number; readonly b: number }) => [Math.log10(k) + b, Math.log10(k) - b];
    const wide = { ...here(), goals, inputs: { k: real(1e-5, 10), b: real(0, 10) } };
    const first = await solve(box, wide);
    expect(first.status).toBe('satisfied');
    expect(first.advice).toEqual([
      {
        kind: 'log-scale',
        sentence:
          "k varies by factors (log scale), because its range spans 6 powers of ten; state scale: 'linear' to refuse.",
      },
    ]);
    const linear = { ...here(), goals, inputs: { ...wide.inputs, k: real(1e-5, 10, { scale: 'linear' }) }, budget: 20 };
    const begun = await solve(box, linear);
    const again = await solve(box, { ...linear, inputs: wide.inputs });
    expect(again.advice.map(({ kind }) => kind)).not.toContain('log-scale');
    expect(again.ids).toEqual(begun.ids);
    expect(await errorOf(solve(box, { ...linear, inputs: { ...wide.inputs, k: log(1e-5, 10) } }))).toBeInstanceOf(
      ChangedProblemError,
    );
  });

  it('ends by evidence unless that is switched off; a larger budget goes on from there', async () => {
    const bowl = ({ a, b }: { readonly a: number; readonly b: number }) => 1 + (a - 3) ** 2 + (b - 4) ** 2;
    const options = { ...here(), inputs: TWO.inputs, goals: { misfit: minimize(0) } };
    const first = await solve(bowl, { ...options, budget: 20 });
    expect(first.status).toBe('stopped');
    expect(first.history.length).toBeLessThan(20);
    expect((await solve(bowl, { ...options, budget: 20 })).ids).toEqual(first.ids);
    const more = await solve(bowl, { ...options, budget: 24 });
    expect([more.status, more.history.length]).toEqual(['exhausted', 24]);
    expect((await solve(bowl, { ...options, budget: 24 })).ids).toEqual(more.ids);
    const never = await solve(bowl, { ...options, ...here(), budget: 20, stop: false });
    expect([never.status, never.history.length]).toEqual(['exhausted', 20]);
  });

  it('Without aspirations it seeks the front until the budget is used up', async () => {
    const goals = { sum: minimize(), difference: maximize() };
    const result = await solve(two, { ...here(), inputs: TWO.inputs, goals, budget: 8, cases: 4 });
    expect(result).toMatchObject({ status: 'exhausted', history: { length: 8 } });
    expect(result.reason).toMatch(/^[^.]+\.$/);
  });

  it('keeps 64 runs in flight', async () => {
    let [running, most] = [0, 0];
    let release: () => void = () => undefined;
    const full = new Promise<void>((resolve) => (release = resolve));
    const result = await solve(
      async ({ a, b }) => {
        running++;
        most = Math.max(most, running);
        if (running === 64) release();
        await full;
        running--;
        return { sum: a + b, difference: a - b };
      },
      { ...here(), ...TWO, cases: 64, parallel: 64 },
    );
    expect(most).toBe(64);
    expect(result.status).toBe('satisfied');
  });

  it('keeps nothing with journal: false', async () => {
    const result = await solve(two, { ...here(), ...TWO, journal: false });
    expect(result.status).toBe('satisfied');
    expect(result.history.length).toBeGreaterThan(2);
  });

  it('hands options on to the search', async () => {
    const { objective } = await solve(two, {
      ...here(),
      ...TWO,
      constraints: ['a <= b + 9'],
      weights: { sum: 4 },
      priorities: { difference: 2 },
      fixed: { a: 3 },
      noise: { sum: 0.01, difference: 0 },
      confirm: 2,
      stop: { patience: 30 },
    });
    expect(objective).toMatchObject({
      weights: [4, 1],
      priorities: [1, 2],
      fixedInputs: [3, null],
      noise: { standardDeviations: [0.01, 0] },
      confirm: 2,
      stop: { patience: 30 },
      stopReason: 1,
    });
  });
});

describe('a confidence', () => {
  it('that is not reached is told with the probability that was', async () => {
    let calls = 0;
    // Within the tolerance in every other run.
    const noisy = (input: Parameters<typeof two>[0]) => {
      const sign = calls++ % 2 === 0 ? 1 : -1;
      return { sum: input.a + input.b + 0.12 * sign, difference: input.a - input.b };
    };
    const options = { ...here(), ...TWO, noise: { sum: 0.12, difference: 0.001 }, confidence: 0.99, budget: 14 };
    const result = await solve(noisy, options);
    expect(result.status).not.toBe('satisfied');
    expect(result.probability!.value).toBeLessThan(0.99);
    expect(result.reason).toMatch(
      /everything is met in each run with a probability of 0?\.?\d+ .*0\.99 was asked for\.$/,
    );
  });
});

describe('what is wrong', () => {
  it('A missing output ends everything: no run can cure it', async () => {
    const missing = (() => ({ sum: 1 })) as never;
    expect(await errorOf(solve(missing, { ...here(), ...TWO }))).toMatchObject({
      name: 'TypeError',
      message: 'The black box must give { sum: number, difference: number }, gave {"sum":1}.',
    });
  });

  it('Names that nothing reads are refused with the nearest one, wherever options are read by name', async () => {
    const stated = { ...here(), ...TWO };
    const refusalOf = async (wrong: object) => {
      const error = await errorOf(solve(two, { ...stated, ...wrong }));
      expect(error).toBeInstanceOf(TypeError);
      return (error as Error).message;
    };
    expect(await refusalOf({ constraint: ['a <= b'], confidance: 0.9, budgett: 5 })).toBe(
      [
        'solve does not take constraint; did you mean constraints?',
        'solve does not take confidance; did you mean confidence?',
        'solve does not take budgett; did you mean budget?',
      ].join('\n'),
    );
    expect(await refusalOf({ options: { aimAtRobustnes: true, solutions: { cuont: 2 } } })).toBe(
      'solve does not take options.aimAtRobustnes; did you mean options.aimAtRobustness?\n' +
        'solve does not take options.solutions.cuont; did you mean options.solutions.count?',
    );
    expect(await refusalOf({ stop: { patiance: 3 } })).toContain('did you mean stop.patience?');
    expect(await refusalOf({ fixed: { c: 1 } })).toBe('solve does not take fixed.c; it takes fixed.a, fixed.b.');
    expect(await refusalOf({ noise: { sum: 1, diference: 1 } })).toContain('did you mean noise.difference?');
    expect(await refusalOf({ weights: { summ: 1 } })).toContain('did you mean weights.sum?');
    expect(await refusalOf({ goals: { sum: { target: 3, within: 1 } } })).toContain('does not take goals.sum.within');
    expect(await refusalOf({ inputs: { a: { minimum: 0, maximun: 1 } } })).toContain('did you mean inputs.a.maximum?');
    expect(await refusalOf({ input: TWO.inputs, inputs: undefined })).toContain('did you mean inputs?');
    expect(await errorOf(openProject({ ...stated, frehs: true } as never))).toMatchObject({
      message: 'openProject does not take frehs; did you mean fresh?',
    });
    const inText = (given: object) => given as { unit: string };
    expect(() => real(0, 1, inText({ unti: 'mm' }))).toThrow('real does not take unti; did you mean unit?');
    expect(() => log(1, 2, inText({ likly: [1, 2] }))).toThrow('did you mean likely?');
    expect(() => within(1, { percnt: 1 } as never)).toThrow('within does not take percnt; did you mean percent?');
  });

  it('Problems that cannot be stated, or that the service refuses', async () => {
    expect(await errorOf(solve(two, { ...here(), ...TWO, parallel: 65 }))).toBeInstanceOf(RangeError);
    expect(await errorOf(solve(two, { ...here(), ...TWO, budget: 0.5 }))).toBeInstanceOf(RangeError);
    expect(await errorOf(solve(() => 1, { ...here(), inputs: {}, goals: {} }))).toBeInstanceOf(RangeError);
    expect(() => within(1, 0)).toThrow('exact(1)');
    const onInput = { ...TWO, goals: { ...TWO.goals, a: within(1, 0.1) } };
    expect(await errorOf(solve(({ a, b }) => ({ a, ...two({ a, b }) }), { ...here(), ...onInput }))).toMatchObject({
      message: expect.stringContaining('goals has a, which is an input'),
    });
    expect(() => choice('one')).toThrow(RangeError);
    expect(() => levels(1)).toThrow(RangeError);
    const backwards = { ...here(), inputs: { a: real(5, 1) }, goals: { y: minimize(0) } };
    expect(await errorOf(solve(({ a }) => a, backwards))).toBeInstanceOf(ValidationFailedError);
    expect(await errorOf(solve(two, { ...here(), ...TWO, budget: 2 }))).toMatchObject({
      name: 'BudgetError',
      message: 'With budget 2 nothing is left after the 2 runs that come before the search: raise it, or lower cases.',
    });
  });

  it('No service, and a key that is not valid', async () => {
    const nowhere = { folder: here().folder };
    expect(await errorOf(solve(two, { ...nowhere, ...TWO, local: false }))).toMatchObject({
      message: expect.stringContaining('BACKSOLVE_URL'),
    });
    expect(await errorOf(solve(two, { ...here(), ...TWO, key: 'bks_wrong' }))).toBeInstanceOf(UnauthenticatedError);
  });

  it('Other inputs in the same folder, another process in it, and a journal that is none', async () => {
    const options = { ...here(), ...TWO };
    const project = await openProject(options);
    expect(await errorOf(solve(two, options))).toBeInstanceOf(ProblemLockedError);
    await project.close();
    await solve(two, options);
    const changed = { ...options, inputs: { a: real(0, 11), b: real(0, 10) } };
    const error = (await errorOf(solve(two, changed))) as ChangedProblemError;
    expect(error).toBeInstanceOf(ChangedProblemError);
    expect(error.message).toContain('maximums: [10,10] became [11,10]');
    await writeFile(path.join(options.folder, 'typescript/test/runs.jsonl'), 'spilt coffee\n');
    expect(await errorOf(solve(two, options))).toBeInstanceOf(JournalError);
  });
});

describe('a mistyped name', () => {
  it('is found at the first run, and its correction begins anew; with an output it is refused', async () => {
    const options = { ...here(), ...TWO, name: 'mistyped' };
    const mistyped = { ...options, goals: { sum: TWO.goals.sum, diffrence: TWO.goals.difference } };
    let calls = 0;
    const counted = (input: Parameters<typeof two>[0]) => {
      calls += 1;
      return two(input) as unknown as { readonly sum: number; readonly diffrence: number };
    };
    expect(await errorOf(solve(counted, mistyped))).toBeInstanceOf(TypeError);
    expect(calls).toBe(1);
    const result = await solve(two, options);
    expect(result.status).toBe('satisfied');
    expect(await errorOf(solve(counted, mistyped))).toBeInstanceOf(ChangedProblemError);
    expect(calls).toBe(1);
  });
});

describe('ask and tell', () => {
  it('gives runs, takes outputs, failures and corrections, and goes on where it was closed', async () => {
    const options = { ...here(), ...TWO, parallel: 2, cases: 3 };
    const first = await openProject(options);
    const designed = await first.ask(2);
    expect(designed).toHaveLength(2);
    expect(designed.every(({ kind }) => kind === 'designed')).toBe(true);
    expect(designed.map(({ name }) => name)).toEqual(['case 1', 'case 2']);
    await first.tell(designed[0]!, two(designed[0]!.input));
    expect(await errorOf(first.tell(designed[0]!, [1, 2]))).toBeInstanceOf(TypeError);
    await first.close();

    const project = await openProject(options);
    const [again, third, ...more] = await project.ask(5);
    expect(more).toEqual([]);
    expect(again!.input).toEqual(designed[1]!.input);
    await project.fail(third!, new Error('the rig is dirty'));
    await project.tell(again!, two(again!.input));
    while (!project.isOver) {
      for (const run of await project.ask(2)) await project.tell(run, two(run.input));
    }
    expect(await project.ask()).toEqual([]);
    const result = await project.result();
    expect(result.status).toBe('satisfied');
    expect(result.history.filter(({ error }) => error === 'Error: the rig is dirty')).toHaveLength(1);
    expect(result.history.map(({ name }) => name)).toContain(result.best!.name);

    const run = { id: designed[0]!.id };
    await project.correct(run, [3, 4], { reason: 'a typing error' });
    const corrected = await project.result();
    expect(corrected.history[0]).toMatchObject({ output: { sum: 3, difference: 4 } });
    const { body: cases } = await project.client.call('listCorrections', {
      path: { model_id: result.ids.modelId, project_id: result.ids.projectId, trial_id: result.ids.trialId! },
    });
    expect(cases).toMatchObject([{ reason: 'a typing error', new: { output: [3, 4] } }]);
    await project.close();
  });

  it('A corrected output that ended the search reopens it', async () => {
    const project = await openProject({ ...here(), ...TWO });
    let last: { readonly id: number } | undefined;
    while (!project.isOver) {
      for (const run of await project.ask()) {
        await project.tell(run, two(run.input));
        last = run;
      }
    }
    await project.correct(last!, [0, 0], { reason: 'read from the wrong line', reopen: true });
    expect((await project.result()).objective?.stopReason).toBe(0);
    await project.close();
  });

  it('A run that the service gave to another program is lost', async () => {
    const project = await openProject({ ...here(), ...TWO });
    const [run] = await project.ask();
    const { batchId } = (await project.result()).ids;
    await service.ok('POST', `/batches/${batchId}/cancel`);
    const error = await errorOf(project.tell(run!, two(run!.input)));
    expect([undefined, RunLostError, LeaseLostError]).toContain((error as Error | undefined)?.constructor);
    expect((await project.result()).status).toBe('cancelled');
    await project.close();
  });
});
