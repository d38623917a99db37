import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { noneInTransaction } from "../../support/open-transactions.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { streaming } from "../../support/streams/actor.ts";
import { provesStreams } from "../../support/streams/proofs.ts";
import { openStream } from "../../support/streams/stream.ts";

describe("streams of events", function () {
  this.timeout(60_000);
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({}, [streaming]);
    tenant = await service.tenant();
  });
  after(() => service.stop());

  provesStreams(() => ({ port: service.port, sql: service.sql, tenant }));

  it("hold no database connection while they are open", async () => {
    const call = { host: tenant.host, key: tenant.owner.key };
    const open = await Promise.all(
      Array.from({ length: 60 }, () => openStream(service.port, "GET", "/proof/streams/ticks?silent=true", call)),
    );
    await Promise.all(open.map((stream) => stream.upTo(1)));
    // The node's own work takes one for a moment now and then; a stream would hold it for as long as it is open.
    await noneInTransaction(service);
    expect((await tenant.owner.get("/proof/streams/state")).body.open).to.equal(60);
    for (const stream of open) stream.close();
  });

  it("are in the document with their events", async () => {
    const { body } = await service.call("GET", "//api/openapi.json");
    const [answer] = [body.paths["/proof/streams/words"].post.responses["200"]];
    expect(Object.keys(answer.content)).to.deep.equal(["text/event-stream"]);
    const { anyOf } = answer.content["text/event-stream"].schema;
    expect(anyOf.map((event: { properties: { event: object } }) => event.properties.event)).to.deep.equal(
      ["text", "done", "error"].map((name) => ({ const: name, description: "Kind of the event" })),
    );
    expect(anyOf[0].properties.data.contentSchema).to.include({ type: "object" }).and.to.have.nested.property("properties.text");
  });

  it("end with their node: those without an end at once, the others when they are done", async () => {
    const call = { host: tenant.host, key: tenant.owner.key };
    const ticks = await openStream(service.port, "GET", "/proof/streams/ticks?silent=true", call);
    const flood = await openStream(service.port, "GET", "/proof/streams/flood?events=3000", call);
    await Promise.all([ticks.upTo(1), flood.upTo(1)]);
    flood.pause();
    const stopped = service.node.stop();
    await ticks.whole;
    await delay(300);
    flood.resume();
    expect((await flood.whole).at(-1)?.event).to.equal("done");
    await stopped;
  });
});
