/** Runs one attack in its own process (arguments: name, host, port, key, seconds) and prints its answers as one JSON line. */
import { setPriority } from 'node:os';
import { ATTACKS } from './attacks.ts';

const [name = '', host = '', port = '', key = '', seconds = ''] = process.argv.slice(2);
// A real attacker would not use this machine's processor.
setPriority(19);
const answers = await ATTACKS[name]!({
  host,
  port: Number(port),
  key,
  deadline: performance.now() + Number(seconds) * 1000,
});
console.log(JSON.stringify(Object.fromEntries(answers)));
process.exit();
