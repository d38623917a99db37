import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import sinon from "sinon";
import { ownCommands } from "../../../cli/console/commands.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { settled, until } from "../../support/jobs.ts";
import { freePort } from "../../support/ports.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { signIn } from "../../support/sign-in.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

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
  let owner: { cookie: string };
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
    const person = async (isSuperuser: boolean) => {
      const member = await tenant.member("owner", { password: PASSWORD });
      await service.sql.query("update accounts set is_superuser = $2 where id = $1", [member.accountId, isSuperuser]);
      return { cookie: await signIn(service.port, tenant.host, member.email, PASSWORD) };
    };
    administrator = await person(true);
    owner = await person(false);
    await jobsOf(service.node.broker).ready();
  });
  after(() => service.stop());

  describe("/ops/jobs", () => {
    it("is only for a session of an instance administrator", async () => {
      expect((await ops("GET", "/", {})).status, "nobody").to.equal(401);
      expect((await ops("GET", "/", { key: tenant.owner.key })).status, "a key").to.equal(401);
      expect((await ops("GET", "/", owner)).status, "an owner").to.equal(403);
      for (const path of ["/", "/api", "/figures", "/api/stats"])
        expect((await ops("GET", path, owner)).status, path).to.equal(403);
      const page = await ops("GET", "/");
      expect([page.status, page.headers["cache-control"], page.headers["x-frame-options"]]).to.deep.equal([
        200,
        "no-store",
        "DENY",
      ]);
      expect(page.text).to.contain("Agendash");
      expect((await ops("GET", "")).headers["location"]).to.equal("/ops/jobs/");
    });

    it("is not part of the described API", async () => {
      const { body } = await service.call("GET", "//api/openapi.json", { host: tenant.host });
      expect(Object.keys(body.paths).filter((path) => path.includes("ops"))).to.deep.equal([]);
    });

    it("takes a write only from its own origin", async () => {
      const foreign = { ...administrator, headers: { Origin: "https://evil.example" }, body: { jobIds: [] } };
      expect((await ops("POST", "/api/jobs/retry", foreign)).status).to.equal(403);
    });

    it("refuses unreadable input in the envelope of every refusal, without details", async () => {
      const type = { "Content-Type": "application/json" };
      for (const [body, status, field] of [
        ['{"jobIds": [', 422, "errors.validation"],
        [JSON.stringify({ jobIds: ["x".repeat(200_000)] }), 413, "errors.upload_too_large"],
      ] as const) {
        const answer = await ops("POST", "/api/jobs/retry", { ...administrator, body, headers: type });
        expect([answer.status, answer.body.error.fields]).to.deep.equal([status, { _: field }]);
      }
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
          const head = ["POST /ops/jobs/api/jobs/retry HTTP/1.1", `Host: ${tenant.host}`, `Cookie: ${administrator.cookie}`];
          socket.write([...head, "Content-Type: application/json", "Content-Length: 1000", "", '{"jobIds": ['].join("\r\n"));
          await delay(50);
          socket.resetAndDestroy();
        }
        await delay(100);
        expect((await ops("GET", "/api/stats")).status).to.equal(200);
        expect([logged.args, failed.args]).to.deep.equal([[], []]);
      } finally {
        logged.restore();
        failed.restore();
      }
    });

    it("makes no job: a job belongs to the transaction that schedules it", async () => {
      for (const path of ["/api/jobs/create", "/api/jobs/requeue"])
        expect(
          (await ops("POST", path, { ...administrator, body: { jobName: "proof.fragile", jobIds: [] } })).status,
          path,
        ).to.equal(403);
    });

    it("shows dead letters with the redacted error and a masked payload, and retries them", async () => {
      const id = await dead({ kind: "sync", id: "01890000-0000-7000-8000-0000000000c1", name: "Jan de Vries" });
      const { body } = await ops("GET", "/api?state=failed");
      const [shown] = body.jobs.filter(({ job }: { job: { _id: string } }) => job._id === id);
      expect(shown.job.failReason).to.equal("not well, password=***");
      expect(shown.job.data.payload).to.deep.equal({ kind: "sync", id: "01890000-0000-7000-8000-0000000000c1", name: "***" });
      isWell = true;
      const before = ran;
      expect((await ops("POST", "/api/jobs/retry", { ...administrator, body: { jobIds: [id] } })).body).to.deep.equal({
        retriedCount: 1,
      });
      await settled(service);
      expect(ran).to.equal(before + 1);
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
