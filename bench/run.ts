/** What each bench measures, by the name of its file. */
const BENCHES = {
  requests: "single requests against a hand-written floor on the same PostgreSQL; runs without a name, too",
  beside: "Kantoor, a bare server and PostGraphile on the same tables; writes bench/RESULTS.md",
  assets: "the list of domains with everything resolved",
  money: "issuing, lists, the summary, previews and PDF files",
  events: "what notifications, a rule and two webhooks cost those who write",
  automation: "what rules cost a write",
  streams: "open streams of inboxes: memory, processor time and delay",
  mcp: "a call by a tool of MCP against the same call over HTTP",
  neighbours: "reads and writes of an organisation while another floods the service in six ways",
  "callback-flood": "reads while callbacks come to wrong addresses",
};

const [given] = process.argv.slice(2);
const name = given === undefined || given.startsWith("--") ? "requests" : given;
const isKnown = Object.hasOwn(BENCHES, name);
if (given === "--help" || !isKnown) {
  const lines = Object.entries(BENCHES).map(([bench, about]) => `  ${bench.padEnd(16)}${about}`);
  const head = "npm run bench -- [name] [options]; those with options list them with --help";
  process.stdout.write([...(isKnown ? [] : [`There is no bench '${name}'.`]), head, ...lines, ""].join("\n"));
  process.exit(isKnown ? 0 : 2);
}
// Each bench reads its options from here.
if (name === given) process.argv.splice(2, 1);
await import(`./${name}.ts`);
