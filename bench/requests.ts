import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { startEmbedded } from "../core/embedded/server.ts";
import { type Figures, Load, StatementCount } from "./measure.ts";
import { type Scenario, scenarios } from "./scenarios.ts";
import { type Side, startFloor, startSubject } from "./sides.ts";

const HELP = `npm run bench -- requests [options]
  --only list,get   scenarios: ${scenarios.map(({ name }) => name).join(", ")}
  --seconds 5       measured time of each burst
  --rounds 3        bursts of each side, alternating
  --floor <path>    another floor than the project's own
  --json            the figures as one line of JSON
  --profile <dir>   the service alone, with a CPU profile written there`;

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    floor: { type: "string" },
    json: { type: "boolean", default: false },
    profile: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const say = (line: string) => (options.json ? process.stderr : process.stdout).write(`${line}\n`);
const [seconds, rounds] = [Number(options.seconds), Number(options.rounds)];
const chosen = options.only?.split(",") ?? scenarios.map(({ name }) => name);
const unknown = chosen.filter((name) => !scenarios.some((scenario) => scenario.name === name));
if (options.help || unknown.length > 0 || !(seconds > 0) || !(rounds >= 1)) {
  process.stdout.write(`${unknown.length > 0 ? `There is no scenario '${unknown.join("', '")}'.\n` : ""}${HELP}\n`);
  process.exit(options.help ? 0 : 2);
}
const wanted = scenarios.filter(({ name }) => chosen.includes(name));
const BURST = { connections: 32, warmUpSeconds: 1, seconds };

interface Result {
  name: string;
  /** Requests per second and Node CPU per request, service to floor: the median of the rounds. */
  ratio: number;
  cpu_ratio: number;
  floor: Figures & { statements: number };
  service: Figures & { statements: number };
}

const median = (values: number[]): number => {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
};
const medians = (figures: Figures[]): Figures =>
  Object.fromEntries(
    Object.keys(figures[0] as Figures).map((name) => [name, median(figures.map((round) => round[name as keyof Figures]))]),
  ) as unknown as Figures;
const round = (value: number, digits = 0) => Number(value.toFixed(digits));

const COLUMNS = ["scenario", "side", "req/s", "p50 ms", "p99 ms", "Node µs", "PG µs", "load µs", "stmts", "ratio", "CPU ratio"];
const row = (cells: (string | number)[]) =>
  cells.map((cell, index) => (index < 2 ? String(cell).padEnd(16) : String(cell).padStart(10))).join("");
const line = (
  name: string,
  side: string,
  { rate, p50, p99, cpu, databaseCpu, loadCpu, statements }: Figures & { statements: number },
) => [name, side, round(rate), round(p50, 1), round(p99, 1), round(cpu), round(databaseCpu), round(loadCpu), statements];

function show({ name, ratio, cpu_ratio: cpuRatio, floor, service }: Result): void {
  say(row(line(name, "floor", floor)));
  say(row([...line("", "service", service), round(ratio, 2), round(cpuRatio, 2)]));
}

async function compare(scenario: Scenario, [floor, service]: [Side, Side], count: StatementCount, burst: Bench): Promise<Result> {
  const figures: { floor: Figures[]; service: Figures[] } = { floor: [], service: [] };
  for (let turn = 0; turn < rounds; turn++)
    for (const [name, side] of [
      ["floor", floor],
      ["service", service],
    ] as const)
      figures[name].push(await burst(side, scenario.requests(side)));
  const paired = (key: "rate" | "cpu") =>
    median(figures.service.map((figure, turn) => figure[key] / (figures.floor[turn] as Figures)[key]));
  return {
    name: scenario.name,
    ratio: round(paired("rate"), 3),
    cpu_ratio: round(paired("cpu"), 3),
    floor: { ...medians(figures.floor), statements: await count.of(floor, scenario) },
    service: { ...medians(figures.service), statements: await count.of(service, scenario) },
  };
}

type Bench = (side: Side, requests: string[]) => Promise<Figures>;
type Undo = () => unknown;

async function bench(undo: Undo[]): Promise<void> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-"));
  undo.push(() => rm(dataDir, { recursive: true, force: true }));
  const database = await startEmbedded({ dataDir });
  undo.push(() => database.stop({ force: true }));
  const load = new Load();
  undo.push(() => load.stop());
  const burst: Bench = (side, requests) => load.run(side, database, requests, BURST);
  if (options.profile) {
    const service = await startSubject(database, ["--cpu-prof", `--cpu-prof-dir=${path.resolve(options.profile)}`]);
    undo.push(() => service.stop());
    for (const scenario of wanted)
      say(row(line(scenario.name, "service", { ...(await burst(service, scenario.requests(service))), statements: 0 })));
    return;
  }
  const floor = await startFloor(database, options.floor && path.resolve(options.floor));
  undo.push(() => floor.stop());
  const service = await startSubject(database);
  undo.push(() => service.stop());
  const count = new StatementCount(database, dataDir, load);
  say(row(COLUMNS));
  const results: Result[] = [];
  for (const scenario of wanted) {
    const result = await compare(scenario, [floor, service], count, burst);
    results.push(result);
    show(result);
  }
  const plain = results.find(({ name }) => name === "list-large")?.service.p50;
  for (const { name, service: searched } of results)
    if (plain && name.startsWith("search-")) say(`${name}: p50 is ${round(searched.p50 / plain, 2)} × that of the plain list`);
  if (options.json) process.stdout.write(`${JSON.stringify({ results })}\n`);
}

const undo: Undo[] = [];
let over: Promise<void> | undefined;
const clear = () =>
  (over ??= (async () => {
    for (const step of undo.reverse()) await step();
  })());
const giveUp = async (why: string) => {
  process.stderr.write(`${why}\n`);
  await clear();
  process.exit(1);
};
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void giveUp(`Ended by ${signal}.`));
// Only a hang takes this long.
const longest = 240 + wanted.length * (rounds * 2 * (seconds + 5) + 10);
setTimeout(() => void giveUp(`Not done after ${longest} s.`), longest * 1000).unref();
try {
  await bench(undo);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  await clear();
}
