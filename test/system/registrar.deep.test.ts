import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { systemRoles } from "../../core/declare/permissions.ts";
import { groupAlias } from "../../integrations/registrar/oxxa/nameserver-groups.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import { OxxaSimulator } from "../simulators/registrar.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { type Answer, send } from "../support/http.ts";
import { holdTimesOfDay } from "../support/jobs.ts";
import { launchService, type Spawned } from "../support/process.ts";
import { abreast } from "../support/waiting.ts";

/** How often a node is killed, in the middle of one step and of the other in turn; twenty times before a release. */
const ROUNDS = Number(process.env["REGISTRAR_ROUNDS"] ?? 2);
const HOST = "agency.kantoor.test";
const everything = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];

describe("a registrar and two nodes", function () {
  this.timeout(120_000 + ROUNDS * 30_000);
  const provider = new OxxaSimulator();
  let database: TestDatabase;
  let sql: pg.Client;
  let nodes: Spawned[] = [];
  let said = "";
  let organisationId: string;
  let companyId: string;
  let key: string;
  let accountId: string;
  let counter = 0;

  const start = () =>
    launchService({
      SERVICE_DATABASE_URL: database.application,
      SERVICE_SECRET: "a secret for tests that nobody else has, 0123456789",
      SERVICE_HTTP_PORT: "0",
      SERVICE_HTTP_ADDRESS: "127.0.0.1",
      SERVICE_PUBLIC_SCHEME: "http",
      SERVICE_BASE_DOMAIN: "kantoor.test",
      SERVICE_RATE_LIMIT_PER_KEY: "0",
      SERVICE_JOBS_POLL_MS: "500",
      SERVICE_ACCOUNT_SYNC_HOURS: "0",
      // Everything there is to say: no word of it may be the password.
      SERVICE_LOG_LEVEL: "debug",
      SERVICE_REGISTRAR_API_URL: provider.root,
    });
  const call = (node: number, method: string, path: string, body?: object): Promise<Answer> =>
    send(nodes[node]?.port as number, method, path, { host: HOST, key, ...(body && { body }) });
  const domain = async () => {
    const [id, name] = [randomUUID(), `d${++counter}-${randomBytes(3).toString("hex")}.nl`];
    await sql.query(
      "insert into domains (id, organisation_id, company_id, name, label, start_date) values ($1, $2, $3, $4, $4, '2026-01-01')",
      [id, organisationId, companyId, name],
    );
    provider.register({ name, nsgroup: "EFGH1", expires: "2027-03-01" });
    return { id, name };
  };

  before(async () => {
    await provider.start();
    provider.group(["ns1.old.nl", "ns2.old.nl"]);
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    await holdTimesOfDay(sql);
    ({ id: organisationId } = await createOrganisation(sql, { slug: "agency", name: "An agency" }));
    const member = { email: "owner@agency.test", fullName: "Owner", role: "owner" } as const;
    const { accountId: person } = await createMember(sql, organisationId, member);
    ({ value: key } = await createKey(sql, organisationId, "kt", { name: "a key", scopes: everything, accountId: person }));
    nodes = await Promise.all([start(), start()]);
    companyId = (await call(0, "POST", "/companies", { name: "A client" })).body.id;
    const body = { name: "Main", api_user: provider.user, api_password: provider.password };
    accountId = (await call(0, "POST", "/registrar/accounts", body)).body.id;
    expect((await call(1, "POST", `/registrar/accounts/${accountId}/verify`)).body.ok).to.equal(true);
  });
  afterEach(() => expect(provider.complaints).to.deep.equal([]));
  after(async () => {
    for (const node of nodes) await node.stop();
    await sql?.end();
    await database?.drop();
    await provider.stop();
  });

  it("asked for a sync at both at once runs one, and both get its answer", async () => {
    for (let n = 0; n < 20; n++) await domain();
    for (let round = 0; round < 5; round++) {
      const before = provider.calls("domain_list");
      let release = () => {};
      provider.fail({ kind: "wait", until: new Promise<void>((resolve) => (release = resolve)) });
      const account: [string, unknown[]] = ["select 1 from registrar_accounts where id = $1 for update", [accountId]];
      const sync = (node: number) => () => call(node, "POST", `/registrar/accounts/${accountId}/sync`);
      const asked = await abreast(database.owner, account, [0, 1, 0, 1].map(sync));
      release();
      const answers = await Promise.all(asked);
      for (const { status, body } of answers) expect([status, body.ok, body.found]).to.deep.equal([200, true, 20]);
      expect(provider.calls("domain_list") - before).to.equal(1);
    }
  });

  const of = (command: string) => (request: { query: URLSearchParams }) => request.query.get("command") === command;
  it(`makes nothing twice when a node is killed between the registrar's yes and our commit, ${ROUNDS} times`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const command = round % 2 === 0 ? "nsgroup_add" : "domain_ns_upd";
      const { id, name } = await domain();
      await call(1, "POST", `/registrar/accounts/${accountId}/sync`);
      const hosts = [`ns1.${name}`, `ns2.${name}`];
      const path = `/registrar/domains/${id}/nameservers`;
      const counts = () => ["nsgroup_add", "domain_ns_upd"].map((one) => provider.calls(one));
      const [groups, changes] = counts() as [number, number];
      const restore = provider.failWhen(of(command), { kind: "wait", until: delay(60_000, undefined, { ref: false }) });
      const lost = call(0, "POST", path, { nameservers: hosts }).catch(() => null);
      while (provider.calls(command) === (command === "nsgroup_add" ? groups : changes)) await delay(5);
      await delay(Math.random() * 20);
      const killed = nodes[0] as Spawned;
      await killed.kill();
      said += killed.output();
      expect(await lost, "no answer").to.equal(null);
      restore();
      const { rows: left } = await sql.query("select ns_push_status, ns_desired from registrar_domains where name = $1", [name]);
      expect(left).to.deep.equal([{ ns_push_status: "pending", ns_desired: hosts }]);
      const [restarted, again] = await Promise.all([start(), call(1, "POST", path, { nameservers: hosts })]);
      nodes[0] = restarted;
      expect([again.status, again.body]).to.deep.equal([200, { ok: true, changed: command === "nsgroup_add", error: null }]);
      const [groupsNow, changesNow] = counts() as [number, number];
      expect([groupsNow - groups, changesNow - changes], "groups made, domains handed over").to.deep.equal([1, 1]);
      const made = [...provider.groups.values()].filter(({ alias }) => alias === groupAlias(hosts));
      expect(made).to.have.length(1);
      expect(provider.domains.get(name)?.nsgroup).to.equal(made[0]?.handle);
      const { rows } = await sql.query("select ns_push_status from registrar_domains where name = $1", [name]);
      expect(rows).to.deep.equal([{ ns_push_status: "active" }]);
      const { rows: lines } = await sql.query("select action from activity where entity_id = $1", [id]);
      expect(lines, "reported once").to.deep.equal([{ action: "registrar.nameservers_pushed" }]);
    }
  });

  it("has no word of the password in its logs, rows and answers, though the registrar repeats it in everything it refuses", async () => {
    const { id } = await domain();
    const right = provider.password;
    provider.password = "another";
    const answers = [
      await call(0, "POST", `/registrar/accounts/${accountId}/verify`),
      await call(1, "POST", `/registrar/accounts/${accountId}/sync`),
      await call(0, "POST", `/registrar/domains/${id}/refresh`),
      await call(1, "POST", `/registrar/domains/${id}/nameservers`, { nameservers: ["ns1.x.nl", "ns2.x.nl"] }),
      await call(0, "GET", "/registrar/accounts"),
      await call(0, "GET", `/registrar/domains/${id}/status`),
    ];
    provider.password = right;
    const rows: string[] = [];
    for (const table of [
      "registrar_accounts",
      "registrar_domains",
      "activity",
      "outbox",
      "provider_troubles",
      "jobs.agenda_jobs",
      "jobs.ordered",
    ])
      rows.push(JSON.stringify((await sql.query(`select * from ${table}`)).rows));
    await delay(200);
    const everywhere = [said, ...nodes.map((node) => node.output()), ...rows, ...answers.map(({ text }) => text)].join("\n");
    expect(everywhere, "the refusal itself is kept").to.include("Inloggen mislukt");
    const form = new URLSearchParams({ x: right }).toString().slice(2);
    const base64 = Buffer.from(right).toString("base64");
    for (const secret of [right, form, encodeURIComponent(right), base64, right.replaceAll("&", "&amp;"), right.slice(6, 20)])
      expect(everywhere.includes(secret), secret).to.equal(false);
  });
});
