/** What each bench measures, by the name of its file. */
const BENCHES = {
  requests: "single requests against a hand-written floor on the same PostgreSQL; runs without a name, too",
  work: "projects, tasks and hours against routes written by hand",
  assets: "the list of domains with everything resolved",
  money: "issuing, lists, the summary, previews and PDF files",
  leave: "a whole team's leave against a plain read of the same rows",
  bulk: "changes and deletions of many tasks in one call",
  jobs: "jobs against bare Agenda: how many a second, how soon, and what idle ones cost",
  events: "what notifications, a rule and two webhooks cost those who write",
  automation: "what rules cost a write",
  notifications: "what it costs to notify people",
  streams: "open streams of inboxes: memory, processor time and delay",
  mcp: "a call by a tool of MCP against the same call over HTTP",
  "sign-in": "reads while twenty people a second sign in",
  oauth: "a call with an OAuth token against the same call with an API key",
  "callback-flood": "reads while callbacks come to wrong addresses",
  "template-flood": "reads while invoice templates are drawn",
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
