import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { query } from "../../../core/database/query.ts";
import { lock, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { forbidden } from "../../../core/errors/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { answer, input, label, list, optional, uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { Company } from "../../../services/clients/models.ts";
import type { Answer } from "../../support/http.ts";
import { holdSchedules, keepEvents } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

const ID = "01890000-0000-7000-8000-00000000000a";
const Made = answer("ProofMade", { id: uuid(), secret: label(64) });
const DIVISION = statement("select 1 / $1::int as result");
const DEADLOCK = statement("do $$ begin raise exception using errcode = 'deadlock_detected'; end $$");
let held = 0;
/** How often `fails` came as far as to write. */
let attempts = 0;

/** Writes that go wrong, or that answer with a secret, as a module of the service could. */
const proof = actor("proof.writes", {
  actions: {
    fails: action({
      rest: "POST /proof/fails",
      summary: "Writes, then fails",
      permission: "companies.company.write",
      body: input("ProofFails", { how: label(20) }),
      returns: Made,
      async handler(ctx) {
        await trail("company", ID, "created");
        emit("company.created", "company", ID, { company_id: ID, title: "Proof", status: "lead", recipients: [] });
        if (ctx.params.body.how === "refused") throw forbidden();
        attempts += 1;
        if (ctx.params.body.how === "outrun") await query(DEADLOCK);
        if (ctx.params.body.how === "broken") throw new Error("the disk is on fire");
        await query(DIVISION, [0]).catch(() => undefined);
        return { id: ID, secret: "never" };
      },
    }),
    crossing: action({
      rest: "POST /proof/crossing",
      summary: "Locks two rows in the order given",
      permission: "companies.company.write",
      body: input("ProofCrossing", { ids: list(uuid()), note: optional(label(20)) }),
      returns: Made,
      async handler(ctx) {
        const [first, second] = ctx.params.body.ids as [string, string];
        await lock(Company, first);
        held += 1;
        for (let waited = 0; held < 2 && waited < 100; waited++) await sleep(20);
        await lock(Company, second);
        await queueUpdate(Company, second, { city: "Delft" });
        return { id: second, secret: "none" };
      },
    }),
  },
});

const keyed = (key: string, headers: Record<string, string> = {}) => ({ headers: { "Idempotency-Key": key, ...headers } });

describe("writes", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({}, [proof]);
    // Writes by a schedule of the service would be counted among the traces.
    await holdSchedules(service, "%");
    await keepEvents(service);
    tenant = await service.tenant();
  });
  after(() => service.stop());

  /** Everything a write may leave behind, counted. */
  async function traces(): Promise<Record<string, number>> {
    const { rows } = await service.sql.query(`select (select count(*)::int from companies) as companies,
      (select count(*)::int from activity) as activity, (select count(*)::int from outbox) as outbox,
      (select count(*)::int from idempotency_keys) as keys`);
    return rows[0];
  }

  describe("with If-Match", () => {
    const read = (id: string) => tenant.owner.get(`/companies/${id}`);
    const patch = (id: string, ifMatch: string, body: object = { city: "Leiden" }) =>
      tenant.owner.patch(`/companies/${id}`, body, { headers: { "If-Match": ifMatch } });

    it("go ahead while the tag of the read holds, and give the next one", async () => {
      const { id } = await tenant.company();
      const { headers } = await read(id);
      expect(headers["etag"]).to.match(/^"[^"]+"$/);
      const written = await patch(id, headers["etag"] as string);
      expect(written.status).to.equal(200);
      expect(written.headers["etag"]).not.to.equal(headers["etag"]);
      expect((await read(id)).headers["etag"]).to.equal(written.headers["etag"]);
    });

    it("are 412 once the row has moved on, and nothing is written", async () => {
      const { id } = await tenant.company();
      const tag = (await read(id)).headers["etag"] as string;
      await tenant.owner.patch(`/companies/${id}`, { city: "Utrecht" });
      const before = await traces();
      for (const call of [
        patch(id, tag, { city: "Gouda" }),
        tenant.owner.delete(`/companies/${id}`, { headers: { "If-Match": tag } }),
      ]) {
        const { status, body } = await call;
        expect(status).to.equal(412);
        expect(body).to.deep.equal({ error: { code: "precondition_failed", message: "errors.precondition_failed" } });
      }
      expect((await read(id)).body.city).to.equal("Utrecht");
      expect(await traces()).to.deep.equal(before);
    });

    it("see a change of the roster as a change of the row", async () => {
      const { id } = await tenant.company();
      const tag = (await read(id)).headers["etag"] as string;
      await tenant.owner.patch(`/companies/${id}`, { responsible_user_id: tenant.owner.accountId });
      expect((await patch(id, tag)).status).to.equal(412);
    });

    const forms: [string, (tag: string) => string, number][] = [
      ["the tag itself", (tag) => tag, 200],
      ["a list that holds it", (tag) => `"zzz", ${tag}`, 200],
      ["any state", () => "*", 200],
      ["a weak tag", (tag) => `W/${tag}`, 412],
      ["a list without it", () => '"zzz", "yyy"', 412],
      ["the tag without quotes", (tag) => tag.replaceAll('"', ""), 412],
      ["nothing", () => "", 412],
    ];
    for (const [name, form, status] of forms)
      it(`name ${name}: ${status}`, async () => {
        const { id } = await tenant.company();
        const tag = (await read(id)).headers["etag"] as string;
        expect((await patch(id, form(tag))).status).to.equal(status);
      });

    it("of two writers with one tag let exactly one win", async () => {
      const { id } = await tenant.company();
      const tag = (await read(id)).headers["etag"] as string;
      const answers = await Promise.all(["A", "B", "C", "D", "E"].map((city) => patch(id, tag, { city })));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 412, 412, 412, 412]);
      const winner = answers.find(({ status }) => status === 200) as Answer;
      expect((await read(id)).body.city).to.equal(winner.body.city);
    });

    it("are looked at after validation and existence, before the state of the row", async () => {
      const { id } = await tenant.company({ client_number: "IM-1" });
      await tenant.company({ client_number: "IM-2" });
      expect((await patch(id, '"old"', { city: 7 })).status).to.equal(422);
      expect((await patch(ID, '"old"')).status).to.equal(404);
      expect((await patch(id, '"old"', { client_number: "IM-2" })).status).to.equal(412);
      expect((await patch(id, "*", { client_number: "IM-2" })).status).to.equal(409);
    });

    it("hold for PUT and DELETE as well", async () => {
      const ifMatch = { headers: { "If-Match": '"old"' } };
      const { id } = await tenant.company();
      expect((await tenant.owner.put("/companies/settings", {}, ifMatch)).status).to.equal(412);
      expect((await tenant.owner.put("/companies/settings", {}, { headers: { "If-Match": "*" } })).status).to.equal(200);
      expect((await tenant.owner.delete(`/companies/${id}`, ifMatch)).status).to.equal(412);
      expect((await tenant.owner.delete(`/companies/${id}`, { headers: { "If-Match": "*" } })).status).to.equal(204);
    });

    it("mean nothing on a POST or a GET, which name no row's state", async () => {
      const ifMatch = { headers: { "If-Match": '"old"' } };
      expect((await tenant.owner.post("/companies", { name: "Posted" }, ifMatch)).status).to.equal(201);
      expect((await tenant.owner.get("/companies/settings", ifMatch)).status).to.equal(200);
    });
  });

  describe("as one transaction", () => {
    for (const [how, status] of [
      ["refused", 403],
      ["broken", 500],
      ["swallowed", 500],
    ] as const)
      it(`leave no trail, event or key when the handler is ${how} after writing`, async () => {
        const before = await traces();
        expect((await tenant.owner.post("/proof/fails", { how }, keyed(`fails-${how}`))).status).to.equal(status);
        expect(await traces()).to.deep.equal(before);
        expect((await tenant.owner.post("/proof/fails", { how })).status).to.equal(status);
        expect(await traces()).to.deep.equal(before);
      });

    it("leave nothing when a rule refuses after a number was drawn", async () => {
      const next = async () => (await tenant.owner.get("/companies/settings")).body.client_number_next_seq;
      const before = [await next(), await traces()];
      const stranger = { name: "No", responsible_user_id: ID };
      expect((await tenant.owner.post("/companies", stranger)).status).to.equal(400);
      expect([await next(), await traces()]).to.deep.equal(before);
    });

    it("run again after a deadlock, with their key and their body", async () => {
      const [one, other] = [await tenant.company(), await tenant.company()];
      held = 0;
      const body = (ids: string[]) => ({ ids, unknown: "dropped by the schema" });
      const cross = (ids: string[], key: string) => tenant.owner.post("/proof/crossing", body(ids), keyed(key));
      const answers = await Promise.all([cross([one.id, other.id], "cross-1"), cross([other.id, one.id], "cross-2")]);
      expect(answers.map(({ status }) => status)).to.deep.equal([201, 201]);
      expect(answers.map((answered) => answered.body.id)).to.deep.equal([other.id, one.id]);
      const replays = [await cross([one.id, other.id], "cross-1"), await cross([other.id, one.id], "cross-2")];
      expect(replays.map(({ headers }) => headers["idempotent-replayed"])).to.deep.equal(["true", "true"]);
    });

    it("are 503 and leave nothing when another request gets in the way each of three times", async () => {
      attempts = 0;
      const before = await traces();
      const { status, body, headers } = await tenant.owner.post("/proof/fails", { how: "outrun" }, keyed("outrun"));
      expect([status, body.error.code, headers["retry-after"], attempts]).to.deep.equal([503, "unavailable", "1", 3]);
      expect(await traces()).to.deep.equal(before);
    });

    it("write the row, its trail and its event together", async () => {
      const before = await traces();
      await tenant.company();
      const after = await traces();
      expect(after).to.deep.equal({
        companies: (before["companies"] as number) + 1,
        activity: (before["activity"] as number) + 1,
        outbox: (before["outbox"] as number) + 1,
        keys: before["keys"],
      });
    });

    it("that change nothing leave no line, no event and the same tag", async () => {
      const { id } = await tenant.company({ city: "Delft" });
      const tag = (await tenant.owner.get(`/companies/${id}`)).headers["etag"];
      const before = await traces();
      const answered = await tenant.owner.patch(`/companies/${id}`, { city: "Delft" });
      expect(answered.headers["etag"]).to.equal(tag);
      expect(await traces()).to.deep.equal(before);
    });
  });

  it("without any of this let the last one win, and are done again when repeated", async () => {
    const { id } = await tenant.company();
    await Promise.all(["A", "B", "C"].map((city) => tenant.owner.patch(`/companies/${id}`, { city })));
    expect(["A", "B", "C"]).to.include((await tenant.owner.get(`/companies/${id}`)).body.city);
    const [one, other] = [await tenant.company({ name: "Again" }), await tenant.company({ name: "Again" })];
    expect(one.id).not.to.equal(other.id);
  });

  it("that delete are permanent; the trail survives", async () => {
    const { id } = await tenant.company();
    expect((await tenant.owner.delete(`/companies/${id}`)).status).to.equal(204);
    expect((await tenant.owner.get(`/companies/${id}`)).status).to.equal(404);
    expect((await tenant.owner.delete(`/companies/${id}`)).status).to.equal(404);
    const { rows } = await service.sql.query("select action, actor_name from activity where entity_id = $1", [id]);
    expect(rows[0].action).to.equal("created");
    expect(rows[0].actor_name).to.match(/^owner \d+$/);
  });
});
