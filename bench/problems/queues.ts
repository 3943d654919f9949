/**
 * Queues whose mean wait is positive and skewed: few runs come out far above the others, and most below the mean. The wait has an
 * upper limit and the load a lower one, so that inputs that hold are near those that do not. The first two were used to choose
 * constants, the last two to report.
 */
import { atLeast, atMost, float, integer } from './problem.ts';
import { type Chance, define, type RandomSystem } from './random-systems.ts';

interface Queue {
  readonly servers: number;
  /** Customers per hour. */
  readonly arrivals: number;
  readonly customers: number;
  /** A service time, in minutes. */
  readonly service: () => number;
}

/** First come, first served, from an empty start: the mean wait (min), the share of time that servers work, and served per hour. */
export function serve({ servers, arrivals, customers, service }: Queue, { exponential }: Chance) {
  const free = new Array<number>(servers).fill(0);
  let [time, waited, busy, end] = [0, 0, 0, 0];
  for (let k = 0; k < customers; k++) {
    time += exponential(60 / arrivals);
    let first = 0;
    for (let s = 1; s < servers; s++) if (free[s]! < free[first]!) first = s;
    const begin = Math.max(time, free[first]!);
    const duration = service();
    waited += begin - time;
    busy += duration;
    free[first] = begin + duration;
    end = Math.max(end, free[first]!);
  }
  return { wait: waited / customers, load: (100 * busy) / (servers * end), perHour: (60 * customers) / end };
}

/** Service times with a mean and a coefficient of variation. */
const lognormal = (mean: number, variation: number, { normal }: Chance) => {
  const variance = Math.log(1 + variation ** 2);
  return () => mean * Math.exp(Math.sqrt(variance) * normal() - variance / 2);
};

const source = 'Gross, Shortle, Thompson, Harris (2008), Fundamentals of queueing theory';

export const tuningQueues: readonly RandomSystem[] = [
  define({
    name: 'kiosk',
    source: `${source}; one server, 150 customers, exponential times`,
    variables: [float(3, 20), float(2, 10)],
    objectives: [atMost(10), atLeast(75)],
    start: [10, 5],
    known: [19, 2.5],
    draw: ([arrivals, minutes], chance) => {
      const service = () => chance.exponential(minutes!);
      const { wait, load } = serve({ servers: 1, arrivals: arrivals!, customers: 150, service }, chance);
      return [wait, load];
    },
  }),
  define({
    name: 'repair-shop',
    source: `${source}; some servers, 250 customers, lognormal times that vary by twice their mean`,
    variables: [integer(1, 6), float(2, 20), float(5, 40)],
    objectives: [atMost(20), atLeast(70), atLeast(6)],
    start: [2, 6, 15],
    known: [6, 20, 16],
    draw: ([servers, arrivals, minutes], chance) => {
      const service = lognormal(minutes!, 2, chance);
      const { wait, load, perHour } = serve(
        { servers: servers!, arrivals: arrivals!, customers: 250, service },
        chance,
      );
      return [wait, load, perHour];
    },
  }),
];

export const queues: readonly RandomSystem[] = [
  define({
    name: 'counter',
    source: `${source}; some servers, 200 customers, exponential times`,
    variables: [integer(1, 4), float(4, 30), float(4, 15)],
    objectives: [atMost(15), atLeast(85)],
    start: [2, 20, 5],
    known: [4, 30, 7.6],
    draw: ([servers, arrivals, minutes], chance) => {
      const service = () => chance.exponential(minutes!);
      const { wait, load } = serve({ servers: servers!, arrivals: arrivals!, customers: 200, service }, chance);
      return [wait, load];
    },
  }),
  define({
    name: 'workshop',
    source: `${source}; some servers, 200 customers, lognormal times that vary by 1.5 times their mean`,
    variables: [integer(1, 4), float(4, 30), float(4, 15)],
    objectives: [atMost(12), atLeast(72)],
    start: [2, 10, 8],
    known: [2, 24.3, 4.07],
    draw: ([servers, arrivals, minutes], chance) => {
      const service = lognormal(minutes!, 1.5, chance);
      const { wait, load } = serve({ servers: servers!, arrivals: arrivals!, customers: 200, service }, chance);
      return [wait, load];
    },
  }),
];
