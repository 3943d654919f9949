/**
 * Runs one attack in its own process (arguments: name, host, port, key, seconds). Prints a line when it
 * begins and its answers as one line of JSON.
 */
import { setPriority } from 'node:os';
import { ATTACKS } from './attacks.ts';

const [name = '', host = '', port = '', key = '', seconds = ''] = process.argv.slice(2);
// A real attacker would not use this machine's processor.
setPriority(19);
const answers = await ATTACKS[name]!({
  host,
  port: Number(port),
  key,
  begin: () => {
    console.log('begun');
    return performance.now() + Number(seconds) * 1000;
  },
});
console.log(JSON.stringify(Object.fromEntries(answers)));
process.exit();
