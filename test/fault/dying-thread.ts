/** Runs in a thread of a pool and kills it, like an exhausted heap. */
export default function run(): never {
  process.exit(7);
}
