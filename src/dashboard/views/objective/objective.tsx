export default function ObjectiveView() {
  return <h1>Objective</h1>;
}
