/** One attack in a process of its own: arguments name, host, port, key, seconds; prints what it was answered as one JSON line. */
import { setPriority } from 'node:os';
import { ATTACKS } from './attacks.ts';

const [name = '', host = '', port = '', key = '', seconds = ''] = process.argv.slice(2);
// Its own processor time would come from another machine.
setPriority(19);
const answers = await ATTACKS[name]!({
  host,
  port: Number(port),
  key,
  deadline: performance.now() + Number(seconds) * 1000,
});
console.log(JSON.stringify(Object.fromEntries(answers)));
process.exit();
