/** Runs in a thread of a pool and ends it, as an exhausted heap would. */
export default function run(): never {
  process.exit(7);
}
