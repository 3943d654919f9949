export default function NewProblem() {
  return <h1>New problem</h1>;
}
