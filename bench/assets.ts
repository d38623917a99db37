import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { systemRoles } from "../core/declare/permissions.ts";
import { startEmbedded } from "../core/embedded/server.ts";
import { migrate, roleOf } from "../migrations/run.ts";
import { createKey, createMember, createOrganisation } from "../operator/organisations.ts";
import { filledAtOnce } from "../test/support/fixture/fixture-filled.ts";
import { launchService } from "../test/support/process.ts";
import { listAgainstFloor } from "./against-floor.ts";
import { AMOUNTS, FILL, KEPT } from "./assets-fill.ts";
import { measuredService } from "./environment.ts";
import { Load } from "./measure.ts";

const HELP = `npm run bench -- assets [options]: the list of ${AMOUNTS.domains} domains over HTTP, everything resolved, beside the floor's list of companies
  --bursts 3      bursts of lists of each side, alternating
  --seconds 4     each of them`;
const { values: options } = parseArgs({
  options: {
    bursts: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
const [bursts, seconds] = [Number(options.bursts), Number(options.seconds)];
/** Minimum rate of the list, as a multiple of the floor's. */
const BAR = 0.7;
const CALLERS = 16;
const LIST = "/domains?count=false&limit=50";

/** Prints one line with the machine's load, and whether it met the bar. */
function tell(line: string, met = true): void {
  process.stdout.write(`${line}${met ? "" : "; MISSED"} (load ${(loadavg()[0] as number).toFixed(1)})\n`);
  if (!met) process.exitCode = 1;
}

const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-"));
const server = await startEmbedded({ dataDir, durable: false });
await migrate(server.url("owner"), roleOf(server.url("application")));
const superuser = new pg.Client({ connectionString: server.url("superuser") });
await superuser.connect();
const organisation = await createOrganisation(superuser, { slug: "bench", name: "Bench" });
const { accountId } = await createMember(superuser, organisation.id, { email: "owner@bench.test", role: "owner" });
const scopes = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
const key = await createKey(superuser, organisation.id, "kt", { name: "Bench", scopes: [...scopes], accountId });
const service = await launchService({
  ...measuredService(server.url("application"), server.url("owner")),
  SERVICE_COUNT_STATEMENTS: "true",
});
const headers = { Host: "bench.bench.test", "X-API-Key": key.value };
const load = new Load();

/** One response of the service: its JSON text and its number of statements. */
const ask = (target: string): Promise<{ text: string; statements: number }> =>
  new Promise((resolve, reject) => {
    const about = { port: service.port, host: "127.0.0.1", path: `/api/v1${target}`, headers, agent: false };
    http
      .get(about, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () => {
          const text = Buffer.concat(parts).toString();
          if (response.statusCode === 200) resolve({ text, statements: Number(response.headers["x-statements"]) });
          else reject(new Error(`${target}: ${response.statusCode} ${text.slice(0, 500)}`));
        });
      })
      .on("error", reject);
  });

/** Columns that are empty in every domain of a page; they would make the comparison too easy. */
function emptyColumns(items: Record<string, unknown>[]): string[] {
  const isEmpty = (value: unknown) => value === null || value === "" || (Array.isArray(value) && value.length === 0);
  return Object.keys(items[0] ?? {}).filter((name) => items.every((item) => isEmpty(item[name])));
}

async function countStatements(): Promise<void> {
  // The first call fills the caches of key and organisation.
  await ask(LIST);
  const counted: number[] = [];
  for (const limit of [1, 50, 200]) counted.push((await ask(`/domains?count=false&limit=${limit}`)).statements);
  const found = [...new Set(counted)];
  tell(`GET /domains, 1, 50 and 200 of ${AMOUNTS.domains}: ${found.join(", ")} statements`, found.length === 1);
}

async function compareList(): Promise<void> {
  const { ratio, told } = await listAgainstFloor({
    server,
    service,
    load,
    headers,
    list: LIST,
    callers: CALLERS,
    bursts,
    seconds,
  });
  const { text } = await ask(LIST);
  const empty = emptyColumns(JSON.parse(text).items);
  tell(
    `GET ${LIST} (${Math.round(text.length / 1024)} kB${empty.length > 0 ? `, NOTHING IN ${empty.join()}` : ""}): ${told}: ${ratio.toFixed(2)} × (bar ${BAR})`,
    ratio >= BAR,
  );
}

try {
  await filledAtOnce(superuser, async () => {
    for (const text of FILL) await superuser.query(text, [organisation.id, accountId]);
  });
  await superuser.query(KEPT, [organisation.id]);
  await superuser.query("vacuum full analyze domains");
  await superuser.query("vacuum analyze");
  await countStatements();
  await compareList();
} finally {
  load.stop();
  await superuser.end();
  await service.stop();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}
