import type { Client } from "@modelcontextprotocol/client";
import { expect } from "chai";
import { given, mcpClient, textsOf } from "../../support/mcp.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

describe("a call of a tool is the call of its action", () => {
  let service: TestService;
  let tenant: Tenant;
  let owner: Caller;
  const clients: Client[] = [];
  const as = async ({ key }: Caller) => {
    const client = await mcpClient(service.port, { host: tenant.host, key });
    clients.push(client);
    return (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args });
  };
  let call: Awaited<ReturnType<typeof as>>;
  const operation = (name: string, args: object = {}) => call("call_tool", { operation: name, arguments: args });
  const errorOf = ({ structuredContent, isError }: Awaited<ReturnType<typeof call>>) => {
    expect(isError).to.equal(true);
    const { error, status } = structuredContent as { error: { code: string; fields?: object }; status: number };
    return [status, error.code];
  };
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    ({ owner } = tenant);
    call = await as(owner);
  });
  after(async () => {
    for (const client of clients) await client.close();
    await service.stop();
  });

  it("with its idempotency: the same key gives the first answer again, another body is refused", async () => {
    const asked = { idempotency_key: "mcp-1", body: { name: "Once" } };
    const [first, again] = [await operation("companiesCreate", asked), await operation("companiesCreate", asked)];
    expect(given(again)).to.deep.equal(given(first));
    expect(textsOf(again)[0]).to.contain('"idempotent_replayed":"true"');
    const over = await owner.post("/companies", { name: "Once" }, { headers: { "Idempotency-Key": "mcp-1" } });
    expect([over.status, over.body.id]).to.deep.equal([201, given(first).id]);
    expect(errorOf(await operation("companiesCreate", { ...asked, body: { name: "Twice" } }))).to.deep.equal([
      409,
      "idempotency_conflict",
    ]);
    // Without a key, two calls are two records: a client that numbers its messages alike each time means no repetition.
    const [one, other] = [
      await operation("companiesCreate", { body: { name: "Two" } }),
      await operation("companiesCreate", { body: { name: "Two" } }),
    ];
    expect(given(one).id).to.not.equal(given(other).id);
  });

  it("with its entity tags", async () => {
    const { id } = await tenant.company();
    const change = { company_id: id, if_match: '"1"', body: { city: "Enkhuizen" } };
    expect(textsOf(await operation("companiesUpdate", change))[0]).to.contain(String.raw`"etag":"\"2\""`);
    expect(errorOf(await operation("companiesUpdate", change))).to.deep.equal([412, "precondition_failed"]);
  });

  it("with its order of refusals: permission, then validation, then existence", async () => {
    const member = await as(await tenant.member("member"));
    const none = "00000000-0000-4000-8000-000000000000";
    const wrong = { operation: "companiesUpdate", arguments: { company_id: "no id", body: { name: 7 } } };
    expect(errorOf(await member("call_tool", wrong))).to.deep.equal([403, "forbidden"]);
    expect(errorOf(await call("call_tool", wrong))).to.deep.equal([422, "validation"]);
    expect(errorOf(await operation("companiesGet", { company_id: none }))).to.deep.equal([404, "not_found"]);
  });

  it("with the selection of the key's owner", async () => {
    const restricted = await tenant.member("admin");
    const [seen, hidden] = [await tenant.company({ name: "Reefs seen" }), await tenant.company({ name: "Reefs hidden" })];
    await tenant.group("Some", [seen.id], [restricted.membershipId]);
    const narrow = await as(restricted);
    const found = given(await narrow("find_client", { q: "reefs" }));
    expect(found.items.map(({ id }: { id: string }) => id)).to.deep.equal([seen.id]);
    const read = { operation: "companiesGet", arguments: { company_id: hidden.id } };
    expect(errorOf(await narrow("read_tool", read))).to.deep.equal([404, "not_found"]);
  });

  it("with the trail of the caller", async () => {
    const { id } = await tenant.company();
    await operation("companiesUpdate", { company_id: id, body: { city: "Medemblik" } });
    await owner.patch(`/companies/${id}`, { city: "Hindeloopen" });
    const [http, tool] = (await owner.get(`/activity?entity_type=company&entity_id=${id}`)).body;
    const by = ({ id: _id, created_at: _at, payload: _payload, ...line }: Record<string, unknown>) => line;
    expect(by(tool)).to.deep.equal(by(http));
  });

  it("for a service account as for a person, but not where it would have to be one", async () => {
    const robot = await as(
      await tenant.serviceAccount(["companies.company.read", "time.entry.read:any", "time.entry.write:any"]),
    );
    expect((await robot("find_client")).isError).to.not.equal(true);
    expect(errorOf(await robot("log_time", { started_at: "2026-03-02T09:00:00Z", minutes: 30 }))).to.deep.equal([
      403,
      "forbidden",
    ]);
  });

  it("reads alone by the tool that reads", async () => {
    const refused = await call("read_tool", { operation: "companiesCreate", arguments: { body: { name: "Unread" } } });
    expect(errorOf(refused)).to.deep.equal([422, "validation"]);
    expect((await owner.get("/companies?q=unread")).body.total).to.equal(0);
  });

  it("is not to be had for what shows a secret, takes or gives a file, is a session's or is open", async () => {
    for (const name of ["apiKeysCreate", "companiesLogoSet", "usersMeGet", "authLogin", "notificationsStream"])
      expect(errorOf(await operation(name, { body: {} })), name).to.deep.equal([404, "not_found"]);
  });

  it("logs time, and lists my tasks and unpaid invoices, the everyday way", async () => {
    const task = (await owner.post("/tasks", { title: "Grootzeil", assignees: [{ user_id: owner.accountId }] })).body;
    const mine = given(await call("my_tasks"));
    expect(mine.map(({ id }: { id: string }) => id)).to.deep.equal([task.id]);
    const entry = given(await call("log_time", { task_id: task.id, started_at: "2026-03-02T09:00:00Z", minutes: 30 }));
    expect(entry).to.deep.include({ task_id: task.id, minutes: 30, user_id: owner.accountId });
    expect(given(await call("my_leave", { year: 2026 }))).to.be.an("array");
    const { id: company_id } = await tenant.company({ country: "NL" });
    const draft = await owner.post("/invoicing/invoices", {
      company_id,
      lines: [{ description: "Werk", quantity: "1", unit_price: "100" }],
    });
    expect(given(await call("unpaid_invoices")).total).to.equal(0);
    const issued = await owner.post(`/invoicing/invoices/${draft.body.id}/issue`, {});
    expect(issued.status, issued.text).to.be.below(300);
    const { items } = given(await call("unpaid_invoices", { company_id }));
    expect(items.map(({ id, status }: Record<string, string>) => [id, status])).to.deep.equal([[draft.body.id, "open"]]);
  });
});
