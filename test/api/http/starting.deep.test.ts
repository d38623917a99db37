import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import type { ServiceSchema } from "moleculer";
import { action } from "../../../core/declare/action.ts";
import { Type } from "../../../core/schema/schema.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { visit } from "../../support/nodes/proxy.ts";
import { freePort } from "../../support/ports.ts";
import { startService, type TestService } from "../../support/service.ts";

let begin = () => {};
let release = () => {};
const begun = new Promise<void>((resolve) => (begin = resolve));
const released = new Promise<void>((resolve) => (release = resolve));
const slow: ServiceSchema = {
  ...actor("proof.slow", {
    actions: {
      read: action({
        rest: "GET /proof/slow",
        summary: "Belongs to an actor that starts late",
        permission: "companies.company.read",
        returns: Type.Object({ done: Type.Boolean() }),
        async handler() {
          return { done: true };
        },
      }),
    },
  }),
  async started() {
    begin();
    await released;
  },
};

describe("a node that starts", () => {
  let service: TestService;
  after(() => service?.stop());

  it("accepts no call until all its actors run, so that none gets a 404 for an endpoint that is there", async () => {
    const port = await freePort();
    const call = async () => (await visit({ port }, "127.0.0.1", "/api/v1/proof/slow")).status;
    const starting = startService({ SERVICE_HTTP_PORT: String(port) }, [slow]);
    await begun;
    const early: number[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      early.push(await call());
      await delay(50);
    }
    release();
    service = await starting;
    expect([...new Set(early)]).to.deep.equal([0]);
    const tenant = await service.tenant();
    expect((await tenant.owner.get("/proof/slow")).body).to.deep.equal({ done: true });
  });
});
