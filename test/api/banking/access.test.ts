import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { ok } from "../money/documents/invoicing.ts";
import { arrive, send, statementOf } from "./bank.ts";

describe("access to bank statements", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  it("is for owners and administrators, not for members", async () => {
    const [admin, member] = [await tenant.member("admin"), await tenant.member("member")];
    expect((await send(admin, statementOf([{ amount: "1.00" }]))).status).to.equal(201);
    for (const path of ["/banking/statements", "/banking/entries", "/banking/settings"]) {
      expect((await admin.get(path)).status, path).to.equal(200);
      expect((await member.get(path)).status, path).to.equal(403);
    }
    expect((await send(member, statementOf([{ amount: "2.00" }]))).status).to.equal(403);
  });

  it("is for callers who see every client", async () => {
    const company = await tenant.company();
    const key = await tenant.member("admin");
    await tenant.group("Restricted", [company.id], [key.membershipId]);
    for (const path of ["/banking/statements", "/banking/entries", "/banking/settings"])
      expect((await key.get(path)).status, path).to.equal(403);
    expect((await send(key, statementOf([{ amount: "3.00" }]))).status).to.equal(403);
    expect((await key.post("/banking/match-all")).status).to.equal(403);
  });

  it("stops at the organisation", async () => {
    const other = await service.tenant();
    const [entry] = await arrive(tenant.owner, { amount: "4.00", reference: "shared" });
    const [theirs] = await arrive(other.owner, { amount: "4.00", reference: "shared" });
    expect(theirs?.id).not.to.equal(entry?.id);
    expect((await other.owner.get(`/banking/entries/${entry?.id}`)).status).to.equal(404);
    expect((await other.owner.post(`/banking/entries/${entry?.id}/ignore`, { ignored_as: "other" })).status).to.equal(404);
    const { items } = await ok(other.owner.get("/banking/entries"));
    expect(items.map(({ id }: { id: string }) => id)).to.deep.equal([theirs?.id]);
  });
});
