import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { systemRoles } from "../core/declare/permissions.ts";
import { startEmbedded } from "../core/embedded/server.ts";
import { migrate, roleOf } from "../migrations/run.ts";
import { createKey, createMember, createOrganisation } from "../operator/organisations.ts";
import { send } from "../test/support/http.ts";
import { launchService } from "../test/support/process.ts";
import { measuredService } from "./environment.ts";

const ROWS = 200;
/** Maximum time of a call for 200 tasks on a quiet machine, in milliseconds. */
const MOST = 1500;
const HELP = `npm run bench -- bulk [options]: changes and deletions of ${ROWS} tasks in one call, on a database that syncs its commits
  --rounds 9     calls of each kind; their median counts`;
const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "9" }, help: { type: "boolean", default: false } },
});
if (options.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}

const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-"));
const server = await startEmbedded({ dataDir });
await migrate(server.url("owner"), roleOf(server.url("application")));
const owner = new pg.Client({ connectionString: server.url("owner") });
await owner.connect();
const organisation = await createOrganisation(owner, { slug: "bench", name: "Bench" });
const { accountId } = await createMember(owner, organisation.id, { email: "owner@bench.test", role: "owner" });
const scopes = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
const { value: key } = await createKey(owner, organisation.id, "kt", { name: "Bench", scopes: [...scopes], accountId });
const service = await launchService({
  ...measuredService(server.url("application"), server.url("owner")),
  SERVICE_COUNT_STATEMENTS: "true",
});

async function call(method: string, target: string, body?: object) {
  const answer = await send(service.port as number, method, target, { host: "bench.bench.test", key, body });
  if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.status} ${answer.text}`);
  return answer;
}
const company = (await call("POST", "/companies", { name: "Ant" })).body.id as string;
await call("POST", "/projects", { name: "Website", company_id: company });
await call("POST", "/tasks", { title: "The first, so that there are statuses" });

/** Creates as many tasks as one call accepts. */
async function newTasks(): Promise<string[]> {
  const { rows } = await owner.query<{ id: string }>(
    `insert into tasks (id, organisation_id, title, status, company_id, position)
     select uuidv7(), $1, 'Task ' || n, 'open', $2, n from generate_series(1, ${ROWS}) n returning id`,
    [organisation.id, company],
  );
  return rows.map(({ id }) => id);
}

const every = {
  status: "in_progress",
  priority: "high",
  assignee: "owner@bench.test",
  project: "Website",
  due_date: "2031-01-01",
};
const KINDS: [name: string, target: string, values: object | null][] = [
  ["one key", "/bulk/task/update", { priority: "low" }],
  ["five keys", "/bulk/task/update", every],
  ["delete", "/bulk/task/delete", null],
];
let isWithin = true;
for (const [name, target, values] of KINDS) {
  const took: number[] = [];
  let cost = 0;
  for (let round = 0; round < Number(options.rounds); round++) {
    const ids = await newTasks();
    const began = performance.now();
    const { body, statements } = await call("POST", target, { ids, ...(values && { values }) });
    took.push(performance.now() - began);
    if (body.succeeded !== ROWS) throw new Error(JSON.stringify(body));
    cost = statements;
  }
  const sorted = took.toSorted((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] as number;
  isWithin &&= median <= MOST;
  process.stdout.write(
    `${name.padEnd(10)} ${ROWS} tasks: p50 ${median.toFixed(0)} ms, worst ${(sorted.at(-1) as number).toFixed(0)} ms, ${cost} statements\n`,
  );
}
process.stdout.write(isWithin ? `each within ${MOST} ms\n` : `more than ${MOST} ms\n`);

await service.stop();
await owner.end();
await server.stop();
await rm(dataDir, { recursive: true, force: true });
process.exitCode = isWithin ? 0 : 1;
