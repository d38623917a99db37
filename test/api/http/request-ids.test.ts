import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

describe("X-Request-Id", () => {
  let service: TestService;
  let tenant: Tenant;
  let id: string;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  beforeEach(() => {
    id = randomUUID();
  });
  after(() => service.stop());

  const found = async (table: "activity" | "access_audit") =>
    (await service.sql.query(`select action from ${table} where request_id = $1 order by action`, [id])).rows.map(
      ({ action }) => action,
    );
  const sent = (requestId = id) => ({ headers: { "X-Request-Id": requestId } });

  it("finds the lines of the trail that a write made", async () => {
    const { body: company } = await tenant.owner.post("/companies", { name: "First" }, sent());
    expect(await found("activity")).to.deep.equal(["created"]);
    const other = randomUUID();
    await tenant.owner.patch(`/companies/${company.id}`, { name: "Second" }, sent(other));
    const { rows } = await service.sql.query("select action, request_id from activity where entity_id = $1 order by action", [
      company.id,
    ]);
    expect(rows).to.deep.equal([
      { action: "created", request_id: id },
      { action: "updated", request_id: other },
    ]);
  });

  it("finds the lines of many records that one request changed", async () => {
    const entries: string[] = [];
    for (const minutes of [5, 10]) {
      const entry = { started_at: "2026-03-02T09:00:00Z", minutes, description: "Work" };
      entries.push((await tenant.owner.post("/time/entries", entry)).body.id);
    }
    const { status, text } = await tenant.owner.post("/time/entries/approve", { entry_ids: entries }, sent());
    expect(status, text).to.equal(200);
    expect(await found("activity")).to.deep.equal(["approved", "approved"]);
  });

  it("finds the lines of the access audit", async () => {
    const { status, text } = await tenant.owner.post("/roles", { key: "reader", permissions: [] }, sent());
    expect(status, text).to.equal(201);
    expect(await found("access_audit")).to.deep.equal(["role.create"]);
  });

  it("is made where the caller sends none, or one that cannot be logged", async () => {
    for (const headers of [{}, { "X-Request-Id": "two words" }] as Record<string, string>[]) {
      const answer = await tenant.owner.post("/companies", { name: "Third" }, { headers });
      const made = answer.headers["x-request-id"] as string;
      expect(made).to.match(/^[0-9a-f-]{36}$/);
      id = made;
      expect(await found("activity")).to.deep.equal(["created"]);
    }
  });
});
