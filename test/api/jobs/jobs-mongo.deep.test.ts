import { expect } from "chai";
import { MongoClient } from "mongodb";
import { action } from "../../../core/declare/action.ts";
import { type OrganisationRun, schedule } from "../../../core/jobs/jobs.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { answer, input, integer, optional, text, uuid } from "../../../core/schema/schema.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

/** A MongoDB, or FerretDB before version 2: `mongodb://127.0.0.1:27017/`. */
const SERVER = process.env["SERVICE_TEST_MONGO_URL"];

const TIMEOUT = 40_000;
const ran: string[] = [];
const reported: number[] = [];
let handle: (run: OrganisationRun) => Promise<unknown> = async () => {};
const about = "Does what the test says";

const proof = actor("proof.mongo", {
  actions: {
    ask: action({
      rest: "POST /proof/mongo",
      summary: "Schedules jobs and emits events",
      permission: "companies.company.write",
      body: input("ProofMongo", {
        count: integer(0, 100),
        key: optional(text(20)),
        dedupe: optional(text(20)),
        event: optional(uuid()),
      }),
      returns: answer("ProofMongoAsked", { count: integer() }),
      async handler(ctx) {
        const { count, key, dedupe, event } = ctx.params.body;
        const later = dedupe === undefined ? {} : { dedupe, runAt: new Date(Date.now() + 400) };
        for (let n = 0; n < count; n++)
          if (event) emit("company.assigned", "company", event, { company_id: event, title: String(n), recipients: [] });
          else schedule("proof.mongo", { n }, { ...(key && { key }), ...later });
        return { count };
      },
    }),
  },
  jobs: {
    "proof.mongo": {
      about,
      lock: 10_000,
      retry: { attempts: 2, backoff: { first: 20 } },
      async handler(run) {
        await handle(run);
        ran.push(`${run.payload["n"]}`);
      },
    },
    "proof.mongo-clock": {
      about,
      schedule: "0 0 1 1 *",
      everywhere: "a test",
      handler: async (run) => ran.push(run.organisation.slug),
    },
  },
  subscribe: {
    async "company.assigned"(event) {
      reported.push(Number(event.payload.title));
    },
  },
});

describe("jobs in MongoDB", () => {
  // FerretDB on SQLite takes a tenth of a second for each of the three steps of a job.
  let service: TestService;
  let tenant: Tenant;
  let mongo: MongoClient;
  let url: string;

  before(async function () {
    if (SERVER === undefined) {
      process.stdout.write("    not run: SERVICE_TEST_MONGO_URL is not set\n");
      return this.skip();
    }
    url = `${SERVER.replace(/\/+$/, "")}/kantoor_${process.pid}`;
    mongo = await new MongoClient(url).connect();
    await mongo.db().dropDatabase();
    service = await startService({ SERVICE_JOBS_POLL_MS: "200", SERVICE_JOBS_URL: url }, [proof]);
    await jobsOf(service.node.broker).ready();
    tenant = await service.tenant();
  });
  after(async () => {
    await service?.stop();
    await mongo?.db().dropDatabase();
    await mongo?.close();
  });
  beforeEach(() => {
    ran.length = 0;
    reported.length = 0;
    handle = async () => {};
  });

  const ask = (body: object) => tenant.owner.post("/proof/mongo", body);
  const left = () => mongo.db().collection("agendaJobs").countDocuments({ type: "normal" });

  it("run once after the commit and leave no document", async () => {
    expect((await ask({ count: 20 })).status).to.equal(201);
    await until(async () => ran.length === 20 && (await left()) === 0, TIMEOUT);
    expect(new Set(ran).size).to.equal(20);
    expect((await service.sql.query("select 1 from jobs.agenda_jobs")).rowCount, "nothing in PostgreSQL's queue").to.equal(0);
  });

  it("of one key run one after another, in order", async () => {
    let together = 0;
    handle = async () => {
      expect(++together).to.equal(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      together -= 1;
    };
    await ask({ count: 10, key: "one" });
    await until(async () => ran.length === 10 && (await left()) === 0, TIMEOUT);
    expect(ran).to.deep.equal(Array.from({ length: 10 }, (_, n) => String(n)));
  });

  it("with one dedupe text are one", async () => {
    await ask({ count: 5, dedupe: "same" });
    await until(async () => ran.length === 1 && (await left()) === 0, TIMEOUT);
  });

  it("bring events in order", async () => {
    await ask({ count: 10, event: "01890000-0000-7000-8000-0000000000a1" });
    await until(() => reported.length === 10, TIMEOUT);
    expect(reported).to.deep.equal(Array.from({ length: 10 }, (_, n) => n));
  });

  it("are retried, then dead letters that the command line shows and retries", async () => {
    handle = () => Promise.reject(new Error("no"));
    await ask({ count: 1 });
    const run = (...words: string[]) => cli(environmentOf(service.database, { SERVICE_JOBS_URL: url }), ["jobs", ...words]);
    const [dead] = await until(async () => {
      const { jobs } = (await run("dead", "--json")).json;
      return jobs.length === 1 && jobs;
    }, TIMEOUT);
    expect(dead).to.include({ name: "proof.mongo", failures: 2, error: "no" });
    handle = async () => {};
    await run("retry", dead.id);
    await until(async () => ran.length === 1 && (await left()) === 0, TIMEOUT);
  });

  it("of a schedule run for every organisation", async () => {
    await mongo
      .db()
      .collection("agendaJobs")
      .updateOne({ name: "proof.mongo-clock", type: "single" }, { $set: { nextRunAt: new Date() } });
    await until(() => ran.length === 1);
    expect(ran).to.deep.equal([tenant.organisation.slug]);
  });

  it("of a node that died run again after their lock time", async () => {
    const lockedAt = new Date(Date.now() - 10_100);
    const data = {
      id: "01890000-0000-7000-8000-0000000000f1",
      organisation: tenant.organisation.id,
      payload: { n: 1 },
      due: lockedAt.toISOString(),
    };
    await mongo
      .db()
      .collection("agendaJobs")
      .insertOne({ name: "proof.mongo", type: "normal", priority: 0, nextRunAt: null, lockedAt, data });
    await until(() => ran.length === 1);
  });
});

describe("a job store that cannot be reached", () => {
  it("is a clear error and no crash: requests are served, jobs wait in the outbox", async () => {
    const service = await startService({ SERVICE_JOBS_URL: "mongodb://127.0.0.1:1/kantoor?serverSelectionTimeoutMS=300" }, [
      proof,
    ]);
    try {
      const tenant = await service.tenant();
      expect((await tenant.owner.post("/proof/mongo", { count: 2 })).status).to.equal(201);
      expect((await tenant.owner.get("/system/info")).body.worker).to.deep.equal({
        status: "down",
        last_seen_at: null,
        queue_depth: null,
      });
      expect((await service.sql.query("select 1 from outbox")).rowCount).to.equal(2);
      const shown = await cli(
        environmentOf(service.database, { SERVICE_JOBS_URL: "mongodb://127.0.0.1:1/kantoor?serverSelectionTimeoutMS=300" }),
        ["jobs", "list"],
      );
      expect([shown.status, shown.err]).to.deep.equal([
        2,
        "SERVICE_JOBS_URL cannot be used: connect ECONNREFUSED 127.0.0.1:1.\n",
      ]);
    } finally {
      await service.stop();
    }
  });
});
