import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { serveRepl } from "../../../cli/console/server.ts";
import { leftWork } from "../../../core/jobs/channel.ts";
import { failed } from "../../../core/outbound/provider/circuit.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { forgetFigures } from "../../../mixins/ops/installation-figures.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { settled, until } from "../../support/jobs.ts";
import { visitPage } from "../../support/pages.ts";
import { cleanEnvironment } from "../../support/process.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { signIn } from "../../support/sign-in.ts";
import { statementsDuring } from "../../support/statement-log.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

oneProcess("looks inside the node");

const PASSWORD = "correct horse battery";
const SECRET = "Marker of a secret text";
const ROOT = path.join(import.meta.dirname, "../../..");
let isWell = false;
const ran: string[] = [];

const proof = actor("proof.pages", {
  actions: {},
  jobs: {
    "proof.pages.fragile": {
      about: "Fails until it is well",
      retry: { attempts: 1 },
      async handler(run) {
        if (!isWell) throw new Error("not well, password=hunter22");
        ran.push(run.id);
      },
    },
  },
});

describe("/ops", function () {
  this.timeout(180_000);
  let service: TestService;
  let tenant: Tenant;
  let administrator: string;
  let owner: string;

  const visit = (method: string, address: string, form?: Record<string, string>, cookie: string | undefined = administrator) =>
    visitPage(service.port, tenant.host, method, address, { cookie, ...(form && { form }) });
  const get = async (address: string) => {
    const page = await visit("GET", address);
    expect(page.status, address).to.equal(200);
    return page.text;
  };
  /** Adds dead jobs and returns their ids. */
  async function dead(number = 1): Promise<string[]> {
    isWell = false;
    const { rows } = await service.sql.query(
      `insert into outbox (id, organisation_id, job, payload)
       select gen_random_uuid(), $1, 'proof.pages.fragile', $2 from generate_series(1, $3) returning id`,
      [tenant.organisation.id, { kind: "sync", note: SECRET }, number],
    );
    await service.sql.query(leftWork);
    const ids = rows.map(({ id }) => id);
    const count =
      "select 1 from jobs.agenda_jobs where id = any($1::uuid[]) and failed_at is not null and next_run_at is null and locked_at is null";
    await until(async () => (await service.sql.query(count, [ids])).rowCount === number);
    return ids;
  }
  /** Adds rows as dead jobs leave them. */
  const deadRows = (number: number) =>
    service.sql.query(
      `insert into jobs.agenda_jobs (name, type, priority, data, failed_at, fail_count, fail_reason)
       select 'proof.pages.fragile', 'normal', 0, jsonb_build_object('id', gen_random_uuid()), now(), 1, 'not well' from generate_series(1, $1)`,
      [number],
    );
  const isDead = async (id: string) =>
    (await service.sql.query("select 1 from jobs.agenda_jobs where id = $1 and failed_at is not null", [id])).rowCount === 1;

  before(async () => {
    service = await startService({}, [proof]);
    tenant = await service.tenant();
    const person = async (isSuperuser: boolean) => {
      const member = await tenant.member("owner", { password: PASSWORD });
      await service.sql.query("update accounts set is_superuser = $2 where id = $1", [member.accountId, isSuperuser]);
      return signIn(service.port, tenant.host, member.email, PASSWORD);
    };
    administrator = await person(true);
    owner = await person(false);
    await jobsOf(service.node.broker).ready();
  });
  after(() => service?.stop());

  const ADDRESSES = [
    ...["/ops", "/ops/actions", "/ops/jobs", "/ops/jobs?state=dead", "/ops/mails", "/ops/providers", "/ops/statements"],
    ...["/ops/organisations", "/ops/nodes", "/ops/figures", "/ops/jobs/figures"],
  ];

  it("is only for a session of an instance administrator", async () => {
    for (const address of ADDRESSES) {
      expect((await visit("GET", address, undefined, "kantoor_session=none")).status, `nobody at ${address}`).to.equal(401);
      expect((await visit("GET", address, undefined, owner)).status, `an owner at ${address}`).to.equal(403);
      const byKey = await service.call("GET", `/${address}`, { host: tenant.host, key: tenant.owner.key });
      expect(byKey.status, `a key at ${address}`).to.equal(401);
      expect((await visit("GET", address)).status, address).to.equal(200);
    }
    const [id] = await dead();
    for (const address of [`/ops/jobs/${id}/retry`, "/ops/jobs/retry", "/ops/providers/reopen"])
      expect((await visit("POST", address, {}, owner)).status, address).to.equal(403);
    expect(await isDead(id as string)).to.equal(true);
  });

  it("sends pages that load nothing from elsewhere and are neither framed nor kept", async () => {
    const { headers, text } = await visit("GET", "/ops");
    expect(headers).to.include({ "cache-control": "no-store", "x-frame-options": "DENY", "x-robots-tag": "noindex, nofollow" });
    const policy = headers["content-security-policy"] as string;
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1];
    expect(policy).to.contain("default-src 'none'").and.to.contain("form-action 'self'").and.to.contain("frame-ancestors 'none'");
    expect([...text.matchAll(/<script([^>]*)>/g)].map(([, attributes]) => attributes)).to.deep.equal([` nonce="${nonce}"`]);
    expect((await visit("HEAD", "/ops")).text).to.equal("");
    expect((await visit("GET", "/ops/nowhere")).status).to.equal(404);
    expect((await service.call("PUT", "//ops", { host: tenant.host, cookie: administrator })).status).to.equal(405);
  });

  it("takes a write only from its own origin", async () => {
    const [id] = await dead();
    const foreign = { Origin: "https://evil.example" };
    const answer = await visitPage(service.port, tenant.host, "POST", `/ops/jobs/${id}/retry`, {
      cookie: administrator,
      headers: foreign,
    });
    expect([answer.status, await isDead(id as string)]).to.deep.equal([403, true]);
    expect((await visit("GET", `/ops/jobs/${id}/retry`)).status, "a link retries nothing").to.equal(303);
    expect(await isDead(id as string)).to.equal(true);
  });

  describe("jobs", () => {
    it("shows a dead job with its redacted error and a masked payload, in no place its text", async () => {
      const [id] = await dead();
      const list = await get("/ops/jobs?state=dead&name=proof.pages.fragile");
      expect(list).to.contain(`action="/ops/jobs/${id}/retry"`).and.to.contain("not well, password=***");
      const one = await get(`/ops/jobs/${id}`);
      expect(one).to.contain("&#34;kind&#34;: &#34;sync&#34;").and.to.contain("&#34;note&#34;: &#34;***&#34;");
      for (const address of [...ADDRESSES, `/ops/jobs/${id}`])
        expect(await get(address), address)
          .to.not.contain(SECRET)
          .and.not.contain("hunter22");
      const gone = await visit("GET", "/ops/jobs/01890000-0000-7000-8000-000000000000");
      expect(gone.status).to.equal(404);
    });

    it("retries a dead job by the page as by the command line", async () => {
      const [byPage, byCommand] = (await dead(2)) as [string, string];
      isWell = true;
      const answer = await visit("POST", `/ops/jobs/${byPage}/retry`, {});
      expect([answer.status, answer.headers["location"]]).to.deep.equal([303, "/ops/jobs?state=dead"]);
      const { json } = await cli(environmentOf(service.database), ["jobs", "retry", byCommand, "--json"]);
      expect(json.jobs.map(({ id, state }: { id: string; state: string }) => [id, state])).to.deep.equal([[byCommand, "queued"]]);
      await settled(service);
      expect(ran).to.include.members([byPage, byCommand]);
      const again = await visit("POST", `/ops/jobs/${byPage}/retry`, {});
      expect(again.status, "it has succeeded").to.equal(404);
    });

    it("retries all dead jobs of a name", async () => {
      const ids = await dead(3);
      isWell = true;
      expect((await visit("POST", "/ops/jobs/retry", { name: "proof.pages.other" })).status).to.equal(303);
      expect(await isDead(ids[0] as string)).to.equal(true);
      await visit("POST", "/ops/jobs/retry", { name: "proof.pages.fragile" });
      await settled(service);
      expect(ran).to.include.members(ids);
    });

    it("refuses to retry a running job", async () => {
      const [id] = await dead();
      await service.sql.query("update jobs.agenda_jobs set locked_at = now() where id = $1", [id]);
      expect((await visit("POST", `/ops/jobs/${id}/retry`, {})).status).to.equal(409);
      await service.sql.query("delete from jobs.agenda_jobs where id = $1", [id]);
    });

    it("lists fifty a page, by name and state", async () => {
      await service.sql.query("delete from jobs.agenda_jobs where name = 'proof.pages.fragile'");
      await deadRows(60);
      const rows = (text: string) => text.match(/action="\/ops\/jobs\/[0-9a-f-]{36}\/retry"/g)?.length;
      const first = await get("/ops/jobs?state=dead&name=proof.pages.fragile");
      expect(first).to.contain("60 jobs").and.to.contain("state=dead&#38;name=proof.pages.fragile&#38;page=2");
      expect([rows(first), rows(await get("/ops/jobs?state=dead&name=proof.pages.fragile&page=2"))]).to.deep.equal([50, 10]);
      expect(await get("/ops/jobs?state=repeating"))
        .to.contain("jobs.<wbr>heartbeat</a>")
        .and.not.to.contain("proof.<wbr>pages.<wbr>fragile</a>");
      for (const odd of ["state=constructor", "page=-1", "page=x", "name=%00", "page=1e9"])
        expect((await visit("GET", `/ops/jobs?${odd}`)).status, odd).to.equal(200);
      await service.sql.query("delete from jobs.agenda_jobs where name = 'proof.pages.fragile'");
    });
  });

  it("reopens the circuit of a provider's account", async () => {
    for (let failure = 0; failure < 5; failure++) await failed("proof", "acc-1", "timeout", 503);
    forgetFigures(service.node.broker);
    expect(await get("/ops/providers")).to.contain('name="account" value="acc-1"');
    const answer = await visit("POST", "/ops/providers/reopen", { provider: "proof", account: "acc-1" });
    expect([answer.status, answer.headers["location"]]).to.deep.equal([303, "/ops/providers"]);
    expect(await get("/ops/providers")).not.to.contain("acc-1");
    expect((await visit("POST", "/ops/providers/reopen", { provider: "proof", account: "acc-1" })).status).to.equal(404);
  });

  it("writes what a superuser does there in the operators' audit, as on the administrators' host", async () => {
    await visit("POST", "/ops/jobs/retry", { name: "no.such.job" });
    const { rows } = await service.sql.query(
      "select action, actor, administrator_id, detail, address from operator_audit order by created_at",
    );
    const acts = rows.filter(({ detail }) => detail.host === tenant.host);
    expect(new Set(acts.map(({ action }) => action))).to.deep.equal(new Set(["jobs.retried", "provider.reopened"]));
    const { email } = (await service.sql.query("select email from accounts where is_superuser")).rows[0];
    for (const { actor, administrator_id: id, address } of acts)
      expect([actor, id, address]).to.deep.equal([email, null, "127.0.0.1"]);
    const reopened = acts.filter(({ action }) => action === "provider.reopened").map(({ detail }) => detail);
    expect(reopened).to.deep.equal([{ provider: "proof", account: "acc-1", host: tenant.host }]);
  });

  it("lists failed mails without recipient, content or an address in the error", async () => {
    const address = "jan@recipient.example";
    await service.sql.query(
      `insert into mails (id, organisation_id, kind, status, to_address, last_error, attempts, variables)
       values (gen_random_uuid(), $1, 'proof-mail', 'failed', $2, $3, 8, jsonb_build_object('text', $4::text))`,
      [tenant.organisation.id, address, `550 5.1.1 <${address}> unknown`, SECRET],
    );
    forgetFigures(service.node.broker);
    for (const at of ["/ops", "/ops/mails", "/ops/figures"]) {
      const text = await get(at);
      expect(text, at).to.contain("proof-mail").and.not.to.contain("jan@").and.not.to.contain(SECRET);
    }
    expect(await get("/ops/mails")).to.contain("550 5.1.1 &#60;***@recipient.example&#62; unknown");
  });

  describe("figures", () => {
    const figures = async () => {
      forgetFigures(service.node.broker);
      return JSON.parse(await get("/ops/figures"));
    };

    it("have nodes, actors, actions, queues, mails and the busiest organisation", async () => {
      await tenant.owner.get("/companies?limit=1");
      const read = await figures();
      const { nodeID } = service.node.broker;
      expect(read.nodes.map(({ id, state }: { id: string; state: string }) => [id, state])).to.deep.equal([[nodeID, "serving"]]);
      expect(read.actors.find(({ name }: { name: string }) => name === "companies")).to.deep.equal({
        name: "companies",
        nodes: [nodeID],
      });
      const listed = read.actions.find(({ action }: { action: string }) => action === "companies.list");
      expect(listed).to.include({ errors: 0 });
      expect(listed.requests).to.be.at.least(1);
      expect(listed.p99_ms).to.be.a("number");
      expect(read.history).to.have.length(60);
      expect(read.history.at(-1).requests + read.history.at(-2).requests).to.be.at.least(1);
      expect(read.queues.find(({ name }: { name: string }) => name === "jobs.heartbeat")).to.include({ waiting: 1, dead: 0 });
      expect(read.organisations.map(({ slug }: { slug: string }) => slug)).to.include(tenant.organisation.slug);
      expect(read.outbox).to.have.keys("waiting", "oldest_seconds");
    });

    it("list slow statements by their action, without values", async () => {
      const { queryUnbound } = await import("../../../core/database/connection/database.ts");
      const { statement } = await import("../../../core/sql/statement.ts");
      await queryUnbound(statement("select pg_sleep($1), $2::text as slept"), [0.02, SECRET]);
      const { statements } = await figures();
      const found = statements.find(({ sql }: { sql: string[] }) => sql[0]?.includes("as slept"));
      expect(found.worst_ms).to.be.at.least(10);
      expect(JSON.stringify(statements)).not.to.contain(SECRET);
      expect(await get("/ops/statements")).to.contain("select pg_sleep($1), $2::text as slept");
    });

    it("cost the same statements for one and for a hundred jobs and organisations, and none while they are fresh", async () => {
      const cost = async () => {
        forgetFigures(service.node.broker);
        const sent = await statementsDuring(service.sql, () => get("/ops/figures"));
        return sent.filter((text) =>
          /backlog|_figures|mail_failures|provider_troubles|resolve_host\(''|q\.state = 'due'/.test(text),
        ).length;
      };
      const few = await cost();
      await deadRows(100);
      const others = await Promise.all(Array.from({ length: 12 }, () => service.tenant()));
      for (const other of others) await other.owner.get("/companies?limit=1");
      expect([few, await cost()]).to.deep.equal([7, 7]);
      const fresh = await statementsDuring(service.sql, () => Promise.all(Array.from({ length: 10 }, () => get("/ops"))));
      expect(fresh.filter((text) => /backlog|_figures|mail_failures/.test(text))).to.have.length.at.most(4);
      expect((await figures()).organisations).to.have.length(10);
      await service.sql.query("delete from jobs.agenda_jobs where name = 'proof.pages.fragile'");
    });
  });

  describe("npm run top", () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), "kantoor-top-"));
    after(() => rmSync(dataDir, { recursive: true, force: true }));
    /** Runs the real command line, away from a terminal. */
    async function top(...words: string[]): Promise<{ status: number; out: string; err: string }> {
      const file = path.join(ROOT, "cli/main.ts");
      const env = { ...cleanEnvironment(), SERVICE_DATA_DIR: dataDir };
      const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", file, "top", ...words], { env });
      let [out, err] = ["", ""];
      child.stdout.on("data", (part) => (out += part));
      child.stderr.on("data", (part) => (err += part));
      const [status] = await once(child, "close");
      return { status, out, err };
    }

    it("says in a sentence that no service runs", async () => {
      const { status, err } = await top("--once");
      expect([status, err.trim().split("\n").length]).to.deep.equal([2, 1]);
      expect(err).to.contain(`No service answers in ${dataDir}`);
    });

    it("prints the figures of the running service once, and as JSON", async () => {
      const { close } = await serveRepl(service.node.broker, dataDir, service.database.owner);
      try {
        const { status, out, err } = await top("--once");
        expect([status, err]).to.deep.equal([0, ""]);
        expect(out)
          .to.match(/^Kantoor {2}\d\d:\d\d:\d\d UTC {2}1 node\n/)
          .and.to.contain(service.node.broker.nodeID);
        expect(out).to.not.contain("\x1b");
        expect((await top()).out, "away from a terminal").to.match(/^Kantoor {2}/);
        const json = JSON.parse((await top("--json")).out);
        expect(Object.keys(json)).to.deep.equal(Object.keys(JSON.parse(await get("/ops/figures"))));
      } finally {
        await close();
      }
    });
  });
});
