import { expect } from "chai";
import { consoleCommands } from "../../../cli/console/commands.ts";
import { action } from "../../../core/declare/action.ts";
import { Type } from "../../../core/schema/schema.ts";
import { liveActions } from "../../../mixins/live-registry.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { startService, type TestService } from "../../support/service.ts";

oneProcess("changes actors while the node runs");

interface Alias {
  actionName: string;
  methods: string;
  fullPath: string;
  routePath: string;
}

const kites = actor("kites", {
  actions: {
    get: action({
      rest: "GET /kites/:kite_id",
      summary: "Get a kite",
      permission: "companies.company.read",
      path: { kite_id: Type.String() },
      returns: Type.Object({}),
      handler: () => ({}),
    }),
  },
});

describe("the routes that moleculer-web serves", () => {
  let service: TestService;
  let gateway: { refresh(): Promise<void> };
  before(async () => {
    service = await startService();
    ({ gateway } = service.node.broker.getLocalService("api") as unknown as { gateway: typeof gateway });
    await gateway.refresh();
  });
  after(() => service.stop());

  const listed = () => service.node.broker.call<Alias[]>("api.listAliases");
  const shown = (filter: string) => {
    const command = consoleCommands.find(({ name }) => name === "routes");
    return command?.run({ broker: service.node.broker, ownerUrl: undefined, organisation: null }, [filter], filter);
  };

  it("are the declared ones, each once, under /api/v1", async () => {
    const aliases = await listed();
    const declared = liveActions(service.node.broker).flatMap(({ rest, name, method, urlPath }) =>
      rest ? [`${method} /api/v1${urlPath} ${name}`] : [],
    );
    expect(declared.length).to.be.greaterThan(300);
    expect(aliases.map(({ methods, fullPath, actionName }) => `${methods} ${fullPath} ${actionName}`)).to.have.members(declared);
    expect(new Set(aliases.map(({ routePath }) => routePath))).to.deep.equal(new Set(["/api/v1"]));
  });

  it("follow an actor that comes and goes, in `api.listAliases` and in the console's `routes`", async () => {
    const { broker } = service.node;
    const { owner } = await service.tenant();
    const found = async () =>
      (await listed()).filter(({ actionName }) => actionName === "kites.get").map(({ fullPath }) => fullPath);
    expect(await found()).to.deep.equal([]);
    expect((await owner.get("/kites/red")).status).to.equal(404);
    const late = broker.createService(kites);
    await broker.waitForServices("kites", 30_000);
    await gateway.refresh();
    expect(await found()).to.deep.equal(["/api/v1/kites/:kite_id"]);
    expect((await owner.get("/kites/red")).status).to.equal(200);
    expect(await shown("kites")).to.match(/^GET +\/kites\/:kite_id +kites\.get +companies\.company\.read$/);
    await broker.destroyService(late);
    await gateway.refresh();
    expect(await found()).to.deep.equal(["/api/v1/kites/:kite_id"]);
    expect((await owner.get("/kites/red")).status).to.equal(503);
    expect(await shown("kites")).to.match(/^GET +\/kites\/:kite_id +kites\.get +its actor is down$/);
  });

  it("take no preflight for the method that it announces", async () => {
    const { host, owner } = await service.tenant();
    const { id } = (await owner.post("/companies", { name: "Kept" })).body;
    const headers = { "Access-Control-Request-Method": "DELETE" };
    const { status, headers: answered } = await service.call("OPTIONS", `/companies/${id}`, { host, key: owner.key, headers });
    expect([status, answered["allow"]]).to.deep.equal([405, "GET, HEAD, PATCH, DELETE"]);
    expect((await owner.get(`/companies/${id}`)).status).to.equal(200);
  });

  it("show the list of them to no caller", async () => {
    const { owner } = await service.tenant();
    for (const path of ["/list-aliases", "/api/list-aliases"]) expect((await owner.get(path)).status, path).to.equal(404);
  });
});
