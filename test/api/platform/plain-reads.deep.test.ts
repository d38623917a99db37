import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { ServiceBroker } from "moleculer";
import { sequelize } from "../../../core/database/sequelize.ts";
import type { Meta, Principal } from "../../../core/declare/principal.ts";
import { runRequest } from "../../../core/request/context.ts";
import { SYSTEM, systemRequest } from "../../../core/request/system.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

interface Company {
  id: string;
  name: string;
  status: string;
  organisation_id: string;
}

describe("find, count and row of every resource", () => {
  let service: TestService;
  let broker: ServiceBroker;
  let tenant: Tenant;
  let other: Tenant;

  const metaOf = ({ organisation }: Tenant, principal: Principal | null = SYSTEM): Meta => ({
    organisation,
    principal,
    requestId: randomUUID(),
    host: "",
    address: "",
    userAgent: null,
    origin: "",
  });
  const call = <T>(action: string, params: object = {}, meta = metaOf(tenant)) =>
    broker.call<T, object>(action, params, { meta });
  const refusal = (action: string, params: object, meta = metaOf(tenant)) =>
    call(action, params, meta).then(
      () => null,
      ({ code, type, data }: { code: number; type: string; data?: { fields?: object } }) => [code, type, data?.fields],
    );
  /** `find`, `count` and `row` of every actor on the node that has a model. */
  const plain = () =>
    (
      broker.registry.actions.list({ skipInternal: true }) as unknown as {
        name: string;
        action: { visibility?: string; rest?: string };
      }[]
    ).filter(({ name, action }) => /\.(find|count|row)$/.test(name) && action.rest === undefined);

  before(async () => {
    service = await startService();
    broker = service.node.broker;
    [tenant, other] = [await service.tenant(), await service.tenant()];
    for (const [name, status] of [
      ["Alpha", "lead"],
      ["Beta", "active"],
      ["Gamma", "active"],
    ])
      await tenant.owner.post("/companies", { name, status });
    await other.owner.post("/companies", { name: "Elsewhere" });
    await tenant.owner.post("/contacts", { first_name: "Ada" });
  });
  after(() => service.stop());

  it("give rows by condition and order, as PostgreSQL keeps them", async () => {
    const found = await call<Company[]>("companies.find", { sort: "-name" });
    expect(found.map(({ name }) => name)).to.deep.equal(["Gamma", "Beta", "Alpha"]);
    expect(found[0]).to.include({ status: "active", organisation_id: tenant.organisation.id });
    expect(found[0]).to.have.property("custom").that.deep.equals({});
    expect(found[0])
      .to.have.property("created_at")
      .that.matches(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/);
    expect(found[0]).not.to.have.any.keys("search_text", "_id");
    const active = await call<Company[]>("companies.find", { query: { status: "active" }, sort: "name", limit: 1, offset: 1 });
    expect(active.map(({ name }) => name)).to.deep.equal(["Gamma"]);
    const named = await call("companies.find", {
      query: { name: ["Alpha", "Beta"] },
      sort: ["status", "-name"],
      fields: "name, status",
    });
    expect(named).to.deep.equal([
      { name: "Beta", status: "active" },
      { name: "Alpha", status: "lead" },
    ]);
    expect(await call("companies.find", { query: { website: null }, fields: ["name"], limit: 1, sort: "name" })).to.deep.equal([
      { name: "Alpha" },
    ]);
    const since = { created_at: (found[0] as Company & { created_at: string }).created_at };
    expect(await call("companies.count", { query: since })).to.equal(1);
  });

  it("count, and give one row by its id", async () => {
    expect(await call("companies.count")).to.equal(3);
    expect(await call("companies.count", { query: { status: ["lead", "archived"] } })).to.equal(1);
    expect(await call("contacts.count")).to.equal(1);
    const [one] = await call<[Company]>("companies.find", { limit: 1 });
    expect(await call("companies.row", { id: one.id })).to.deep.equal(one);
    expect(await refusal("companies.row", { id: randomUUID() })).to.deep.equal([404, "not_found", undefined]);
  });

  it("stay inside the caller's organisation, for any request", async () => {
    expect(await call("companies.count", {}, metaOf(other))).to.equal(1);
    const [foreign] = await call<[Company]>("companies.find", {}, metaOf(other));
    expect(foreign.name).to.equal("Elsewhere");
    expect(await refusal("companies.row", { id: foreign.id })).to.deep.equal([404, "not_found", undefined]);
    expect(await call("companies.count", { query: { organisation_id: other.organisation.id } })).to.equal(3);
  });

  it("are refused for unknown names, invalid values of a column, and too much", async () => {
    const wrong = (field: string) => [422, "validation", { [field]: "errors.validation" }];
    expect(await refusal("companies.find", { query: { colour: "red" } })).to.deep.equal(wrong("colour"));
    expect(await refusal("companies.count", { query: { search_text: "alpha" } })).to.deep.equal(wrong("search_text"));
    expect(await refusal("companies.count", { limit: 1 })).to.deep.equal(wrong("limit"));
    expect(await refusal("companies.find", { query: { id: "1" } })).to.deep.equal(wrong("id"));
    expect(await refusal("companies.find", { query: { name: { $like: "A%" } } })).to.deep.equal(wrong("name"));
    expect(await refusal("companies.find", { query: { custom: {} } })).to.deep.equal(wrong("custom"));
    expect(await refusal("companies.find", { limit: 201 })).to.deep.equal(wrong("limit"));
    expect(await refusal("companies.find", { fields: "name,search_text" })).to.deep.equal(wrong("fields"));
    expect(await refusal("companies.row", { id: [randomUUID()] })).to.deep.equal(wrong("id"));
    const sort = await refusal("companies.find", { sort: "-search_text" });
    expect(sort).to.deep.equal([400, "invalid_sort", { sort: "errors.invalid_sort" }]);
  });

  it("let in only who may see every row", async () => {
    const { rows } = await service.sql.query("select access_revision from organisations where id = $1", [tenant.organisation.id]);
    const current = { ...tenant, organisation: { ...tenant.organisation, revision: rows[0].access_revision as string } };
    const owner: Principal = { ...SYSTEM, kind: "user" };
    expect(await call("companies.count", {}, metaOf(current, owner))).to.equal(3);
    expect(await refusal("companies.count", {}, metaOf(tenant, owner)), "a principal of before").not.to.equal(null);
    const reader = { ...owner, grants: ["companies.company.read"] };
    for (const principal of [reader, { ...owner, selection: [] }])
      expect(await refusal("companies.find", {}, metaOf(current, principal))).to.deep.equal([403, "forbidden", undefined]);
    expect((await refusal("companies.find", {}, metaOf(current, null)))?.[0]).to.equal(401);
  });

  it("read in a transaction that cannot write", async () => {
    const store = systemRequest("test", tenant.organisation, "read");
    const read = (text: string) => runRequest(store, () => sequelize.query(text));
    const [[row]] = (await read("select current_setting('transaction_read_only') as read_only")) as [
      [{ read_only: string }],
      unknown,
    ];
    expect(row.read_only).to.equal("on");
    const written = await read("update companies set name = 'Changed'").catch((error: Error) => error.message);
    expect(written).to.contain("read-only transaction");
    await store.transaction?.rollback();
  });

  it("are there for every actor with a model, work, and never show or name a secret", async () => {
    const actors = [...new Set(plain().map(({ name }) => name.replace(/\.\w+$/, "")))];
    expect(actors).to.include.members(["companies", "contacts.types", "leave.requests", "members", "settings.email", "audit"]);
    await service.sql.query(
      `insert into leave_calendar_tokens (id, organisation_id, membership_id, token_hash)
         select gen_random_uuid(), organisation_id, id, 'hash' from memberships where organisation_id = $1 limit 1`,
      [tenant.organisation.id],
    );
    await service.sql.query(
      `insert into sessions (organisation_id, account_id, token_hash, expires_at)
         select organisation_id, account_id, 'hash', now() + interval '1 day' from memberships where organisation_id = $1 limit 1`,
      [tenant.organisation.id],
    );
    const smtp = { provider: "smtp", from_address: "a@acme.test", host: "mail.acme.test", username: "a", secret: "hunter2" };
    expect((await tenant.owner.put("/settings/email", smtp)).status).to.equal(200);
    expect((await tenant.owner.post("/api-keys", { name: "CI", scopes: ["companies.company.read"] })).status).to.equal(201);
    for (const actor of actors) {
      const rows = await call<Record<string, unknown>[]>(`${actor}.find`, { limit: 200 });
      expect(await call(`${actor}.count`), actor).to.equal(rows.length);
      for (const row of rows.slice(0, 1)) expect(await call(`${actor}.row`, { id: row["id"] })).to.deep.equal(row);
    }
    for (const [actor, secret] of [
      ["settings.email", "secret"],
      ["leave.calendar", "token_hash"],
      ["api-keys", "secret_hash"],
      ["auth.sessions", "token_hash"],
    ] as const) {
      const [row] = await call<[object]>(`${actor}.find`);
      expect(row).to.include.keys("id").and.not.have.any.keys(secret);
      expect(await refusal(`${actor}.find`, { query: { [secret]: "x" } })).to.deep.equal([
        422,
        "validation",
        { [secret]: "errors.validation" },
      ]);
      expect((await refusal(`${actor}.find`, { sort: secret }))?.[1]).to.equal("invalid_sort");
      expect((await refusal(`${actor}.find`, { fields: secret }))?.[0]).to.equal(422);
    }
    expect(actors.length).to.be.greaterThan(20);
  });

  it("are protected, no routes, and not in the document", async () => {
    const kinds = plain().map(({ action }) => action.visibility);
    expect(new Set(kinds)).to.deep.equal(new Set(["protected"]));
    const { body } = await service.call("GET", "//api/openapi.json", { host: tenant.host });
    expect(JSON.stringify(body)).not.to.match(/companies\.(find|count|row)/);
  });

  it("leave a list that another actor calls with the defaults of the API", async () => {
    const page = await call<{ items: Company[]; total: number; limit: number; offset: number }>("companies.list");
    expect(page).to.include({ total: 3, limit: 50, offset: 0 });
    expect(page.items).to.have.length(3);
  });
});
