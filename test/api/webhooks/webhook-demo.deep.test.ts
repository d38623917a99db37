import { expect } from "chai";
import { fillWebhooks } from "../../../services/webhooks/demo/demo-webhooks.ts";
import { sharedService, type TestService } from "../../support/service.ts";
import { ENDPOINTS } from "./webhook-world.ts";

describe("the demo of webhooks", () => {
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  it("has one to its own machine, switched off, and has it once", async () => {
    const { organisation, owner } = await service.tenant();
    await fillWebhooks({ organisation });
    await fillWebhooks({ organisation });
    const { items } = (await owner.get(ENDPOINTS)).body;
    expect(items).to.have.length(1);
    expect(items[0]).to.deep.include({
      name: "Lokale echo",
      url: "http://127.0.0.1:4000/",
      enabled: false,
      disabled_reason: null,
    });
    const { status, body } = await owner.post(`${ENDPOINTS}/${items[0].id}/rotate`);
    expect([status, typeof body.secret]).to.deep.equal([200, "string"]);
  });
});
