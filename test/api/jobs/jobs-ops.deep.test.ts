import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import sinon from "sinon";
import { ownCommands } from "../../../cli/console/commands.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { until } from "../../support/jobs.ts";
import { freePort } from "../../support/ports.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { signIn } from "../../support/sign-in.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

oneProcess("replaces functions of the process");

const PASSWORD = "correct horse battery";
let isWell = false;
let ran = 0;

const proof = actor("proof.ops", {
  actions: {},
  jobs: {
    "proof.fragile": {
      about: "Fails until it is well",
      retry: { attempts: 1 },
      async handler() {
        if (!isWell) throw new Error("not well, password=hunter22");
        ran += 1;
      },
    },
  },
});

describe("operating the jobs", () => {
  let service: TestService;
  let tenant: Tenant;
  let administrator: { cookie: string };
  let metricsPort: number;

  /** Puts a job of the proof actor into the outbox, as a request does. Gives its id. */
  const ask = async (payload: object = { id: "01890000-0000-7000-8000-0000000000c1" }, wait = "0 s"): Promise<string> => {
    const { rows } = await service.sql.query(
      `insert into outbox (id, organisation_id, job, payload, run_at) values (gen_random_uuid(), $1, 'proof.fragile', $2, now() + $3::interval) returning id`,
      [tenant.organisation.id, payload, wait],
    );
    await until(async () => (await service.sql.query("select 1 from outbox")).rowCount === 0);
    return rows[0].id;
  };
  const dead = async (payload?: object): Promise<string> => {
    isWell = false;
    const id = await ask(payload);
    await until(
      async () =>
        (await service.sql.query("select 1 from jobs.agenda_jobs where id = $1 and failed_at is not null", [id])).rowCount === 1,
    );
    return id;
  };
  const ops = (method: string, path: string, call: object = administrator) =>
    service.call(method, `//ops/jobs${path}`, { host: tenant.host, ...call });

  before(async () => {
    metricsPort = await freePort();
    service = await startService({ SERVICE_METRICS_PORT: String(metricsPort) }, [proof]);
    tenant = await service.tenant();
    const member = await tenant.member("owner", { password: PASSWORD });
    await service.sql.query("update accounts set is_superuser = true where id = $1", [member.accountId]);
    administrator = { cookie: await signIn(service.port, tenant.host, member.email, PASSWORD) };
    await jobsOf(service.node.broker).ready();
  });
  after(() => service.stop());

  describe("/ops/jobs", () => {
    it("is not part of the described API", async () => {
      const { body } = await service.call("GET", "//api/openapi.json", { host: tenant.host });
      expect(Object.keys(body.paths).filter((path) => path.includes("ops"))).to.deep.equal([]);
    });

    it("refuses a form that is too large in the envelope of every refusal, and shows no inside of a failure", async () => {
      const answer = await ops("POST", "/retry", { ...administrator, body: `name=${"x".repeat(20_000)}` });
      expect([answer.status, answer.body.error.fields]).to.deep.equal([413, { _: "errors.upload_too_large" }]);
      const nowhere = await ops("GET", "/api/nowhere");
      expect([nowhere.status, nowhere.body.error.code]).to.deep.equal([404, "not_found"]);
      const odd = await ops("GET", "/%ff");
      expect(odd.text).to.not.match(/node_modules|^ +at /m);
    });

    it("takes a caller that hangs up in the middle of a body for no error", async () => {
      const logged = sinon.stub(console, "error");
      const logger = service.node.broker.getLocalService("api")?.logger as { error(...line: unknown[]): void };
      const failed = sinon.stub(logger, "error");
      try {
        for (let round = 0; round < 5; round++) {
          const socket = connect(service.port, "127.0.0.1");
          const head = ["POST /ops/jobs/retry HTTP/1.1", `Host: ${tenant.host}`, `Cookie: ${administrator.cookie}`];
          socket.write(
            [...head, "Content-Type: application/x-www-form-urlencoded", "Content-Length: 1000", "", "name="].join("\r\n"),
          );
          await delay(50);
          socket.resetAndDestroy();
        }
        await delay(100);
        expect((await ops("GET", "/figures")).status).to.equal(200);
        expect([logged.args, failed.args]).to.deep.equal([[], []]);
      } finally {
        logged.restore();
        failed.restore();
      }
    });

    it("has the figures of every node as JSON", async () => {
      await dead();
      const { body, headers } = await ops("GET", "/figures");
      expect(headers["cache-control"]).to.equal("no-store");
      const figures = body.jobs["proof.fragile"];
      expect(figures).to.include({ running: 0, retried: 0 });
      expect(figures.dead).to.be.at.least(1);
      expect(figures.lag_p50).to.be.a("number");
      expect(body.workers.map(({ node }: { node: string }) => node)).to.deep.equal([body.node]);
    });
  });

  describe("npm run cli -- jobs", () => {
    const run = (...words: string[]) => cli(environmentOf(service.database), ["jobs", ...words]);

    it("list shows what waits and repeats", async () => {
      const id = await ask({}, "1 hour");
      const { json } = await run("list", "--json");
      const waiting = json.jobs.find((job: { id: string }) => job.id === id);
      expect(waiting).to.include({
        name: "proof.fragile",
        state: "scheduled",
        organisation: tenant.organisation.id,
        error: null,
      });
      expect(json.jobs.find((job: { name: string }) => job.name === "jobs.heartbeat")).to.include({
        state: "repeating",
        schedule: "* * * * *",
      });
      expect((await run("list", "--state", "nonsense")).status).to.equal(2);
    });

    it("show masks the payload", async () => {
      const id = await dead({ note: "Hello there" });
      const { json, status } = await run("show", id, "--json");
      expect([status, json.payload, json.failures]).to.deep.equal([0, { note: "***" }, 1]);
      expect((await run("show", "01890000-0000-7000-8000-000000000000")).err).to.contain("There is no job");
    });

    it("dead lists the dead letters, retry runs one again, retry all all of them", async () => {
      await service.sql.query("delete from jobs.agenda_jobs where failed_at is not null");
      const [first, second, third] = [await dead(), await dead(), await dead()];
      expect((await run("dead", "--json")).json.jobs.map(({ id }: { id: string }) => id).toSorted()).to.deep.equal(
        [first, second, third].toSorted(),
      );
      isWell = true;
      const before = ran;
      await run("retry", first);
      await until(() => ran === before + 1);
      expect((await run("retry", "all", "--name", "proof.fragile")).err).to.equal("");
      await until(() => ran === before + 3);
      await until(async () => (await run("dead")).out.includes("There are no dead jobs."));
    });

    it("cancel takes back a job that waits", async () => {
      isWell = true;
      const id = await ask({}, "1 hour");
      expect((await run("cancel", id)).status).to.equal(0);
      expect((await run("show", id)).status).to.equal(2);
    });

    it("frees the ordered queue of a cancelled job, so that the next one runs", async () => {
      isWell = true;
      const before = ran;
      await service.sql.query(
        `insert into outbox (id, organisation_id, job, payload, key, run_at) select gen_random_uuid(), $1, 'proof.fragile', '{}', 'lane', t
         from unnest(array[now() + interval '1 hour', now()]) t`,
        [tenant.organisation.id],
      );
      await until(async () => (await service.sql.query("select 1 from jobs.ordered")).rowCount === 2);
      const { rows } = await service.sql.query("select id from jobs.ordered where handed_at is not null");
      expect((await run("cancel", rows[0].id)).status).to.equal(0);
      await service.sql.query("update jobs.ordered set handed_at = now() - interval '1 minute' where handed_at is not null");
      await service.sql.query("select jobs.mend('{}', true)");
      await until(() => ran === before + 1);
      await until(async () => (await service.sql.query("select 1 from jobs.ordered")).rowCount === 0);
    });
  });

  it("Prometheus gets the figures of every job where a port is set", async () => {
    await dead();
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(text).to.match(/kantoor_jobs_dead_total\{[^}]*job="proof\.fragile"[^}]*\} [1-9]/);
    expect(text).to.match(/kantoor_jobs_lag_seconds_bucket\{[^}]*job="proof\.fragile"[^}]*le="\+Inf"[^}]*\} [1-9]/);
    expect(text).to.match(/kantoor_jobs_duration_seconds_sum\{[^}]*job="proof\.fragile"[^}]*\} \d/);
    expect(text).not.to.contain("NaN");
  });

  it("the console's `jobs` shows the figures of the node and retries a dead letter", async () => {
    const command = ownCommands.find(({ name }) => name === "jobs");
    const session = { broker: service.node.broker, ownerUrl: service.database.owner, organisation: null };
    const type = async (line: string) => (await command?.run(session as never, line.split(" "), line)) as string;
    const id = await dead();
    expect(await type("")).to.match(/proof\.fragile +\d+ +0/);
    expect(await type("dead")).to.contain(id);
    isWell = true;
    const before = ran;
    await type(`retry ${id}`);
    await until(() => ran === before + 1);
  });
});
