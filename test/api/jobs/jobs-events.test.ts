import { expect } from "chai";
import { action } from "../../../core/declare/action.ts";
import type { DomainEvent } from "../../../core/declare/events.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { input, integer, uuid } from "../../../core/schema/schema.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { settled, until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

const got: Record<string, { id: string; entity: string; n: string; at: number }[]> = { first: [], second: [], poisoned: [] };
let poison: (event: DomainEvent<"company.assigned">) => boolean = () => false;

const keep = (who: string, event: DomainEvent<"company.assigned">) =>
  got[who]?.push({ id: event.id, entity: event.entityId, n: event.payload.title, at: Date.now() });

const source = actor("proof.source", {
  actions: {
    emit: action({
      rest: "POST /proof/events",
      summary: "Emits events of one entity",
      permission: "companies.company.write",
      body: input("ProofEvents", { id: uuid(), count: integer(1, 50) }),
      returns: null,
      async handler(ctx) {
        const { id, count } = ctx.params.body;
        for (let n = 0; n < count; n++)
          emit("company.assigned", "company", id, { company_id: id, title: String(n), recipients: [] });
      },
    }),
  },
});
const first = actor("proof.first", {
  actions: {},
  subscribe: {
    async "company.assigned"(event, run) {
      expect(run.organisation.slug).to.be.a("string");
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 8));
      keep("first", event);
    },
  },
});
const second = actor("proof.second", { actions: {}, subscribe: { "company.assigned": async (event) => keep("second", event) } });
const poisoned = actor("proof.poisoned", {
  actions: {},
  subscribe: {
    async "company.assigned"(event) {
      if (poison(event)) throw new Error("poisoned");
      keep("poisoned", event);
    },
  },
});

const [A, B] = ["01890000-0000-7000-8000-0000000000a1", "01890000-0000-7000-8000-0000000000b1"];
const numbers = (who: string, entity: string) => got[who]?.filter((each) => each.entity === entity).map(({ n }) => Number(n));
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

describe("a domain event", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({}, [source, first, second, poisoned]);
    tenant = await service.tenant();
  });
  after(() => service.stop());
  beforeEach(() => {
    for (const each of Object.values(got)) each.length = 0;
    poison = () => false;
  });
  const send = (id: string, count: number) => tenant.owner.post("/proof/events", { id, count });
  const events = async () => (await service.sql.query("select id, event, relayed_at from outbox order by seq")).rows;

  it("reaches every subscriber once, in order per entity, and its row is removed after the last of them", async () => {
    await Promise.all([send(A, 12), send(B, 12)]);
    await settled(service);
    for (const who of ["first", "second", "poisoned"])
      for (const entity of [A, B]) expect(numbers(who, entity), `${who} ${entity}`).to.deep.equal(upTo(12));
    expect(await events()).to.deep.equal([]);
  });

  it("arrives with its payload, its cause and one id for all subscribers", async () => {
    const company = await tenant.company({ name: "Acme", assignees: [{ user_id: tenant.owner.accountId, is_primary: true }] });
    expect(company.id).to.be.a("string");
    await send(A, 1);
    await settled(service);
    // The event of the new company's own assignment may come in between.
    const ids = ["first", "second", "poisoned"].map((who) => got[who]?.find(({ entity }) => entity === A)?.id);
    expect([ids.every((id) => typeof id === "string"), new Set(ids).size]).to.deep.equal([true, 1]);
  });

  it("without subscribers leaves nothing behind", async () => {
    await tenant.company({ name: "Nobody cares" });
    await until(async () => (await events()).length === 0);
    expect((await service.sql.query("select 1 from jobs.agenda_jobs where data ? 'event'")).rowCount).to.equal(0);
  });

  it("poisoning one subscriber holds back neither the others nor other entities", async () => {
    poison = (event) => event.entityId === A && event.payload.title === "1";
    await Promise.all([send(A, 4), send(B, 4)]);
    const heard = (who: string, entity: string) => numbers(who, entity)?.length ?? 0;
    await until(() => heard("first", A) === 4 && heard("second", A) === 4 && heard("poisoned", B) === 4);
    await until(() => heard("poisoned", A) > 0);
    expect(numbers("poisoned", A), "its own later events of that entity wait").to.deep.equal([0]);
    poison = () => false;
    await settled(service);
    expect(numbers("poisoned", A), "and come in order when it is well").to.deep.equal(upTo(4));
  });

  it("that stays poisoned becomes a dead letter, and the later ones of its entity go on", async () => {
    poison = (event) => event.entityId === A && event.payload.title === "0";
    await send(A, 3);
    await until(() => got["first"]?.length === 3);
    // Four waits of its rule pass at once.
    const hasten =
      "update jobs.agenda_jobs set next_run_at = now() where name = $1 and next_run_at is not null and locked_at is null";
    await until(async () => {
      await service.sql.query(hasten, ["company.assigned > proof.poisoned"]);
      return numbers("poisoned", A)?.length === 2;
    });
    await settled(service);
    expect(numbers("poisoned", A)).to.deep.equal([1, 2]);
    const { rows } = await service.sql.query(
      "select fail_count, fail_reason, data from jobs.agenda_jobs where failed_at is not null",
    );
    expect(rows.map(({ fail_count, fail_reason }) => [fail_count, fail_reason])).to.deep.equal([[5, "poisoned"]]);
    expect(Object.keys(rows[0].data).sort(), "kind and ids only").to.deep.equal([
      "due",
      "event",
      "id",
      "key",
      "organisation",
      "payload",
    ]);
    expect((await events()).length, "its event is kept for another try").to.equal(1);
  });

  it("in a dead letter can be had again when an operator retries it", async () => {
    poison = () => false;
    await service.sql.query(
      "update jobs.agenda_jobs set next_run_at = now(), failed_at = null, fail_count = null where failed_at is not null",
    );
    await settled(service);
    await until(() => got["poisoned"]?.length === 1);
    expect(await events()).to.deep.equal([]);
  });

  it("brought again after it was had is recognised: the subscriber is not called twice", async () => {
    await send(A, 1);
    await settled(service);
    const id = got["second"]?.[0]?.id;
    const data = { organisation: tenant.organisation.id, key: A, event: id, payload: {}, due: new Date().toISOString() };
    await service.sql.query(
      `insert into jobs.agenda_jobs (id, name, next_run_at, data) select md5($1 || n)::uuid, n, now(), jsonb_build_object('id', md5($1 || n)::uuid) || $3
       from unnest($2::text[]) n`,
      [id, ["company.assigned > proof.second"], JSON.stringify(data)],
    );
    await settled(service);
    expect(got["second"]?.length).to.equal(1);
  });

  it("of a subscriber that is away waits for it", async () => {
    await service.sql.query(
      "insert into jobs.definitions (name, service, event) values ('company.assigned > proof.away', 'proof.away', 'company.assigned')",
    );
    await send(A, 2);
    await until(async () => (await service.sql.query("select 1 from jobs.ordered where name like '%away'")).rowCount === 2);
    await until(() => got["first"]?.length === 2);
    expect((await events()).length).to.equal(2);
    await service.sql.query("delete from jobs.definitions where service = 'proof.away'");
    await service.sql.query("delete from jobs.ordered where name like '%away'");
    await service.sql.query("delete from jobs.agenda_jobs where name like '%away'");
  });

  it("is refused with a payload that is not the catalogue's", async () => {
    const bad = emit as (event: string, type: string, id: string, payload: object) => void;
    expect(() => bad("company.assigned", "company", A, { company_id: "x" })).to.throw(TypeError, "company.assigned");
    expect(() => bad("company.vanished", "company", A, {})).to.throw(TypeError, "not in the event catalogue");
  });

  it("is in the catalogue's document with its schema and its subscribers, under the API reference's own access rule", async () => {
    const { status, body, headers } = await service.call("GET", "//api/events.json", { host: tenant.host });
    expect([status, headers["cache-control"]]).to.deep.equal([200, "no-store"]);
    expect(Object.keys(body.events)).to.include.members(["company.created", "leave.approved"]);
    const { properties, "x-subscribers": who } = body.events["company.assigned"];
    expect(properties.payload.required).to.deep.equal(["company_id", "title"]);
    expect(who).to.deep.equal(["proof.first", "proof.poisoned", "proof.second"]);
    const { paths } = (await service.call("GET", "//api/openapi.json", { host: tenant.host })).body;
    expect(Object.keys(paths).filter((path) => path.includes("events.json"))).to.deep.equal([]);
  });
});
