import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, release, tmpdir, totalmem, type } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { type EmbeddedServer, startEmbedded } from "../core/embedded/server.ts";
import { type Question, questionsOf } from "./beside-requests.ts";
import { AMOUNTS, type Compared, type Name, ROLES, startKantoor, startOther } from "./beside-sides.ts";
import { type Figures, Load } from "./measure.ts";

const HELP = `npm run bench -- beside [options]: Kantoor, a bare server and PostGraphile 5 on the same tables, by turns; takes eleven minutes
  --postgraphile <dir>  an installation of PostGraphile; without it that part is left out
  --out <file>          the report, default bench/RESULTS.md
  --only <a,b>          requests whose name has one of these
  --seconds 4           measured time of each burst
  --rounds 3            bursts of each server, by turns
  --profile <dir>       Kantoor alone, with a CPU profile written there`;
const INSTALL = "PostGraphile is left out: `npm install --prefix DIR postgraphile@5`, then add `--postgraphile DIR`.";
const { values: options } = parseArgs({
  options: {
    postgraphile: { type: "string" },
    out: { type: "string", default: path.join(import.meta.dirname, "RESULTS.md") },
    only: { type: "string", default: "" },
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" },
    profile: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
const [seconds, rounds] = [Number(options.seconds), Number(options.rounds)];
const manifestOf = (folder: string) => JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as { version: string };
const peer = options.postgraphile && path.join(options.postgraphile, "node_modules/postgraphile");
if (peer && !existsSync(peer)) {
  process.stderr.write(
    `There is no PostGraphile in ${options.postgraphile}: npm install --prefix ${options.postgraphile} postgraphile@5\n`,
  );
  process.exit(2);
}
/** Least rate of Kantoor as a multiple of PostGraphile's. */
const PEER_AIM = 2;
const BURST = { connections: 32, warmUpSeconds: 1, seconds };
/** Requests one after another whose statements PostgreSQL counts. */
const COUNTED = 200;
const SETTINGS = {
  shared_preload_libraries: "pg_stat_statements",
  "pg_stat_statements.track": "none",
  "pg_stat_statements.track_planning": "on",
};

/** Statements, milliseconds and buffers of PostgreSQL per request, and the bytes of an answer. */
interface Cost {
  statements: number;
  milliseconds: number;
  buffers: number;
  bytes: number;
}
type Result = Figures & Cost;

const say = (line: string) => process.stdout.write(`${line}\n`);
const median = (values: number[]) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Sends one request and checks its answer. Returns its bytes. @throws Error for an answer of another size, or an error */
async function answered(load: Load, side: Compared, request: string, { name, rows }: Question): Promise<number> {
  const { status, text } = await load.once(side, request);
  const isList = rows === null || JSON.stringify(JSON.parse(text)).split(/"(?:row_?id|id)":/i).length > rows;
  if (status >= 300 || text.includes('"errors":') || !isList)
    throw new Error(`${side.name}, ${name}: ${status} ${text.slice(0, 1000)}\n${side.output().slice(-2000)}`);
  return Buffer.byteLength(text);
}

/** What PostgreSQL does for a request, by pg_stat_statements: planning and running, of the server's own role. */
async function costOf(load: Load, side: Compared, question: Question, superuser: pg.Client): Promise<Cost> {
  const requests = question.requests(side);
  const tracking = async (what: "top" | "none") => {
    await superuser.query(`alter system set pg_stat_statements.track = '${what}'`);
    await superuser.query("select pg_reload_conf()");
    await pause(300);
  };
  const send = (n: number) => answered(load, side, requests[n % requests.length] as string, question);
  for (let n = 0; n < 20; n++) await send(n);
  await tracking("top");
  await superuser.query("select pg_stat_statements_reset()");
  let bytes = 0;
  for (let n = 0; n < COUNTED; n++) bytes += await send(n);
  await tracking("none");
  const { rows } = await superuser.query<Record<string, number>>(
    `select sum(calls)::float8 as statements, sum(total_exec_time + total_plan_time)::float8 as milliseconds,
       sum(shared_blks_hit + shared_blks_read)::float8 as buffers
       from pg_stat_statements s join pg_roles r on r.oid = s.userid where r.rolname = $1`,
    [ROLES[side.name]],
  );
  const each = (name: string) => (rows[0]?.[name] ?? 0) / COUNTED;
  return { statements: each("statements"), milliseconds: each("milliseconds"), buffers: each("buffers"), bytes: bytes / COUNTED };
}

async function compare(
  load: Load,
  sides: readonly Compared[],
  question: Question,
  server: EmbeddedServer,
  superuser: pg.Client,
): Promise<Map<Name, Result>> {
  const found = new Map<Name, Figures[]>(sides.map(({ name }) => [name, []]));
  for (let turn = 0; turn < rounds; turn++)
    for (const side of sides) found.get(side.name)?.push(await load.run(side, server, question.requests(side), BURST));
  const results = new Map<Name, Result>();
  for (const side of sides) {
    const figures = found.get(side.name) as Figures[];
    const middle = (name: keyof Figures) => median(figures.map((one) => one[name]));
    const rates = Object.fromEntries(Object.keys(figures[0] as Figures).map((name) => [name, middle(name as keyof Figures)]));
    results.set(side.name, { ...(rates as unknown as Figures), ...(await costOf(load, side, question, superuser)) });
  }
  return results;
}

const cells = (values: readonly (string | number)[]) => `| ${values.join(" | ")} |`;
const table = (head: string[], rows: (string | number)[][]) =>
  [cells(head), cells(head.map((_, index) => (index === 0 ? "---" : "---:"))), ...rows.map(cells)].join("\n");

/** The report as Markdown. */
function report(results: Map<Question, Map<Name, Result>>, names: readonly Name[], about: string[]): string {
  const ratio = (of: Map<Name, Result>, other: Name, aim: number | null) => {
    const value = (of.get("Kantoor") as Result).rate / (of.get(other) as Result).rate;
    return `${value.toFixed(2)} ×${aim === null ? "" : value >= aim ? ` (aim ${aim})` : ` (aim ${aim}, missed)`}`;
  };
  const others = names.filter((name) => name !== "Kantoor");
  const rates = [...results].map(([{ name, aim }, of]) => [
    name,
    ...names.map((side) => Math.round((of.get(side) as Result).rate)),
    ...others.map((other) => ratio(of, other, other === "floor" ? aim : PEER_AIM)),
  ]);
  const costs = [...results].flatMap(([{ name }, of]) =>
    names.map((side, index) => {
      const { p50, p99, cpu, databaseCpu, statements, milliseconds, buffers, bytes } = of.get(side) as Result;
      return [
        index === 0 ? name : "",
        side,
        ...[p50.toFixed(1), p99.toFixed(1), cpu.toFixed(0), databaseCpu.toFixed(0)],
        ...[statements.toFixed(1), milliseconds.toFixed(2), buffers.toFixed(0), bytes.toFixed(0)],
      ];
    }),
  );
  return `${[
    "# Kantoor, a bare server and PostGraphile",
    about.join("\n"),
    "## Requests a second",
    table(["request", ...names, ...others.map((other) => `Kantoor : ${other}`)], rates),
    "## Cost of a request",
    table(["request", "server", "p50 ms", "p99 ms", "Node µs", "PG µs", "statements", "PG ms", "buffers", "bytes"], costs),
    `p50, p99, Node µs and PG µs (processor time of the server's process and of PostgreSQL) are of the bursts, medians. Statements, PG ms (planning and running) and buffers are of ${COUNTED} requests one after another, by pg_stat_statements. A write of Kantoor also stores its trail and its event, and the event's work is in its figures; the other two only write the row. The floor is node:http and pg by hand (\`bench/beside-floor.ts\`), PostGraphile its preset Amber with the role's tables.`,
  ].join("\n\n")}\n`;
}

/** The machine, the versions, and how it was measured. */
function circumstances(loadBefore: number[], postgres: string): string[] {
  const root = path.join(import.meta.dirname, "..");
  let commit = "";
  try {
    commit = ` (${execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim()})`;
  } catch {
    // A copy without its history.
  }
  const version = peer ? `PostGraphile ${manifestOf(peer).version}` : INSTALL;
  return [
    `Written by \`npm run bench -- beside${peer ? " --postgraphile DIR" : ""}\` on ${new Date().toISOString().slice(0, 10)}.`,
    "",
    `- ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()} ${release()}; load before the run: ${loadBefore.map((one) => one.toFixed(2)).join(", ")}`,
    `- Kantoor ${manifestOf(root).version}${commit}, Node ${process.versions.node}, PostgreSQL ${postgres}, ${version}`,
    `- one organisation with ${AMOUNTS.companies} clients and ${AMOUNTS.tasks} tasks; all servers read and write its rows in one database, each commit waits for the disk`,
    `- each figure is the median of ${rounds} bursts of ${seconds} s after ${BURST.warmUpSeconds} s of warm-up, on ${BURST.connections} connections, the servers by turns`,
  ];
}

const undo: (() => unknown)[] = [];
async function bench(): Promise<void> {
  const loadBefore = loadavg();
  const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-"));
  undo.push(() => rm(dataDir, { recursive: true, force: true }));
  const server = await startEmbedded({ dataDir, settings: SETTINGS });
  undo.push(() => server.stop({ force: true }));
  const flags = options.profile ? ["--cpu-prof", `--cpu-prof-dir=${path.resolve(options.profile)}`] : [];
  const [kantoor, agency] = await startKantoor(server, flags);
  undo.push(() => kantoor.stop());
  const load = new Load();
  undo.push(() => load.stop());
  const questions = questionsOf(agency).filter(({ name }) => options.only.split(",").some((one) => name.includes(one)));
  if (options.profile) {
    for (const question of questions) {
      const { rate, cpu, databaseCpu } = await load.run(kantoor, server, question.requests(kantoor), BURST);
      say(
        `${question.name}: ${rate.toFixed(0)} a second, ${cpu.toFixed(0)} µs of Node and ${databaseCpu.toFixed(0)} of PostgreSQL each`,
      );
    }
    return;
  }
  const sides = [kantoor, await startOther(server, agency)];
  if (options.postgraphile) sides.push(await startOther(server, agency, path.resolve(options.postgraphile)));
  else say(INSTALL);
  for (const side of sides.slice(1)) undo.push(() => side.stop());
  const superuser = new pg.Client({ connectionString: server.url("superuser") });
  await superuser.connect();
  undo.push(() => superuser.end());
  const { rows } = await superuser.query<{ server_version: string }>("show server_version");
  // What a server refuses stops the bench before it measures for minutes.
  for (const question of questions)
    for (const side of sides) await answered(load, side, question.requests(side)[0] as string, question);
  const names = sides.map(({ name }) => name);
  const about = circumstances(loadBefore, rows[0]?.server_version ?? "");
  const results = new Map<Question, Map<Name, Result>>();
  for (const question of questions) {
    const found = await compare(load, sides, question, server, superuser);
    results.set(question, found);
    say(`${question.name}: ${[...found].map(([name, { rate }]) => `${name} ${rate.toFixed(0)}`).join(", ")} a second`);
    await writeFile(options.out, report(results, names, about));
  }
  say(`The report is in ${options.out}.`);
}

let over: Promise<void> | undefined;
const clear = () =>
  (over ??= (async () => {
    for (const step of undo.toReversed()) await step();
  })());
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void clear().finally(() => process.exit(1)));
try {
  await bench();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  await clear();
}
