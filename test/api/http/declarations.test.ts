import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { action } from "../../../core/declare/action.ts";
import { Type } from "../../../core/schema/schema.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { Routes } from "../../../services/api/routes.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { send } from "../../support/http.ts";
import { startService, type TestService } from "../../support/service.ts";

oneProcess("changes actors while the node runs");

describe("the declarations of actors", () => {
  let service: TestService;
  let gateway: { refresh(): Promise<void> };
  before(async () => {
    service = await startService();
    ({ gateway } = service.node.broker.getLocalService("api") as unknown as { gateway: typeof gateway });
    // What came up last may still be on its way into the table.
    await gateway.refresh();
    await service.sql.query(`
      create table saves (at timestamptz default clock_timestamp());
      create function note_save() returns trigger language plpgsql security definer as $$
        begin insert into saves default values; return null; end $$;
      create trigger note_save after insert on declarations for each statement execute function note_save();`);
  });
  after(() => service.stop());
  const count = async (table: string) => Number((await service.sql.query(`select count(*) from ${table}`)).rows[0].count);

  it("is remembered by one statement, however many they are", async () => {
    const known = await count("declarations");
    expect(known).to.be.greaterThan(30);
    await service.sql.query("delete from declarations");
    const routes = new Routes();
    routes.rebuild(service.node.broker);
    await routes.save();
    await routes.save();
    expect([await count("declarations"), await count("saves")]).to.deep.equal([known, 1]);
  });

  it("is followed in two rounds at most, for any number of parallel changes", async () => {
    await service.sql.query("delete from saves");
    const { broker } = service.node;
    const names = Array.from({ length: 20 }, (_, number) => `proof.late${number}`);
    for (const name of names) {
      const rest = `GET /${name.replace(".", "/")}`;
      const list = action({ rest, summary: "Nothing", permission: "companies.company.read", handler: () => undefined });
      broker.createService(actor(name, { actions: { list } }));
    }
    await Promise.all(names.map((name) => broker.waitForServices(name, 30_000)));
    await gateway.refresh();
    const late = "declarations where service like 'proof.late%'";
    while ((await count(late)) < names.length) await delay(20);
    expect(await count("saves")).to.be.within(1, 2);
  });

  it("becomes tools of MCP clients when an actor comes, and is refused by them while the actor is away", async () => {
    const { owner, host } = await service.tenant();
    const { broker } = service.node;
    const call = async (name: string, args: object) => {
      const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
      const headers = { Accept: "application/json, text/event-stream" };
      return (await send(service.port, "POST", "//mcp", { host, key: owner.key, headers, body })).body.result;
    };
    const found = async () =>
      JSON.parse((await call("search_tools", { query: "kites", module: "kites" })).content[0].text).operations;
    expect(await found()).to.deep.equal([]);
    const open = { permission: "companies.company.read", handler: () => ({ flying: true }) };
    const list = action({ rest: "GET /kites", summary: "Kites", returns: Type.Object({ flying: Type.Boolean() }), ...open });
    const kites = broker.createService(actor("kites", { actions: { list } }));
    await broker.waitForServices("kites", 30_000);
    await gateway.refresh();
    expect((await found()).map(({ operation }: { operation: string }) => operation)).to.deep.equal(["kitesGet"]);
    const { content } = await call("read_tool", { operation: "kitesGet" });
    expect(JSON.parse(content[1].text)).to.deep.equal({ flying: true });
    await broker.destroyService(kites);
    await gateway.refresh();
    const away = await call("read_tool", { operation: "kitesGet" });
    expect([away.isError, away.structuredContent]).to.deep.equal([
      true,
      { error: { code: "unavailable", message: "errors.unavailable" }, status: 503, retry_after: 5 },
    ]);
  });
});
