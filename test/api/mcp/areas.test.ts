import type { Client } from "@modelcontextprotocol/client";
import { expect } from "chai";
import { AREAS, areaOf } from "../../../services/api/areas.ts";
import { leftOut } from "../../../services/api/mcp/operations.ts";
import { moduleOf } from "../../../services/api/openapi/openapi.ts";
import { Routes } from "../../../services/api/routes.ts";
import { send } from "../../support/http.ts";
import { given, mcpClient } from "../../support/mcp.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

const COMMON = ["search_tools", "read_tool", "call_tool"];

describe("the addresses of the areas, such as /mcp/work", () => {
  let service: TestService;
  let tenant: Tenant;
  let owner: Caller;
  const routes = new Routes();
  const clients: Client[] = [];
  const at = async (path: string, { key }: Caller = owner) => {
    const client = await mcpClient(service.port, { host: tenant.host, key, path });
    clients.push(client);
    return client;
  };
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    ({ owner } = tenant);
    routes.rebuild(service.node.broker);
  });
  after(async () => {
    for (const client of clients) await client.close();
    await service.stop();
  });

  it("cover every module of the API, each once", () => {
    const tags = AREAS.flatMap((area) => Object.keys(area.tags));
    expect(new Set(tags).size).to.equal(tags.length);
    const modules = new Set(routes.declarations.map(moduleOf));
    expect([...modules].filter((module) => areaOf(module) === null)).to.deep.equal([]);
    for (const { tags } of AREAS) expect(Object.keys(tags).length).to.be.within(1, 12);
  });

  it("keep the routes' array until the registry changes, so that no request makes a catalogue", () => {
    expect(routes.all).to.equal(routes.all);
  });

  for (const { key } of AREAS)
    it(`lists the everyday tools of ${key}, and searches and calls within it alone`, async () => {
      const client = await at(`/mcp/${key}`);
      const { tools } = await client.listTools();
      const own = routes.declarations.filter((one) => areaOf(moduleOf(one))?.key === key && leftOut(one) === null);
      expect(tools.map(({ name }) => name).sort()).to.deep.equal(
        [...own.flatMap(({ tool }) => tool?.name ?? []), ...COMMON].sort(),
      );
      // docs/connect.md names the size.
      expect(JSON.stringify(tools).length).to.be.below(16_000);
      const { modules } = given(await client.callTool({ name: "search_tools", arguments: {} }));
      expect(modules.map(({ module }: { module: string }) => module).sort()).to.deep.equal(
        [...new Set(own.map(moduleOf))].sort(),
      );
      const elsewhere = key === "clients" ? "projectsList" : "companiesList";
      const refused = await client.callTool({ name: "read_tool", arguments: { operation: elsewhere } });
      expect(refused.structuredContent).to.deep.include({ status: 404 });
    });

  it("has more tools than /mcp, of which each runs", async () => {
    const work = await at("/mcp/work");
    const company = await tenant.company();
    const task = given(
      await work.callTool({ name: "create_task", arguments: { title: "Splice the line", company_id: company.id } }),
    );
    const done = given(await work.callTool({ name: "change_task", arguments: { task_id: task.id, status: "done" } }));
    expect([done.id, done.status]).to.deep.equal([task.id, "done"]);
    const elsewhere = await at("/mcp");
    await elsewhere
      .callTool({ name: "create_task", arguments: { title: "By its name" } })
      .then(({ isError }) => expect(isError).to.not.equal(true));
  });

  it("logs minutes that end now, and reads this year's leave, without a word of when", async () => {
    const work = await at("/mcp/work");
    const company = await tenant.company();
    const before = Date.now();
    const entry = given(await work.callTool({ name: "log_time", arguments: { minutes: 90, company_id: company.id } }));
    expect(entry.minutes).to.equal(90);
    expect(Date.parse(entry.ended_at)).to.be.within(before - 60_000, Date.now());
    const missing = await work.callTool({ name: "log_time", arguments: { company_id: company.id } });
    expect(missing.structuredContent).to.deep.include({ status: 422 });
    const people = await at("/mcp/people");
    const read = await people.callTool({ name: "my_leave", arguments: {} });
    expect(read.isError, JSON.stringify(read)).to.not.equal(true);
  });

  it("is nothing elsewhere", async () => {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const headers = { Accept: "application/json, text/event-stream" };
    for (const path of ["//mcp/nothing", "//mcp/work/more", "//mcp/Work", "//mcp/constructor"])
      expect(
        (await send(service.port, "POST", path, { host: tenant.host, key: owner.key, body, headers })).status,
        path,
      ).to.equal(404);
    const unknown = await send(service.port, "POST", "//mcp/work", { host: tenant.host, body, headers });
    expect(unknown.status).to.equal(401);
    expect(unknown.headers["www-authenticate"]).to.contain("/.well-known/oauth-protected-resource/mcp/work");
  });
});
