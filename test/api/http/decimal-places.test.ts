import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

const THREE = "10.005";

describe("amounts and hours with more decimals than stored (money §0)", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  /** A refused body by its path: the field with too many decimals, and what else the call needs. */
  const bodies = async (): Promise<[method: "post" | "put" | "patch", path: string, field: string, body: object][]> => {
    const { id: company_id } = await tenant.company();
    const user_id = tenant.owner.accountId;
    const dated = { user_id, start_date: "2031-01-01", employment_type: "employee" };
    return [
      ["post", "/domains/tld-prices", "amount", { tld: "nl" }],
      ["post", "/domains", "price_override", { name: "decimals.example", company_id }],
      ["post", "/leave/contracts", "contract_hours_per_week", dated],
      ["post", "/leave/contracts", "free_time_hours_per_week", { ...dated, contract_hours_per_week: 32 }],
      ["put", "/leave/settings", "default_hourly_rate", {}],
      ["put", `/leave/rate/${user_id}`, "hourly_rate", {}],
    ];
  };

  it("are refused with the field, and nothing is rounded in silence", async () => {
    const wrong: string[] = [];
    for (const [method, path, field, body] of await bodies()) {
      const { status, body: answer } = await tenant.owner[method](path, { ...body, [field]: Number(THREE) });
      if (status !== 422 || answer?.error?.fields?.[field] !== "errors.validation")
        wrong.push(`${path} ${field}: ${status} ${JSON.stringify(answer?.error?.fields ?? {})}`);
    }
    expect(wrong.join("\n")).to.equal("");
  });
});
