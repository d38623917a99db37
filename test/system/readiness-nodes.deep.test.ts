import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { systemRoles } from "../../core/declare/permissions.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { send } from "../support/http.ts";
import { until } from "../support/jobs.ts";
import { requireNats, startNats } from "../support/nodes/nats.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { launchService, type Spawned } from "../support/process.ts";

/** Longer than the three seconds after which a silent node counts as away. */
const WATCHED = 6000;
const PROBES_EVERY = 100;
/** Less than the three seconds for which a call to a killed node has no answer; all but the bound of a probe is the machine's. */
const LONGEST = 2500;
const everything = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];

describe("the readiness of a gateway between nodes", function () {
  this.timeout(480_000);
  let database: TestDatabase;
  let sql: pg.Client;
  let nats: Spawned;
  let gateway: Spawned;
  let workers: Spawned[] = [];
  let key: string;

  const start = (...words: string[]) => launchService(nodeSettings(database, nats), ["--actors", ...words]);
  const probe = async () => {
    const began = performance.now();
    const { status } = await send(gateway.port as number, "GET", "/health/ready");
    return { status, took: performance.now() - began };
  };
  const serves = async () =>
    (await send(gateway.port as number, "GET", "/companies?limit=1", { host: "agency.kantoor.test", key })).status === 200;

  before(async function () {
    requireNats(this);
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    const { id } = await createOrganisation(sql, { slug: "agency", name: "An agency" });
    const { accountId } = await createMember(sql, id, { email: "owner@agency.test", fullName: "Owner", role: "owner" });
    ({ value: key } = await createKey(sql, id, "kt", { name: "a key", scopes: everything, accountId }));
    nats = await startNats();
    [gateway, ...workers] = (await Promise.all([start("api"), start("!api"), start("!api")])) as [Spawned, Spawned, Spawned];
    await until(serves, 240_000);
    await until(async () => (await probe()).status === 200, 240_000);
  });
  after(async () => {
    await Promise.all([gateway, ...workers].map((node) => node?.stop()));
    await nats?.stop();
    await sql?.end();
    await database?.drop();
  });

  it("is answered at once, and by the other worker, when one of two is killed", async () => {
    await workers[0]?.kill();
    const probes: ReturnType<typeof probe>[] = [];
    for (const end = Date.now() + WATCHED; Date.now() < end; await delay(PROBES_EVERY)) probes.push(probe());
    const answers = await Promise.all(probes);
    const longest = Math.round(Math.max(...answers.map(({ took }) => took)));
    const good = answers.filter(({ status }) => status === 200).length;
    process.stdout.write(`    ${good} of ${answers.length} probes said ready; the longest took ${longest} ms\n`);
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).to.deep.equal([]);
    expect(longest).to.be.lessThan(LONGEST);
    expect(good).to.be.greaterThan(answers.length * 0.9);
  });

  it("is 503 while NATS is away, and calls are served soon after its return", async () => {
    const { port } = nats;
    await nats.kill();
    await delay(8000);
    const away = await probe();
    expect([away.status, away.took < LONGEST]).to.deep.equal([503, true]);
    nats = await startNats(port);
    const began = performance.now();
    await until(serves);
    const took = Math.round(performance.now() - began);
    process.stdout.write(`    served ${took} ms after NATS was back\n`);
    // Reading what the workers report costs processor time, which this machine may lack.
    expect(took).to.be.lessThan(10_000);
    expect((await probe()).status).to.equal(200);
  });
});
