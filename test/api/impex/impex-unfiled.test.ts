import { expect } from "chai";
import { errorsOf, sendSheet } from "../../support/impex.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

describe("rows of a file that name no client (conventions §22)", () => {
  let service: TestService;
  let tenant: Tenant;

  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const LIST = "Domain Name,Status\nbakker.example,Active\nslager.example,Active\nzonder.example,Active\n";
  const owners = async (who = tenant.owner) =>
    (await who.get("/domains?sort=name")).body.items.map(({ name, company_name: client }: Record<string, string>) => [
      name,
      client,
    ]);

  it("go to the one client whose website or contact address has the name of the domain, and name the guess", async () => {
    const bakker = await tenant.company({ name: "Bakker", website: "https://www.Bakker.example/over-ons" });
    const slager = await tenant.company({ name: "Slager" });
    await tenant.owner.post("/contacts", { first_name: "Jan", email: "Jan@Slager.example", company_ids: [slager.id] });
    for (const name of ["Een", "Twee"]) await tenant.company({ name, website: "zonder.example" });
    const { body } = await sendSheet(tenant.owner, "domain", LIST);
    expect(errorsOf(body)).to.deep.equal(["4 company errors.required"]);
    expect(body.taken_as).to.deep.equal([{ column: "Domain Name", as: "company" }]);
    const real = await sendSheet(tenant.owner, "domain", LIST.replace(/zonder.*\n/, ""), "?dry_run=false");
    expect(real.body, real.text).to.deep.include({ created: 2, errors: [] });
    expect(await owners()).to.deep.equal([
      ["bakker.example", bakker.name],
      ["slager.example", slager.name],
    ]);
  });

  it("go to the client that the caller names, and a row that names one keeps it", async () => {
    const [bakker, slager] = [await tenant.company({ name: "Bakker" }), await tenant.company({ name: "Slager" })];
    const file = "Domain Name,Client\na.example,\nb.example,Slager\n";
    const { body, text } = await sendSheet(tenant.owner, "domain", file, `?dry_run=false&company_id=${bakker.id}`);
    expect(body, text).to.deep.include({ created: 2, errors: [], taken_as: [] });
    expect(await owners()).to.deep.equal([
      ["a.example", "Bakker"],
      ["b.example", slager.name],
    ]);
  });

  it("leave a stored domain with its client, whatever client the caller names", async () => {
    const [bakker, slager] = [await tenant.company({ name: "Bakker" }), await tenant.company({ name: "Slager" })];
    await sendSheet(tenant.owner, "domain", "Domain Name\na.example\n", `?dry_run=false&company_id=${bakker.id}`);
    const again = await sendSheet(tenant.owner, "domain", LIST.replace("bakker", "a"), `?dry_run=false&company_id=${slager.id}`);
    expect(again.body, again.text).to.deep.include({ created: 2, updated: 0, unchanged: 1 });
    expect((await owners())[0]).to.deep.equal(["a.example", "Bakker"]);
  });

  it("cannot go to a client that the caller does not see", async () => {
    const [seen, hidden] = [await tenant.company({ name: "Open" }), await tenant.company({ website: "hidden.example" })];
    const restricted = await tenant.member("admin");
    await tenant.group("G", [seen.id], [restricted.membershipId]);
    const file = "Domain Name\nhidden.example\n";
    expect(errorsOf((await sendSheet(restricted, "domain", file)).body)).to.deep.equal(["2 company errors.required"]);
    expect(errorsOf((await sendSheet(restricted, "domain", file, `?company_id=${hidden.id}`)).body)).to.deep.equal([
      "2 company impex.errors.unresolved_reference",
    ]);
    const other = await service.tenant();
    const foreign = await other.company({ name: "Elders" });
    expect(errorsOf((await sendSheet(tenant.owner, "domain", file, `?company_id=${foreign.id}`)).body)).to.deep.equal([
      "2 company impex.errors.unresolved_reference",
    ]);
  });
}).timeout(60_000);
