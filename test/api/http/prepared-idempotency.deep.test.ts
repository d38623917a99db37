import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { action } from "../../../core/declare/action.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { actOutside } from "../../../core/outbound/acts.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { answer, input, label, uuid } from "../../../core/schema/schema.ts";
import { trail } from "../../../core/trail/trail.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { fire, holdSchedules, until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

const ID = "01890000-0000-7000-8000-00000000000b";
const Acted = answer("ProofActed", { id: uuid(), of: label(20) });
/** Acts outside of the service: by whose request, and under which id. */
const acts: { of: string; workId: string | undefined }[] = [];
const actsOf = (name: string) => acts.filter(({ of }) => of === name);
/** Errors of the next handlers, and of the next acts once they are done. */
let failures: unknown[] = [];
let ends: unknown[] = [];
/** The wait of each act, by its subject; the others take a moment. */
const gates = new Map<string, Promise<void>>();

/** A write that first does outside of the service what cannot be undone, as the send of a document does. */
const proof = actor("proof.acts", {
  actions: {
    act: action({
      rest: "POST /proof/acts",
      summary: "Does something outside of the service",
      permission: "companies.company.write",
      body: input("ProofAct", { of: label(20) }),
      returns: Acted,
      acts: "outside",
      async prepare(ctx) {
        const { of } = ctx.params.body;
        await actOutside("proof");
        acts.push({ of, workId: request().workId });
        await (gates.get(of) ?? sleep(200));
        const lost = ends.shift();
        if (lost) throw lost;
        return of;
      },
      async handler() {
        await trail("company", ID, "created");
        const failure = failures.shift();
        if (failure) throw failure;
        return { id: ID, of: prepared<string>() };
      },
    }),
  },
});

describe("writes that do something outside of the service first, with Idempotency-Key", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({}, [proof]);
    await holdSchedules(service, "jobs.acts");
    tenant = await service.tenant();
  });
  beforeEach(async () => {
    failures = [];
    ends = [];
    await service.sql.query("delete from outside_acts");
  });
  after(() => service.stop());

  const act = (of: string, key: string) => tenant.owner.post("/proof/acts", { of }, { headers: { "Idempotency-Key": key } });
  /** Has acts of this name wait, and gives the way to let them go on. */
  const hold = (of: string): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gates.set(of, promise);
    return resolve;
  };
  const begun = (of: string) => until(() => actsOf(of).length > 0);
  /** How many acts wait to be recorded. */
  const stored = async (): Promise<number> =>
    (await service.sql.query("select count(*)::int as acts from outside_acts")).rows[0].acts;
  const held = async (key: string) =>
    (await service.sql.query("select held_until is not null as held, status from idempotency_keys where key = $1", [key])).rows;

  it("do it once for five twins, which get one answer", async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => act("twins", "twins")));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(5).fill(201));
    expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
    expect(answers.filter(({ headers }) => headers["idempotent-replayed"] === "true")).to.have.length(4);
    expect(actsOf("twins")).to.have.length(1);
    expect(await held("twins")).to.deep.equal([{ held: false, status: 201 }]);
  });

  it("refuse another body at once while the first is under way", async () => {
    const goOn = hold("one body");
    const first = act("one body", "bodies");
    await begun("one body");
    const { status, body } = await act("other body", "bodies");
    goOn();
    expect([status, body.error.code]).to.deep.equal([409, "idempotency_conflict"]);
    expect((await first).status).to.equal(201);
    expect([actsOf("one body").length, actsOf("other body").length]).to.deep.equal([1, 0]);
  });

  it("leave the key free when they are refused: a twin that waited goes ahead itself", async () => {
    failures = [refusal("conflict")];
    const answers = await Promise.all([act("refused", "refused"), act("refused", "refused")]);
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([201, 409]);
    const ids = actsOf("refused").map(({ workId }) => workId);
    expect([ids.length, new Set(ids).size]).to.deep.equal([2, 2]);
    failures = [refusal("conflict")];
    expect((await act("gone", "gone")).status).to.equal(409);
    expect(await held("gone")).to.deep.equal([]);
  });

  it("do it again under the same id where the node does not know whether it was done", async () => {
    ends = [new Error("the answer was lost")];
    expect((await act("unknown", "unknown")).status).to.equal(500);
    expect((await act("unknown", "unknown")).status).to.equal(201);
    const [first, second, ...more] = actsOf("unknown").map(({ workId }) => workId);
    expect(first).to.match(/^[0-9a-f-]{36}$/);
    expect([second, more]).to.deep.equal([first, []]);
    expect((await act("unknown", "unknown")).headers["idempotent-replayed"]).to.equal("true");
  });

  it("record it under the same key, and do not do it again, where the node knew that it was done", async () => {
    failures = [new Error("broken")];
    expect((await act("known", "known")).status).to.equal(500);
    expect(await stored()).to.equal(1);
    const { status, body } = await act("known", "known");
    expect([status, body.of, actsOf("known").length, await stored()]).to.deep.equal([201, "known", 1, 0]);
  });

  it("are recorded by a job where the caller does not ask again, once, in the caller's name", async () => {
    const lines = async () =>
      (
        await service.sql.query("select actor_account_id as by from activity where organisation_id = $1 and entity_id = $2", [
          tenant.organisation.id,
          ID,
        ])
      ).rows;
    const before = await lines();
    failures = [new Error("broken"), new Error("broken once more")];
    expect((await tenant.owner.post("/proof/acts", { of: "left" })).status).to.equal(500);
    expect(await stored()).to.equal(1);
    const due = async () => {
      await service.sql.query("update outside_acts set due_at = now() - interval '1 minute'");
      await fire(service, "jobs.acts");
    };
    await due();
    await until(() => failures.length === 0);
    await until(async () => (await service.sql.query("select 1 from outside_acts where due_at > now()")).rowCount === 1);
    expect(await lines()).to.deep.equal(before);
    await due();
    await until(async () => (await stored()) === 0);
    expect(actsOf("left")).to.have.length(1);
    expect((await lines()).slice(before.length)).to.deep.equal([{ by: tenant.owner.accountId }]);
  });

  it("are forgotten where they are refused as they are recorded", async () => {
    failures = [refusal("conflict")];
    expect((await tenant.owner.post("/proof/acts", { of: "refused keyless" })).status).to.equal(409);
    expect(await stored()).to.equal(0);
  });

  it("are not done a second time where what follows them in prepare loses a race", async () => {
    ends = [Object.assign(new Error("deadlock detected"), { code: "40P01" })];
    expect((await tenant.owner.post("/proof/acts", { of: "race after" })).status).to.equal(500);
    expect(actsOf("race after")).to.have.length(1);
  });

  it("take over, under the same id, the key of a node that died, and wait for one that has not", async function () {
    this.timeout(120_000);
    await act("died", "died");
    const leave = (seconds: number) =>
      service.sql.query(
        "update idempotency_keys set status = null, body = null, held_until = now() + make_interval(secs => $1) where key = 'died'",
        [seconds],
      );
    await leave(-1);
    expect((await act("died", "died")).status).to.equal(201);
    const ids = actsOf("died").map(({ workId }) => workId);
    expect([ids.length, new Set(ids).size]).to.deep.equal([2, 1]);
    await leave(600);
    const { status, body } = await act("died", "died");
    expect([status, body.error.code]).to.deep.equal([409, "idempotency_in_progress"]);
    expect(actsOf("died")).to.have.length(2);
  });

  it("keep the key held for as long as it takes", async function () {
    this.timeout(60_000);
    const goOn = hold("long");
    const acting = act("long", "long");
    await begun("long");
    const heldUntil = async (): Promise<string> =>
      (await service.sql.query("select held_until::text from idempotency_keys where key = 'long'")).rows[0].held_until;
    const first = await heldUntil();
    await until(async () => (await heldUntil()) > first, 30_000);
    goOn();
    expect((await acting).status).to.equal(201);
  });

  for (const [what, key] of [
    ["with a key", "raced"],
    ["without one", undefined],
  ] as const)
    it(`do it once where the transaction is lost to another, ${what}`, async () => {
      failures = [Object.assign(new Error("deadlock detected"), { code: "40P01" })];
      const call = key === undefined ? {} : { headers: { "Idempotency-Key": key } };
      const { status, body } = await tenant.owner.post("/proof/acts", { of: what }, call);
      expect([status, body.of]).to.deep.equal([201, what]);
      expect(actsOf(what)).to.have.length(1);
    });

  it("do it once, and write it down, where the access of anyone changes meanwhile", async () => {
    const { id } = tenant.organisation;
    const goOn = hold("access");
    const acting = tenant.owner.post("/proof/acts", { of: "access" });
    await begun("access");
    await service.sql.query("update organisations set access_revision = access_revision + 1 where id = $1", [id]);
    goOn();
    expect((await acting).status).to.equal(201);
    expect(actsOf("access")).to.have.length(1);
  });
});
