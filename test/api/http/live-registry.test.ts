import { expect } from "chai";
import sinon from "sinon";
import { queryUnbound } from "../../../core/database/connection/database.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { Type } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { contributors } from "../../../mixins/contributions.ts";
import { liveActions } from "../../../mixins/live-registry.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { type AnnouncingBroker, announcementMiddleware } from "../../../operator/packets/announcements.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

oneProcess("changes actors while the node runs");

describe("the live registry", () => {
  let service: TestService;
  let tenant: Tenant;
  let company: string;
  before(async () => {
    service = await startService();
    tenant = await service.tenant();
    company = (await tenant.owner.post("/companies", { name: "Listed" })).body.id;
  });
  after(() => service.stop());

  it("is read once per change, for any number of requests", async () => {
    const { broker } = service.node;
    liveActions(broker);
    const list = sinon.spy(broker.registry.actions, "list");
    try {
      for (const path of [
        `/companies/${company}/panels`,
        `/companies/${company}/summary`,
        "/companies?hours=true",
        "/projects?hours=true",
        `/invoicing/outstanding?company_id=${company}`,
        `/companies/${company}/panels`,
      ])
        expect((await tenant.owner.get(path)).status, path).to.equal(200);
      expect(list.callCount).to.equal(0);
    } finally {
      list.restore();
    }
  });

  it("shows a contributor that comes and one that goes at once", async () => {
    const { broker } = service.node;
    const names = () => contributors(broker, "panel").map(({ name }) => name);
    expect(names()).not.to.include("proof.panel.show");
    const late = broker.createService(
      actor("proof.panel", {
        actions: {
          show: internal({
            summary: "Shows nothing",
            open: "only a test calls it",
            contributes: { panel: { key: "proof", position: 99 } as never },
            returns: Type.Object({}),
            handler: () => ({}),
          }),
        },
      }),
    );
    await broker.waitForServices("proof.panel", 30_000);
    expect(names()).to.include("proof.panel.show");
    await broker.destroyService(late);
    expect(names()).not.to.include("proof.panel.show");
  });

  it("is announced to a node of the same version in 60 kB at most, without a schema", async () => {
    const { broker } = service.node;
    const { created, transitPublish, transitMessageHandler } = announcementMiddleware();
    created(broker as unknown as AnnouncingBroker);
    await transitMessageHandler(async () => true)("DISCOVER", { payload: { sender: "other", wants: [] } });
    const announced = async (target: string) => {
      const sent = sinon.fake.resolves(undefined);
      await transitPublish(sent)({ type: "INFO", target, payload: { ...broker.getLocalNodeInfo() } });
      return JSON.stringify(sent.args[0]?.[0].payload);
    };
    const [short, whole] = [await announced("other"), await announced("earlier version")];
    expect(short.length).to.be.lessThan(60_000);
    expect(short).to.not.contain('"properties"');
    expect(whole.length).to.be.greaterThan(2_000_000);
    expect(JSON.parse(short).digests).to.have.length(JSON.parse(whole).services.length);
  });
});

describe("a statement of a request", () => {
  it("starts no parallel workers, which cost a short read 8 ms", async () => {
    const service = await startService();
    try {
      const rows = await queryUnbound(statement("show max_parallel_workers_per_gather"));
      expect(rows).to.deep.equal([{ max_parallel_workers_per_gather: "0" }]);
    } finally {
      await service.stop();
    }
  });
});
