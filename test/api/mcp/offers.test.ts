import { expect } from "chai";
import { holds } from "../../../core/declare/permissions.ts";
import type { Principal } from "../../../core/declare/principal.ts";
import { licensedModule } from "../../../mixins/licence.ts";
import { createKey } from "../../../operator/organisations.ts";
import { leftOut, operationsOf } from "../../../services/api/mcp/operations.ts";
import type { Declaration } from "../../../services/api/openapi/declaration.ts";
import { moduleOf } from "../../../services/api/openapi/openapi.ts";
import { operationId } from "../../../services/api/openapi/operation-names.ts";
import { Routes } from "../../../services/api/routes.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { type Answer, send } from "../../support/http.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

oneProcess("changes actors while the node runs");

const ACCEPT = { Accept: "application/json, text/event-stream" };
const NARROW = ["companies.company.read", "tasks.task.write:own", "time.entry.read:own"];

/** The operations that search offers a caller, and those HTTP lets that caller use, over every action. */
describe("the offer of tools", () => {
  let service: TestService;
  let tenant: Tenant;
  let declarations: Declaration[];
  let operations: ReturnType<typeof operationsOf>;
  const callers: Record<string, Caller> = {};
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    const routes = new Routes();
    routes.rebuild(service.node.broker);
    declarations = routes.declarations.filter((one) => leftOut(one) === null);
    operations = operationsOf(routes.all);
    const { owner } = tenant;
    for (const role of ["admin", "member", "client"] as const) callers[role] = await tenant.member(role);
    const { accountId } = callers["admin"] as Caller;
    const scopes = { name: "narrow", scopes: NARROW, accountId };
    const { value: key } = await createKey(service.sql, tenant.organisation.id, "kt", scopes);
    const { value: none } = await createKey(service.sql, tenant.organisation.id, "kt", {
      ...scopes,
      scopes: ["invoicing.quote.write"],
    });
    Object.assign(callers, { owner, "narrowed key": { ...owner, key }, "key for one thing": { ...owner, key: none } });
  });
  after(() => service.stop());
  const rpc = async (key: string, method: string, params: object): Promise<Answer> =>
    send(service.port, "POST", "//mcp", {
      host: tenant.host,
      key,
      headers: ACCEPT,
      body: { jsonrpc: "2.0", id: 1, method, params },
    });
  const search = async (key: string, asked: object) => {
    const { body } = await rpc(key, "tools/call", { name: "search_tools", arguments: asked });
    return JSON.parse(body.result.content[0].text);
  };
  /** All that a caller is offered, with the tools of their own. */
  const offered = async (key: string) => {
    const { modules } = await search(key, {});
    const found = await Promise.all(modules.map(({ module }: { module: string }) => search(key, { module, limit: 20 })));
    const operations = found.flatMap(({ operations: lines, further }) => [
      ...lines.map(({ operation }: { operation: string }) => operation),
      ...further,
    ]);
    const { body } = await rpc(key, "tools/list", {});
    const counted = found.map(({ total }) => total);
    expect(modules.map((module: { operations: number }) => module.operations)).to.deep.equal(counted);
    return { operations: operations.sort(), tools: body.result.tools.map(({ name }: { name: string }) => name) };
  };
  const grantsOf = async (key: string): Promise<string[]> =>
    (await send(service.port, "GET", "/meta/me", { host: tenant.host, key })).body.permissions;

  for (const who of ["owner", "admin", "member", "client", "narrowed key", "key for one thing"])
    it(`to ${who} is what HTTP lets through`, async () => {
      const { key } = callers[who] as Caller;
      const grants = await grantsOf(key);
      const passes = ({ permission, also = [] }: Declaration) =>
        [...(permission === undefined ? [] : [permission]), ...also].every((check) => holds(grants, check));
      const expected = declarations.filter(passes);
      const { operations, tools } = await offered(key);
      expect(operations).to.deep.equal(expected.map(operationId).sort());
      const own = expected.flatMap(({ tool }) => (tool && !tool.inArea ? [tool.name] : []));
      expect(tools.sort()).to.deep.equal([...own, "call_tool", "read_tool", "search_tools"].sort());
      // A word of HTTP itself, on one operation of each module that takes nothing, on both sides.
      const reads = declarations.filter(
        (one) => one.method === "GET" && !one.urlPath.includes(":") && one.requiredQuery.length === 0,
      );
      for (const side of [true, false])
        for (const [, [one]] of Map.groupBy(
          reads.filter((read) => passes(read) === side),
          moduleOf,
        )) {
          const { status } = await send(service.port, "GET", one?.urlPath as string, { host: tenant.host, key });
          // Some actions look further at who asks than at the permission.
          if (side) expect(status, one?.urlPath).to.not.equal(401);
          else expect(status, one?.urlPath).to.equal(403);
        }
    });

  it("is much to the owner and little to a key for one thing", async () => {
    const sizes = await Promise.all(
      ["owner", "key for one thing"].map(async (who) => (await offered((callers[who] as Caller).key)).operations.length),
    );
    expect(sizes[0]).to.be.greaterThan(350);
    expect(sizes[1]).to.be.lessThan(40);
  });

  it("is described by self-contained schemas, without keywords of our own", async () => {
    const { operations } = await search(tenant.owner.key, { query: "create update", limit: 20 });
    const text = JSON.stringify(operations);
    expect(operations).to.have.length(20);
    for (const word of ["$ref", "$id", '"x-', "notNull", "decimalLimits"]) expect(text, word).to.not.contain(word);
  });

  it("omits writes that a lapsed licence refuses, but no reads", () => {
    const licence = { licensing: "required", installedAt: "2020-01-01T00:00:00Z", modules: [], plan: null, planEndsAt: null };
    const lapsed = { grants: ["*"], selection: null, credential: { kind: "key", id: "" }, licence } as unknown as Principal;
    const refused = [...operations.values()].filter((one) => !one.admits(lapsed));
    const licensed = declarations.filter((one) => licensedModule(one) && one.method !== "GET" && !one.licenceExempt);
    expect(refused.map(({ id }) => id).sort()).to.deep.equal(licensed.map(operationId).sort());
    expect(refused.length).to.be.greaterThan(100);
  });

  it("has tools by one name each", () => {
    const names = declarations.flatMap(({ tool }) => tool?.name ?? []);
    expect(new Set(names).size).to.equal(names.length);
  });
});
