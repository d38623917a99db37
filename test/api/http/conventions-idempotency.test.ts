import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { action } from "../../../core/declare/action.ts";
import { answer, input, label, uuid } from "../../../core/schema/schema.ts";
import { trail } from "../../../core/trail/trail.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { keepEvents, until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

const ID = "01890000-0000-7000-8000-00000000000a";
const Made = answer("ProofMade", { id: uuid(), secret: label(64) });

/** When the slow write has begun, and when it may end. */
const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];

/** Writes that take their time, or that answer with a secret, as a module of the service could. */
const proof = actor("proof.idempotency", {
  actions: {
    secret: action({
      rest: "POST /proof/secrets",
      summary: "Answers with a one-time value",
      permission: "companies.company.write",
      body: input("ProofSecret", { name: label(20) }),
      returns: Made,
      oneTime: true,
      async handler() {
        await trail("company", ID, "created");
        return { id: ID, secret: "shown-exactly-once" };
      },
    }),
    slow: action({
      rest: "POST /proof/slow",
      summary: "Takes its time",
      permission: "companies.company.write",
      body: input("ProofSlow", { name: label(20) }),
      returns: Made,
      async handler() {
        await trail("company", ID, "created");
        begun.resolve();
        await ended.promise;
        return { id: ID, secret: "none" };
      },
    }),
  },
});

const CONFLICT = { error: { code: "idempotency_conflict", message: "errors.idempotency_conflict" } };
const keyed = (key: string) => ({ headers: { "Idempotency-Key": key } });

describe("writes with Idempotency-Key", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({}, [proof]);
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

  it("are done once; the repeat gets the same status and body, marked", async () => {
    const first = await tenant.owner.post("/companies", { name: "Once" }, keyed("once"));
    const before = await traces();
    const second = await tenant.owner.post("/companies", { name: "Once" }, keyed("once"));
    expect(first.status).to.equal(201);
    expect(first.headers["idempotent-replayed"]).to.equal(undefined);
    expect(second.status).to.equal(201);
    expect(second.text).to.equal(first.text);
    expect(second.headers["idempotent-replayed"]).to.equal("true");
    expect(second.headers["etag"]).to.equal(first.headers["etag"]);
    expect(await traces()).to.deep.equal(before);
  });

  it("remember the body as sent, unknown keys and nulls included", async () => {
    const body = { name: "Odd", legal_name: null, unknown: { deep: [1, null] }, assignees: [] };
    const first = await tenant.owner.post("/companies", body, keyed("odd"));
    const second = await tenant.owner.post("/companies", body, keyed("odd"));
    expect(second.text).to.equal(first.text);
    expect(second.headers["idempotent-replayed"]).to.equal("true");
  });

  it("refuse another body under the same key: 409 idempotency_conflict, nothing written", async () => {
    await tenant.owner.post("/companies", { name: "First body" }, keyed("other-body"));
    const before = await traces();
    const { status, body } = await tenant.owner.post("/companies", { name: "Second body" }, keyed("other-body"));
    expect(status).to.equal(409);
    expect(body).to.deep.equal(CONFLICT);
    expect(await traces()).to.deep.equal(before);
  });

  it("count per path, principal and organisation", async () => {
    const admin = await tenant.member("admin");
    const other = await service.tenant();
    const answers = [
      await tenant.owner.post("/companies", { name: "Shared" }, keyed("shared")),
      await tenant.owner.post("/companies/groups", { name: "Shared" }, keyed("shared")),
      await admin.post("/companies", { name: "Shared" }, keyed("shared")),
      await other.owner.post("/companies", { name: "Shared" }, keyed("shared")),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(4);
  });

  it("leave the key free when they are refused", async () => {
    const before = await traces();
    expect((await tenant.owner.post("/companies", { name: 7 }, keyed("free"))).status).to.equal(422);
    expect((await tenant.owner.post("/companies", { name: "x", assignees: [{ user_id: ID }] }, keyed("free"))).status).to.equal(
      400,
    );
    expect(await traces()).to.deep.equal(before);
    expect((await tenant.owner.post("/companies", { name: "Free" }, keyed("free"))).status).to.equal(201);
  });

  it("of ten twins at once make one row and give ten identical answers", async () => {
    const before = await traces();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => tenant.owner.post("/companies", { name: "Twin" }, keyed("twins"))),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(10).fill(201));
    expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
    expect(answers.filter(({ headers }) => headers["idempotent-replayed"] === "true")).to.have.length(9);
    expect((await traces())["companies"]).to.equal((before["companies"] as number) + 1);
  });

  it("wait for a twin that still runs and get its answer", async () => {
    const slow = () => tenant.owner.post("/proof/slow", { name: "a" }, keyed("slow"));
    const first = slow();
    await begun.promise;
    const second = slow();
    const waiting = `select 1 from pg_locks l join pg_stat_activity a on a.pid = l.pid and a.datname = current_database()
      where not l.granted and l.locktype = 'transactionid'`;
    await until(async () => (await service.sql.query(waiting)).rowCount === 1);
    ended.resolve();
    const [one, other] = await Promise.all([first, second]);
    expect([one.status, other.status]).to.deep.equal([201, 201]);
    expect(other.headers["idempotent-replayed"]).to.equal("true");
  });

  it("are 409 idempotency_in_progress when the twin takes too long", async () => {
    const twin = `insert into idempotency_keys (organisation_id, principal_id, path, key, body_hash)
        values ($1, $2, '/api/v1/companies', 'stuck', '')`;
    await service.sql.query("begin");
    try {
      await service.sql.query(twin, [tenant.organisation.id, tenant.owner.accountId]);
      const { status, body } = await tenant.owner.post("/companies", { name: "Stuck" }, keyed("stuck"));
      expect(status).to.equal(409);
      expect(body).to.deep.equal({
        error: { code: "idempotency_in_progress", message: "errors.idempotency_in_progress" },
      });
    } finally {
      await service.sql.query("rollback");
    }
    expect((await tenant.owner.post("/companies", { name: "Stuck" }, keyed("stuck"))).status).to.equal(201);
  });

  it("are remembered for 24 hours", async () => {
    const age = (hours: number) =>
      service.sql.query("update idempotency_keys set created_at = now() - make_interval(mins => $1) where key = 'aged'", [
        hours * 60,
      ]);
    const post = () => tenant.owner.post("/companies", { name: "Aged" }, keyed("aged"));
    const first = await post();
    await age(23.9);
    expect((await post()).text).to.equal(first.text);
    await age(24.1);
    const again = await post();
    expect(again.status).to.equal(201);
    expect(again.body.id).not.to.equal(first.body.id);
    expect((await post()).text).to.equal(again.text);
  });

  it("after the permission is lost answer 403 instead of the old answer", async () => {
    const person = await tenant.member("admin", { grants: ["companies.company.write"] });
    expect((await person.post("/companies", { name: "Then" }, keyed("lost"))).status).to.equal(201);
    await service.sql.query("delete from membership_roles where membership_id = $1", [person.membershipId]);
    expect((await person.post("/companies", { name: "Then" }, keyed("lost"))).status).to.equal(403);
  });

  it("that answered with a one-time value are 409 naming the id, and the value is stored nowhere", async () => {
    const first = await tenant.owner.post("/proof/secrets", { name: "s" }, keyed("secret"));
    expect(first.body.secret).to.equal("shown-exactly-once");
    const before = await traces();
    const { status, body } = await tenant.owner.post("/proof/secrets", { name: "s" }, keyed("secret"));
    expect(status).to.equal(409);
    expect(body).to.deep.equal({ error: { ...CONFLICT.error, details: { id: ID } } });
    expect(await traces()).to.deep.equal(before);
    const { rows } = await service.sql.query("select k::text from idempotency_keys k");
    expect(JSON.stringify(rows)).not.to.contain("shown-exactly-once");
  });

  it("take a key of 1 to 255 characters, else 422 naming the header", async () => {
    for (const [key, status] of [
      ["k".repeat(255), 201],
      ["k".repeat(256), 422],
      ["", 422],
    ] as const) {
      const answer = await tenant.owner.post("/companies", { name: "Long" }, keyed(key));
      expect(answer.status, String(key.length)).to.equal(status);
      if (status === 422) expect(answer.body.error.fields).to.deep.equal({ "Idempotency-Key": "errors.validation" });
    }
  });

  it("take a path as long as a request may have", async () => {
    const path = `/tasks/${randomBytes(4500).toString("hex")}/comments`;
    const answer = await tenant.owner.post(path, { body: "Long" }, keyed("long path"));
    expect([answer.status, answer.body.error.fields]).to.deep.equal([422, { task_id: "errors.validation" }]);
  });

  it("take a trailing slash and escapes for the same path", async () => {
    const first = await tenant.owner.post("/companies", { name: "Slash" }, keyed("slash"));
    for (const path of ["/companies/", "/%63ompanies"]) {
      const again = await tenant.owner.post(path, { name: "Slash" }, keyed("slash"));
      expect([again.status, again.body.id, again.headers["idempotent-replayed"]]).to.deep.equal([201, first.body.id, "true"]);
    }
  });

  it("mean it on PATCH, PUT and DELETE too, each alone, and not on a read", async () => {
    const { id } = await tenant.company();
    const path = `/companies/${id}`;
    const first = await tenant.owner.patch(path, { city: "A" }, keyed("one"));
    await tenant.owner.patch(path, { city: "B" });
    const again = await tenant.owner.patch(path, { city: "A" }, keyed("one"));
    expect([again.text, again.headers["idempotent-replayed"]]).to.deep.equal([first.text, "true"]);
    expect(again.headers["etag"]).to.equal(first.headers["etag"]);
    expect((await tenant.owner.get(path, keyed("one"))).body.city, "the repeat changed nothing").to.equal("B");
    const other = await tenant.owner.patch(path, { city: "C" }, keyed("one"));
    expect([other.status, other.body]).to.deep.equal([409, CONFLICT]);
    const gone = [await tenant.owner.delete(path, keyed("one")), await tenant.owner.delete(path, keyed("one"))];
    expect(gone.map(({ status }) => status)).to.deep.equal([204, 204]);
    expect(gone[1]?.headers["idempotent-replayed"]).to.equal("true");
    expect((await tenant.owner.delete(path, keyed("two"))).status).to.equal(404);
  });

  it("look at malformed input before the replay and at the key before validation never", async () => {
    const { status } = await tenant.owner.post("/companies", "{", keyed("unreadable"));
    expect(status).to.equal(422);
    expect((await tenant.owner.post("/companies", { name: "Now" }, keyed("unreadable"))).status).to.equal(201);
  });
});
