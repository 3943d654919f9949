export default function Overview() {
  return <h1>Objectives</h1>;
}
