import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { systemRoles } from "../../core/declare/permissions.ts";
import type { Organisation } from "../../core/declare/principal.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import { EdgeSimulator } from "../simulators/edge.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { type Answer, send } from "../support/http.ts";
import { holdTimesOfDay, until } from "../support/jobs.ts";
import { heapOf, launchService, MEASURABLE, type Spawned } from "../support/process.ts";
import { abreast } from "../support/waiting.ts";

/** How often a node is killed between the provider's yes and our commit; twenty times before a release. */
const ROUNDS = Number(process.env["EDGE_CRASH_ROUNDS"] ?? 2);
const HOST = "agency.kantoor.test";
const everything = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
/** KiB by which four passes over 1,500 zones may enlarge the heap. */
const GROWTH = 4 * 1024;

describe("nodes at the edge provider", function () {
  this.timeout(600_000);
  const provider = new EdgeSimulator();
  const nodes: Spawned[] = [];
  let database: TestDatabase;
  let sql: pg.Client;
  let organisation: Organisation;
  let companyId: string;
  let accountId: string;
  let edgeAccountId: string;
  let key: string;

  const launch = () =>
    launchService(
      {
        SERVICE_DATABASE_URL: database.application,
        SERVICE_SECRET: "a secret for tests that nobody else has, 0123456789",
        SERVICE_HTTP_PORT: "0",
        SERVICE_HTTP_ADDRESS: "127.0.0.1",
        SERVICE_PUBLIC_SCHEME: "http",
        SERVICE_BASE_DOMAIN: "kantoor.test",
        SERVICE_RATE_LIMIT_PER_KEY: "0",
        SERVICE_JOBS_POLL_MS: "500",
        SERVICE_LOG_LEVEL: process.env["TEST_LOG"] ?? "error",
        SERVICE_ACCOUNT_SYNC_HOURS: "0",
        SERVICE_EDGE_API_URL: provider.root,
      },
      [],
      { flags: MEASURABLE },
    );
  const call = (node: Spawned, method: string, target: string, body?: object): Promise<Answer> =>
    send(node.port as number, method, target, { host: HOST, key, body });
  const sync = (node: Spawned) => call(node, "POST", `/edge/accounts/${accountId}/sync`);
  const domain = async (name: string): Promise<string> =>
    (
      await sql.query(
        `insert into domains (id, organisation_id, company_id, name, label, start_date)
         values (gen_random_uuid(), $1, $2, $3, $3, '2026-01-01') returning id`,
        [organisation.id, companyId, name],
      )
    ).rows[0].id;

  before(async () => {
    await provider.start();
    edgeAccountId = provider.state.account("Agency").id;
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    await holdTimesOfDay(sql);
    organisation = await createOrganisation(sql, { slug: "agency", name: "Agency" });
    const { accountId: person } = await createMember(sql, organisation.id, { email: "a@agency.test", role: "owner" });
    key = (await createKey(sql, organisation.id, "kt", { name: "a key", scopes: everything, accountId: person })).value;
    nodes.push(await launch());
    const [node] = nodes as [Spawned];
    companyId = (await call(node, "POST", "/companies", { name: "Client" })).body.id;
    const body = { name: "Main", api_token: "tok-0123456789abcdef0123", edge_account_id: edgeAccountId };
    accountId = (await call(node, "POST", "/edge/accounts", body)).body.id;
  });
  afterEach(() => expect(provider.complaints).to.deep.equal([]));
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await sql?.end();
    await database?.drop();
    await provider.stop();
  });

  it(`ends in the state asked for, and in nothing twice, over ${ROUNDS} kills between the provider's yes and our commit`, async () => {
    const { state } = provider;
    for (let round = 0; round < ROUNDS; round++) {
      const names = { zone: `z${round}.example`, record: `r${round}.example`, site: `s${round}.example` };
      const project = state.project(edgeAccountId, `p${round}`, []);
      for (const name of [names.record, names.site]) {
        state.zone(edgeAccountId, name);
        await domain(name);
      }
      const node = nodes[0] as Spawned;
      expect((await sync(node)).body.ok).to.equal(true);
      const idOf = async (table: string, name: string): Promise<string> =>
        (await sql.query(`select id from ${table} where name = $1`, [name])).rows[0].id;
      const toConnect = await domain(names.zone);
      const zoneId = await idOf("edge_zones", names.record);
      const toServe = await idOf("domains", names.site);
      const projectId = await idOf("edge_projects", project.name);
      const record = { type: "A", name: `www.${names.record}`, content: "192.0.2.1" };
      const acts = (on: Spawned) =>
        [
          call(on, "POST", `/edge/domains/${toConnect}/connect`, {}),
          call(on, "POST", `/edge/zones/${zoneId}/dns`, record),
          call(on, "POST", `/edge/domains/${toServe}/pages`, { project_id: projectId }),
        ].map((answer) => answer.catch(() => null));

      // The provider does the request and delays its answer; in every other round it answers, and we are killed a moment later.
      let release = () => {};
      const held = new Promise<void>((resolve) => (release = resolve));
      const end = provider.failWhen(({ method }) => method === "POST", { kind: "wait", until: held });
      provider.received.length = 0;
      const lost = acts(node);
      await until(() => provider.received.filter(({ method }) => method === "POST").length === 3);
      end();
      if (round % 2 === 1) {
        release();
        await delay(Math.random() * 15);
      }
      await node.kill();
      release();
      await Promise.all(lost);
      nodes[0] = await launch();

      const [connected, recorded, served] = await Promise.all(acts(nodes[0]));
      expect([connected?.status, connected?.body.name], "connect").to.deep.equal([200, names.zone]);
      expect([recorded?.status, recorded?.body.error.code], "record").to.deep.equal([409, "edge_record_exists"]);
      expect([served?.status, served?.body.last_error], "site").to.deep.equal([201, null]);
      const count = async (text: string, value: string) => (await sql.query(text, [value])).rows[0].n;
      expect(state.zones.filter(({ name }) => name === names.zone)).to.have.length(1);
      expect(state.records.filter(({ name }) => name === record.name)).to.have.length(1);
      expect(state.records.filter(({ name }) => name === names.site)).to.have.length(1);
      expect([...project.hostnames.keys()]).to.deep.equal([names.site]);
      expect(
        await count("select count(*)::int as n from edge_zones where name = $1 and domain_id is not null", names.zone),
      ).to.equal(1);
      expect(await count("select count(*)::int as n from edge_page_links where hostname = $1", names.site)).to.equal(1);
    }
  });

  it("runs one of two syncs requested on two nodes, and answers both", async () => {
    nodes[1] ??= await launch();
    const [one, two] = nodes as [Spawned, Spawned];
    for (const node of [one, two]) expect((await call(node, "GET", "/edge/accounts")).status).to.equal(200);
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const end = provider.failWhen(({ path }) => path.endsWith("/zones"), { kind: "wait", until: held });
    provider.received.length = 0;
    const account: [string, unknown[]] = ["select 1 from edge_accounts where id = $1 for update", [accountId]];
    const asked = await abreast(database.owner, account, [() => sync(one), () => sync(two)]);
    await until(() => provider.received.length > 0);
    release();
    end();
    const [first, second] = await Promise.all(asked);
    expect([first?.status, first?.body.ok]).to.deep.equal([200, true]);
    expect(second?.body).to.deep.equal(first?.body);
    const pages = provider.calls().filter((called) => called.startsWith("GET /zones?"));
    expect(pages.filter((called) => called.includes("&page=1&"))).to.have.length(1);
    expect(pages, "each page once").to.have.length(new Set(pages).size);
  });

  it("ends a sync whose node has died, on another one, and answers who waits there", async () => {
    const [one, two] = nodes as [Spawned, Spawned];
    const { rows } = await sql.query("select sync_ended from edge_accounts where id = $1", [accountId]);
    const standing = provider.failWhen(({ path }) => path.endsWith("/zones"), { kind: "hang" });
    provider.received.length = 0;
    const asked = [sync(one), sync(two)].map((answer) => answer.catch(() => null));
    await until(() => provider.received.length > 0);
    const running = (await sql.query("select name from jobs.agenda_jobs where name = 'edge.sync' and locked_at is not null"))
      .rows;
    expect(running).to.have.length(1);
    standing();
    await one.kill();
    nodes.shift();
    const answers = await Promise.all(asked);
    // Where the other node ran it, its own call is still waiting for its answer: it is tried again there.
    const after = await until(async () => {
      const stored = await sql.query("select sync_ended, sync_result from edge_accounts where id = $1", [accountId]);
      return stored.rows[0].sync_ended > rows[0].sync_ended ? stored.rows[0] : null;
    }, 90_000);
    expect(after.sync_result.ok).to.equal(true);
    if (answers[1]?.status === 200) expect(answers[1].body.ok).to.equal(true);
    else expect(answers[1]?.status).to.equal(503);
  });

  it("reads 1,500 zones and 100 static sites in one pass, in memory that does not grow", async () => {
    const [node] = nodes as [Spawned];
    const { state } = provider;
    for (let n = 0; n < 1500; n++) state.zone(edgeAccountId, `many${n}.example`);
    for (let n = 0; n < 100; n++) state.project(edgeAccountId, `many${n}`, [`www.many${n}.example`]);
    for (let n = 0; n < 800; n++) state.registration(edgeAccountId, `many${n}.example`);
    const used: number[] = [];
    const took: number[] = [];
    for (let run = 0; run < 8; run++) {
      const began = Date.now();
      const { body } = await sync(node);
      took.push(Date.now() - began);
      expect([body.ok, body.warnings, body.zones_synced >= 1500, body.registrar_domains_synced]).to.deep.equal([
        true,
        [],
        true,
        800,
      ]);
      used.push(await heapOf(node));
    }
    const mib = (kib: number) => Math.round(kib / 1024);
    process.stdout.write(`    ${Math.min(...took)} ms a pass; heap ${used.map(mib).join(", ")} MiB\n`);
    expect((used.at(-1) as number) - (used[3] as number), "growth over the last passes").to.be.lessThan(GROWTH);
  });
});
