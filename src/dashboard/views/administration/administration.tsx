export default function Administration() {
  return <h1>Administration</h1>;
}
