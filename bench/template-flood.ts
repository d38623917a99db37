import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { systemRoles } from "../core/declare/permissions.ts";
import { startEmbedded } from "../core/embedded/server.ts";
import { createKey, createMember, createOrganisation } from "../operator/organisations.ts";
import { send } from "../test/support/http.ts";
import { launchService } from "../test/support/process.ts";
import { companyRows } from "./companies.ts";
import { measuredService } from "./environment.ts";
import { readsOf, shown } from "./reads.ts";

/**
 * Measures whether one organisation's template slows down another: the p99 of a neighbour's reads during concurrent previews of a template
 * with two nested loops, against the same reads just before, in several rounds.
 */
const [AUTHOR, NEIGHBOUR] = ["author", "neighbour"];
const LOOPS = "{% for a in (1..100000) %}{% for b in (1..100000) %}x{% endfor %}{% endfor %}";

/** Creates an organisation with 1,000 companies. Returns its host and an administrator's key. */
async function fill(database: pg.Client, slug: string): Promise<{ host: string; key: string }> {
  const { id } = await createOrganisation(database, { slug, name: slug });
  const { accountId } = await createMember(database, id, { email: `owner@${slug}.test`, fullName: "Owner", role: "owner" });
  const scopes = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
  const { value: key } = await createKey(database, id, "kt", { name: "bench", scopes, accountId });
  await database.query(
    `insert into companies (id, organisation_id, name, created_at) select uuidv7(), $1, c.name, c.created_at from (${companyRows("1000")}) c`,
    [id],
  );
  return { host: `${slug}.bench.test`, key };
}

async function bench(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      calls: { type: "string", default: "6" },
      seconds: { type: "string", default: "10" },
      rounds: { type: "string", default: "3" },
    },
  });
  const [calls, seconds, rounds] = [Number(options.calls), Number(options.seconds), Number(options.rounds)];
  const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-"));
  const database = await startEmbedded({ dataDir });
  const service = await launchService(measuredService(database.url("application"), database.url("owner")));
  const port = service.port as number;
  const say = (line: string) => process.stdout.write(`${line}\n`);
  try {
    const owner = new pg.Client({ connectionString: database.url("owner") });
    await owner.connect();
    const [author, neighbour] = [await fill(owner, AUTHOR), await fill(owner, NEIGHBOUR)];
    await owner.end();
    const statuses: Record<number, number> = {};
    const previews = async (until: number) => {
      while (performance.now() < until) {
        const body = { config: { design: "custom", html: LOOPS } };
        const { status } = await send(port, "POST", "/invoicing/templates/preview", { ...author, body });
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    };
    const reads = () => readsOf({ port, ...neighbour, seconds });
    await readsOf({ port, ...neighbour, seconds: 2 });
    for (let round = 1; round <= rounds; round++) {
      say(`quiet: ${shown(await reads())}`);
      const until = performance.now() + seconds * 1000;
      const [flooded] = await Promise.all([reads(), ...Array.from({ length: calls }, () => previews(until))]);
      say(`${calls} previews at once, answered ${JSON.stringify(statuses)} so far: ${shown(flooded)}`);
    }
  } finally {
    await service.stop();
    await database.stop({ force: true });
    await rm(dataDir, { recursive: true, force: true });
  }
}

await bench();
