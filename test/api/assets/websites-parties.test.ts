import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { refusalOf } from "../clients/companies/company-records.ts";
import { domainOf } from "./site-records.ts";

const UNKNOWN = "8f1f7e0e-6f3c-4c58-9a3e-0d6b4a0a2f11";

/** Parties of a website or hosting (assets §1). */
describe("parties", () => {
  let service: TestService;
  let tenant: Tenant;
  let website: string;
  let companyId: string;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    const domain = await domainOf(service.sql, tenant, {
      company_id: (await tenant.company({ name: "Eigen" })).id as string,
    });
    companyId = domain.company_id;
    website = (await tenant.owner.post("/websites", { domain_id: domain.id })).body.id;
  });
  after(() => service.stop());

  const path = () => `/websites/${website}`;
  const own = (party: object | null, caller: Caller = tenant.owner) => caller.patch(path(), { technical_owner: party });
  const shown = async (caller: Caller = tenant.owner) => (await caller.get(path())).body.technical_owner;
  const contact = async (values: object) => (await tenant.owner.post("/contacts", values)).body.id as string;
  const refused = [400, "invalid_party", null];

  it("are shown with a name: the brand, the record's own client or another, an employee, a contact", async () => {
    const other = await tenant.company({ name: "Ander" });
    const [named, unnamed] = [await tenant.member("member", { name: "Els Vos" }), await tenant.member("member")];
    await service.sql.query("update accounts set full_name = '' where id = $1", [unnamed.accountId]);
    const person = await contact({ first_name: "Jan", last_name: "Jansen" });
    const short = await contact({ first_name: "Piet" });
    for (const [party, label] of [
      [{ type: "agency" }, tenant.organisation.name],
      [{ type: "company" }, "Eigen"],
      [{ type: "company", id: companyId }, "Eigen"],
      [{ type: "company", id: other.id }, "Ander"],
      [{ type: "employee", id: named.accountId }, "Els Vos"],
      [{ type: "employee", id: unnamed.accountId }, unnamed.email],
      [{ type: "contact", id: person }, "Jan Jansen"],
      [{ type: "contact", id: short }, "Piet"],
    ] as const) {
      const answer = await own(party);
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body.technical_owner).to.deep.equal({ id: null, ...party, label });
      expect(await shown()).to.deep.equal({ id: null, ...party, label });
    }
    await tenant.owner.patch("/meta/tenant", { brand_name: "Het Merk" });
    expect((await own({ type: "agency", id: null })).body.technical_owner.label).to.equal("Het Merk");
    expect((await own(null)).body.technical_owner).to.equal(null);
  });

  it("are refused in any wrong combination, unknown or of another organisation", async () => {
    const other = await service.tenant();
    const theirs = {
      company: (await other.company()).id,
      contact: (await other.owner.post("/contacts", { first_name: "A" })).body.id,
    };
    for (const party of [
      { type: "agency", id: tenant.owner.accountId },
      { type: "employee" },
      { type: "employee", id: null },
      { type: "contact" },
      { type: "employee", id: UNKNOWN },
      { type: "employee", id: other.owner.accountId },
      { type: "contact", id: UNKNOWN },
      { type: "contact", id: theirs.contact },
      { type: "contact", id: companyId },
      { type: "company", id: UNKNOWN },
      { type: "company", id: theirs.company },
    ]) {
      expect(refusalOf(await own(party)), JSON.stringify(party)).to.deep.equal(refused);
      expect(refusalOf(await tenant.owner.post("/hosting", { name: "A", contact: party }))).to.deep.equal(refused);
    }
    expect(await shown()).to.equal(null);
    expect((await own({ type: "employee", id: "me" })).status).to.equal(422);
  });

  it("keep their type when their target is gone, without a name", async () => {
    const person = await contact({ first_name: "Jan" });
    const colleague = await tenant.member("member");
    await own({ type: "contact", id: person });
    await tenant.owner.delete(`/contacts/${person}`);
    expect(await shown()).to.deep.equal({ type: "contact", id: person, label: "" });
    // Existing values may be sent again.
    expect((await own({ type: "contact", id: person })).status).to.equal(200);
    await own({ type: "employee", id: colleague.accountId });
    await service.sql.query("delete from memberships where id = $1", [colleague.membershipId]);
    expect(await shown()).to.deep.equal({ type: "employee", id: colleague.accountId, label: "" });
  });

  it("name nothing that a restricted caller does not see, and cannot be set to it", async () => {
    const hidden = await tenant.company({ name: "Geheim" });
    const linked = await contact({ first_name: "Verborgen", companies: [{ company_id: hidden.id }] });
    const unlinked = await contact({ first_name: "Los" });
    await tenant.owner.post(`/contacts/${linked}/companies`, { company_id: hidden.id });
    await service.sql.query(
      "insert into contact_links (organisation_id, contact_id, company_id) values ($1, $2, $3) on conflict do nothing",
      [tenant.organisation.id, linked, hidden.id],
    );
    const [staff, client] = [await tenant.member("admin"), await tenant.member("client")];
    await tenant.group("Some", [companyId], [staff.membershipId, client.membershipId]);
    for (const [party, label, forStaff, forClient] of [
      [{ type: "company", id: hidden.id }, "Geheim", "", ""],
      [{ type: "contact", id: linked }, "Verborgen", "", ""],
      [{ type: "contact", id: unlinked }, "Los", "Los", ""],
      [{ type: "company", id: null }, "Eigen", "Eigen", "Eigen"],
    ] as const) {
      await own(null);
      expect((await own(party, staff)).status).to.equal(forStaff === "" ? 400 : 200);
      expect((await own(party)).status).to.equal(200);
      const labels = await Promise.all([tenant.owner, staff, client].map(async (caller) => (await shown(caller)).label));
      expect(labels).to.deep.equal([label, forStaff, forClient]);
      const [listed] = (await client.get("/websites")).body.items;
      expect(listed.technical_owner.label).to.equal(forClient);
    }
  });
});
