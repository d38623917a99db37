import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { systemRoles } from "../core/declare/permissions.ts";
import { startEmbedded } from "../core/embedded/server.ts";
import { migrate, roleOf } from "../migrations/run.ts";
import { createKey, createMember, createOrganisation } from "../operator/organisations.ts";
import { send } from "../test/support/http.ts";
import { launchService } from "../test/support/process.ts";
import { measuredService } from "./sides.ts";

const RULES = 20;
/** Maximum duration of a write that triggers rules, as a multiple of the same write without rules. */
const MOST = 1.3;
/** Writes in a row; they end before the first run they trigger starts. */
const BURST = 40;
const HELP = `npm run bench -- automation [options]: tasks created one after another in organisations without rules, with ${RULES} of which none matches, and with ${RULES} that all match
  --rounds 30    bursts of ${BURST} in each organisation, in turn; what they set off runs between them`;
const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "30" }, help: { type: "boolean", default: false } },
});
if (options.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}

const WAITING = `select (select count(*) from automation_runs where status in ('pending', 'running'))::int
  + (select count(*) from automation_matches)::int as waiting`;
const SIDES = ["none", "unmatched", "matched"] as const;

const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-"));
const server = await startEmbedded({ dataDir });
await migrate(server.url("owner"), roleOf(server.url("application")));
const sql = new pg.Client({ connectionString: server.url("owner") });
await sql.connect();
const service = await launchService({
  ...measuredService(server.url("application"), server.url("owner")),
  SERVICE_COUNT_STATEMENTS: "true",
});

/** Creates an organisation and returns how to call it. */
async function organisation(slug: string) {
  const { id } = await createOrganisation(sql, { slug, name: slug });
  const { accountId } = await createMember(sql, id, { email: `owner@${slug}.test`, role: "owner" });
  const scopes = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
  const { value: key } = await createKey(sql, id, "kt", { name: "Bench", scopes: [...scopes], accountId });
  return async (target: string, body: object) => {
    const answer = await send(service.port as number, "POST", target, { host: `${slug}.bench.test`, key, body });
    if (answer.status !== 201) throw new Error(`${target}: ${answer.status} ${answer.text}`);
    return answer;
  };
}
const ruleFor = (side: string) => ({
  trigger_event: "task.created",
  conditions: { field: "title", op: "contains", value: side === "matched" ? "task" : "invoice" },
  actions: [{ action_type: "task.set_status", config: { status: "open" } }],
});

const posts = new Map<string, Awaited<ReturnType<typeof organisation>>>();
for (const side of SIDES) {
  const post = await organisation(side);
  if (side !== "none") for (let n = 0; n < RULES; n++) await post("/automation/rules", { name: `Rule ${n}`, ...ruleFor(side) });
  posts.set(side, post);
}

const took = new Map<string, number[]>(SIDES.map((side) => [side, []]));
const statements = new Map<string, number>();
// The first round is a warm-up and does not count.
for (let round = -1; round < Number(options.rounds); round++)
  for (const [side, post] of posts) {
    for (let n = 0; n < BURST; n++) {
      const began = performance.now();
      const answer = await post("/tasks", { title: `A task ${round} ${n}` });
      if (round >= 0) took.get(side)?.push(performance.now() - began);
      statements.set(side, answer.statements);
    }
    while ((await sql.query(WAITING)).rows[0].waiting > 0) await delay(100);
  }

const shareOf = (times: readonly number[], share: number): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length * share)] as number;
const at = (side: string, share: number): number => shareOf(took.get(side) ?? [], share);
/** The p50 of each round. */
const byRound = (side: string): number[] => {
  const times = took.get(side) ?? [];
  return Array.from({ length: times.length / BURST }, (_, round) =>
    shareOf(times.slice(round * BURST, (round + 1) * BURST), 0.5),
  );
};
for (const side of SIDES) {
  const times = `${(at(side, 0.5) / at("none", 0.5)).toFixed(2)} ×`;
  process.stdout.write(
    `${side.padEnd(10)} p50 ${at(side, 0.5).toFixed(1)} ms (${times}), p90 ${at(side, 0.9).toFixed(1)} ms, ${statements.get(side)} statements\n`,
  );
}
for (const side of SIDES)
  process.stdout.write(
    `${side.padEnd(10)} p50 by round ${byRound(side)
      .map((time) => time.toFixed(1))
      .join("  ")}\n`,
  );
const isWithin = at("matched", 0.5) <= MOST * at("none", 0.5);
process.stdout.write(isWithin ? `within ${MOST} ×\n` : `more than ${MOST} ×\n`);

await service.stop();
await sql.end();
await server.stop();
await rm(dataDir, { recursive: true, force: true });
process.exitCode = isWithin ? 0 : 1;
