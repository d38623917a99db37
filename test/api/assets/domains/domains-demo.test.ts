import { expect } from "chai";
import { fillAssets } from "../../../../services/assets/demo/demo-assets.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { type Body, bodyOf } from "../../work/tasks/task-records.ts";

describe("the demo of assets", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    for (let n = 0; n < 7; n++) await tenant.company({ name: `Bakkerij Zoet ${n}`, status: "active" });
    await fillAssets({ organisation: tenant.organisation });
  });
  after(() => service.stop());

  const domains = async (): Promise<Body[]> => bodyOf(await tenant.owner.get("/domains?limit=200")).items;
  const count = async (table: string) =>
    (await service.sql.query(`select 1 from ${table} where organisation_id = $1`, [tenant.organisation.id])).rowCount;

  it("has forty domains that a register agrees with and does not, twelve websites and three hostings", async () => {
    const all = await domains();
    expect(all).to.have.length(40);
    const answers = new Set(all.map((one) => `${one.invoiceable_effective} ${one.invoiceable_source}`));
    expect([...answers].toSorted()).to.deep.equal(["false explicit", "false register", "true register"]);
    expect(all.some((one) => one.register_expires_on !== null && one.register_expires_on !== one.next_invoice_date)).to.equal(
      true,
    );
    expect(all.some((one) => one.register_expires_on !== null && one.register_expires_on === one.next_invoice_date)).to.equal(
      true,
    );
    expect([await count("websites"), await count("hostings"), await count("providers")]).to.deep.equal([12, 3, 6]);
  });

  it("is renewed by its rules: billed ones have a coming day, others none", async () => {
    const today = new Date().toISOString().slice(0, 10);
    for (const { name, status, next_invoice_date } of await domains())
      if (["active", "redirect", "parked"].includes(status)) expect(next_invoice_date >= today, name).to.equal(true);
      else expect(next_invoice_date, name).to.equal(null);
  });

  it("is filled once", async () => {
    await fillAssets({ organisation: tenant.organisation });
    expect(await domains()).to.have.length(40);
  });
});
