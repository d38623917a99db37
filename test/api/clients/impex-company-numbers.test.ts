import { expect } from "chai";
import { errorsOf, importSheet, sendSheet } from "../../support/impex.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { trailOf } from "./companies/company-records.ts";

describe("client numbers of POST /impex/company", () => {
  let service: TestService;
  let tenant: Tenant;
  let [a, b]: { id: string }[] = [];

  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    a = await tenant.company({ name: "A", client_number: "1" });
    b = await tenant.company({ name: "B", client_number: "2" });
  });
  after(() => service.stop());

  const fileOf = (...rows: string[]) => `id,name,client_number\n${rows.join("\n")}\n`;
  const run = (...rows: string[]) => importSheet(tenant.owner, "company", fileOf(...rows));
  const numbers = async (): Promise<string[]> =>
    (await tenant.owner.get("/companies?sort=name")).body.items.map(
      (company: { client_number: string }) => company.client_number,
    );

  it("that another company keeps are refused row by row, also in a rehearsal", async () => {
    const taken = "errors.companies.client_number_taken";
    const rows = [`${a?.id},A,2`, ",C,3"];
    for (const query of ["", "?dry_run=false"]) {
      const { status, body } = await sendSheet(tenant.owner, "company", fileOf(...rows), query);
      expect(status).to.equal(200);
      expect(errorsOf(body)).to.deep.equal([`2 client_number ${taken}`]);
    }
    expect(await numbers()).to.deep.equal(["1", "2"]);
  });

  it("move from one company of the file to another, in any order", async () => {
    expect(await run(`${a?.id},A,2`, `${b?.id},B,1`)).to.include({ updated: 2 });
    expect(await numbers()).to.deep.equal(["2", "1"]);
    expect(await run(`${a?.id},A,1`, `${b?.id},B,9`)).to.include({ updated: 2 });
    expect(await numbers()).to.deep.equal(["1", "9"]);
    const lines = await trailOf(service.sql, "company", a?.id ?? "");
    expect(lines.map(({ payload }) => payload.changes?.["client_number"])).to.deep.equal([
      undefined,
      { from: "1", to: "2" },
      { from: "2", to: "1" },
    ]);
  });
});
