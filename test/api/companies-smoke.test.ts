import { expect } from "chai";
import { startService, type TestService } from "../support/service.ts";

describe("GET /companies", () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it("gives the page a caller's own organisation holds", async () => {
    const [one, other] = [await service.tenant(), await service.tenant()];
    await one.company({ name: "Mine" });
    await other.company({ name: "Theirs" });
    const { status, body } = await one.owner.get("/companies");
    expect(status).to.equal(200);
    expect(body.items.map((item: { name: string }) => item.name)).to.deep.equal(["Mine"]);
    expect(body.total).to.equal(1);
  });
});
