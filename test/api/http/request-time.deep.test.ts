import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { Errors } from "moleculer";
import { queueInsert } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { Type } from "../../../core/schema/schema.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { CompanyGroup } from "../../../services/clients/models.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

/** Runs of each action so far. */
const runs = { slow: 0, slowPost: 0, written: 0, gone: 0, late: 0 };
const answer = { returns: Type.Object({ run: Type.Integer() }) };
const proof = actor("proof.time", {
  actions: {
    slow: action({
      rest: "GET /proof/slow",
      summary: "Takes longer than a request may",
      permission: "companies.company.read",
      ...answer,
      async handler() {
        const run = ++runs.slow;
        await delay(1500);
        return { run };
      },
    }),
    slowPost: action({
      rest: "POST /proof/slow",
      summary: "Takes longer than a request may",
      permission: "companies.company.write",
      ...answer,
      async handler() {
        const run = ++runs.slowPost;
        await delay(1500);
        return { run };
      },
    }),
    written: action({
      rest: "POST /proof/written",
      summary: "Writes, then takes longer than a request may",
      permission: "companies.company.write",
      ...answer,
      async handler() {
        const run = ++runs.written;
        await queueInsert(CompanyGroup, { name: "late", position: 0 });
        await delay(1500);
        return { run };
      },
    }),
    late: action({
      rest: "GET /proof/late",
      summary: "May take longer than others",
      permission: "companies.company.read",
      timeout: 10_000,
      ...answer,
      async handler() {
        const run = ++runs.late;
        await delay(800);
        return { run };
      },
    }),
    gone: action({
      rest: "GET /proof/gone",
      summary: "Fails twice as a node that is gone does",
      permission: "companies.company.read",
      ...answer,
      async handler() {
        const run = ++runs.gone;
        if (run < 3) throw new Errors.RequestRejectedError({ action: "proof.time.gone", nodeID: "away" });
        return { run };
      },
    }),
  },
});

describe("the time of a request", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({ SERVICE_REQUEST_TIMEOUT_MS: "500" }, [proof]);
    tenant = await service.tenant();
  });
  after(() => service.stop());

  it("is over when it is over: a GET that takes too long is answered 503 and runs once", async () => {
    const { status, body, headers } = await tenant.owner.get("/proof/slow");
    expect([status, body.error.code, headers["retry-after"]]).to.deep.equal([503, "unavailable", "1"]);
    await delay(700);
    expect(runs.slow).to.equal(1);
  });

  it("is over for a POST with a key as well", async () => {
    const { status } = await tenant.owner.post("/proof/slow", undefined, { headers: { "Idempotency-Key": "once" } });
    expect(status).to.equal(503);
    await delay(700);
    expect(runs.slowPost).to.equal(1);
  });

  it("is over before its transaction: nothing is written, though the handler still ends", async () => {
    expect((await tenant.owner.post("/proof/written")).status).to.equal(503);
    await delay(1500);
    expect(runs.written).to.equal(1);
    expect((await tenant.owner.get("/companies/groups")).body).to.deep.equal([]);
  });

  it("is longer where the action says so", async () => {
    expect([(await tenant.owner.get("/proof/late")).status, runs.late]).to.deep.equal([200, 1]);
  });

  it("allows a GET to go to another node when the one that had it is gone", async () => {
    const { status, body } = await tenant.owner.get("/proof/gone");
    expect([status, body]).to.deep.equal([200, { run: 3 }]);
  });
});
