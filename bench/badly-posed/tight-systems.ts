/**
 * Queues that hardly any input serves better than is asked at 0.6: a fresh run meets all targets with a probability of some 0.8 to 0.95 at best,
 * and most inputs that look good have 0.4 to 0.7. The rule of decision 81 was developed on the first two.
 */
import { atLeast, atMost, float, integer } from '../problems/problem.ts';
import { type Chance, define, type RandomSystem } from '../problems/random-systems.ts';
import { practice } from './skewed-systems.ts';

const source = 'Gross et al. (2008), Fundamentals of queueing theory; M/M/c';
/** A call that waits no longer is answered in time, in minutes. */
const IN_TIME = 2;

/** Calls of so many minutes from an empty start, with exponential times: the mean wait, the share answered in time, and the load (%). */
function answer(minutes: number, [agents, calls, duration]: readonly number[], { exponential }: Chance) {
  const free = new Array<number>(agents!).fill(0);
  let [time, count, waited, inTime, busy] = [0, 0, 0, 0, 0];
  while ((time += exponential(60 / calls!)) < minutes) {
    let next = 0;
    for (let k = 1; k < free.length; k++) if (free[k]! < free[next]!) next = k;
    const taken = exponential(duration!);
    const begin = Math.max(time, free[next]!);
    if (begin - time < IN_TIME) inTime++;
    count++;
    waited += begin - time;
    busy += taken;
    free[next] = begin + taken;
  }
  const calledFor = Math.max(1, count);
  return { wait: waited / calledFor, inTime: (100 * inTime) / calledFor, load: (100 * busy) / (minutes * agents!) };
}

export const tightSystems: readonly RandomSystem[] = [
  define({
    name: 'punctual',
    source: `${source}, share of the calls of four hours that are answered in time`,
    variables: [integer(1, 8), float(10, 60), float(2, 8)],
    objectives: [atLeast(80), atLeast(55)],
    start: [2, 40, 5],
    known: [8, 60, 5],
    draw: (x, chance) => {
      const { inTime, load } = answer(240, x, chance);
      return [inTime, load];
    },
  }),
  define({
    name: 'call-centre',
    source: `${source}, mean wait of eight hours`,
    variables: [integer(2, 16), float(2, 8), float(30, 120)],
    objectives: [atMost(2), atLeast(72)],
    start: [6, 5, 60],
    known: [10, 4, 120],
    draw: ([agents, minutes, calls], chance) => {
      const { wait, load } = answer(480, [agents!, calls!, minutes!], chance);
      return [wait, load];
    },
  }),
  define({
    ...practice,
    name: 'surgery',
    objectives: [atMost(4), atLeast(55)],
  }),
];
