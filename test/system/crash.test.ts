import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { type EmbeddedServer, startEmbedded } from "../../core/embedded/server.ts";
import { send } from "../support/http.ts";
import { keepEvents } from "../support/jobs.ts";
import { freePort } from "../support/ports.ts";
import { launchService, type Spawned } from "../support/process.ts";
import { rounds } from "../support/tier.ts";

const COMPANIES = Number(process.env["CRASH_COMPANIES"] ?? rounds(300, 2000));
const CONNECTIONS = 16;
/** The victim each time: the service alone, which leaves PostgreSQL running, or PostgreSQL with it. */
const KILLS = Array.from({ length: rounds(1, 2) }, () => ["service", "service and PostgreSQL"] as const).flat();

describe("kill -9", function () {
  this.timeout(240_000);
  let dataDir: string;
  let service: Spawned;
  let watched: EmbeddedServer | undefined;
  let sql: pg.Client | undefined;
  let port = 0;

  const start = async (isFirst = false) => {
    const settings = {
      SERVICE_DATA_DIR: dataDir,
      SERVICE_DEMO: "true",
      SERVICE_HTTP_PORT: String(port),
      SERVICE_HTTP_ADDRESS: "127.0.0.1",
      SERVICE_RATE_LIMIT_PER_KEY: "0",
      SERVICE_LOG_LEVEL: "warn",
    };
    // The first start prints the key after it reports ready.
    service = await launchService(settings, [], isFirst ? { ready: /ready on http:\/\/localhost:(\d+)[\s\S]*Try: / } : {});
    port = service.port as number;
  };
  /** The process of PostgreSQL, wherever its cluster had to be put. */
  const postmaster = (): number => {
    const said = (name: string) => readFileSync(path.join(dataDir, name), "utf8").trim();
    let cluster = path.join(dataDir, "postgres");
    try {
      cluster = said("postgres-location");
    } catch {
      // it is in the data directory
    }
    return Number(readFileSync(path.join(cluster, "postmaster.pid"), "utf8").split("\n")[0]);
  };

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-crash-"));
    port = await freePort();
    await start(true);
    const server = await startEmbedded({ dataDir });
    const client = new pg.Client({ connectionString: server.url("owner") });
    await client.connect();
    await keepEvents({ sql: client });
    await client.end();
  });

  after(async () => {
    await sql?.end();
    await service?.stop();
    await watched?.stop({ force: true });
    await rm(dataDir, { recursive: true, force: true });
  });

  it(`loses nothing that was answered, and doubles nothing, over ${KILLS.length} kills during ${COMPANIES} POSTs`, async () => {
    const { api_key: key } = JSON.parse(readFileSync(path.join(dataDir, "first-run.json"), "utf8"));
    /** Acknowledged writes: the id of each number that got its answer. */
    const journal = new Map<number, string>();
    const unexpected: string[] = [];
    let next = 0;
    let repeated = 0;

    /** Posts one company until it is answered, as a client does that may repeat a keyed request. */
    const post = async (number: number) => {
      for (;;) {
        const answer = await send(port, "POST", "/companies", {
          key,
          host: "localhost",
          headers: { "Idempotency-Key": `crash-${number}` },
          body: { name: `Crash ${number}` },
        }).catch(() => null);
        if (answer?.status === 201) {
          journal.set(number, answer.body.id);
          return;
        }
        if (answer && answer.status !== 503) unexpected.push(`${number}: ${answer.status} ${answer.text}`);
        if (unexpected.length > 20) throw new Error(unexpected.join("\n"));
        repeated += 1;
        await delay(100);
      }
    };
    const client = async () => {
      while (next < COMPANIES) await post(next++);
    };

    const restarts: number[] = [];
    const kill = async () => {
      for (const [index, victim] of KILLS.entries()) {
        const share = COMPANIES / KILLS.length;
        const moment = Math.floor(index * share + (0.2 + 0.6 * Math.random()) * share);
        while (journal.size < moment) await delay(1);
        await delay(Math.random() * 20);
        const database = postmaster();
        const killed = service.kill();
        if (victim !== "service") process.kill(database, "SIGKILL");
        await killed;
        await start();
        restarts.push(service.readyAfter);
      }
    };
    await Promise.all([kill(), ...Array.from({ length: CONNECTIONS }, client)]);
    process.stdout.write(`    ready again after ${restarts.join(", ")} ms; ${repeated} requests were repeated\n`);

    expect(unexpected).to.deep.equal([]);
    expect(restarts).to.have.length(KILLS.length);
    watched = await startEmbedded({ dataDir });
    expect(watched.started, "the service's own PostgreSQL was still there").to.equal(false);
    sql = new pg.Client({ connectionString: watched.url("owner") });
    await sql.connect();
    const { rows } = await sql.query("select id, name, client_number from companies where name like 'Crash %'");
    const stored = new Map(rows.map(({ id, name }) => [Number(name.slice("Crash ".length)), id]));
    expect(rows.length, "rows").to.equal(COMPANIES);
    expect(stored, "rows, each under the id that was answered").to.deep.equal(journal);
    expect(new Set(rows.map((row) => row.client_number)).size, "client numbers").to.equal(COMPANIES);
    for (const [what, text] of [
      [
        "trail",
        "select entity_id, count(*)::int n from activity where entity_type = 'company' and action = 'created' group by 1",
      ],
      ["outbox", "select entity_id, count(*)::int n from outbox where event = 'company.created' group by 1"],
    ] as const) {
      const counted = new Map((await sql.query(text)).rows.map(({ entity_id: id, n }) => [id, n]));
      const wrong = [...journal.values()].filter((id) => counted.get(id) !== 1);
      expect(wrong, `companies without exactly one ${what} row`).to.deep.equal([]);
      const lost = `select reported.entity_id from (${text}) reported where not exists (select from companies c where c.id = reported.entity_id)`;
      expect((await sql.query(lost)).rows, `${what} rows of companies that do not exist`).to.deep.equal([]);
    }
  });

  it("starts, answers and ends in order afterwards", async () => {
    const { api_key: key } = JSON.parse(readFileSync(path.join(dataDir, "first-run.json"), "utf8"));
    const { status, body } = await send(port, "GET", "/companies?limit=1", { key, host: "localhost" });
    expect(status).to.equal(200);
    expect(body.total).to.be.greaterThan(COMPANIES);
    expect(await service.stop()).to.equal(0);
  });
});
