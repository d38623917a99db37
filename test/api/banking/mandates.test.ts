import { expect } from "chai";
import { addDays } from "../../../core/calendar/calendar.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { ok, refused } from "../money/documents/invoicing.ts";

describe("mandates for direct debit", () => {
  let service: TestService;
  let tenant: Tenant;
  let company: string;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    company = (await tenant.company()).id;
  });

  const body = (values: object = {}) => ({
    ...{ company_id: company, iban: "nl91 abna 0417 1643 00", account_holder: "Aster", signed_on: "2026-02-16" },
    ...values,
  });
  const create = (values: object = {}) => tenant.owner.post("/banking/mandates", body(values));

  it("are recorded with the account in one form, and a reference of their own", async () => {
    const { reference, iban, scheme, state, revoked_on } = await ok(create({ bic: "abnanl2a" }));
    expect(reference).to.match(/^M[0-9A-F]{32}$/);
    expect([iban, scheme, state, revoked_on]).to.deep.equal(["NL91ABNA0417164300", "core", "live", null]);
  });

  it("have a reference once, whatever its case, in the characters of banks", async () => {
    await ok(create({ reference: "Aster-1" }));
    const again = await create({ reference: "ASTER-1" });
    expect([again.status, again.body.error.fields]).to.deep.equal([409, { reference: "errors.conflict" }]);
    for (const reference of ["Aster 1", "Ästér", "/x", "x/", "a//b"])
      expect(refused(await create({ reference }))[2], reference).to.deep.equal({ reference: "errors.banking.sepa_characters" });
  });

  it("refuse a wrong IBAN or BIC, and a signature after today", async () => {
    const wrong = { iban: "NL91ABNA0417164301", bic: "AB", signed_on: "2999-01-01" };
    expect(refused(await create(wrong))[2]).to.deep.equal({
      ...{ iban: "errors.validation", bic: "errors.validation", signed_on: "errors.validation" },
    });
  });

  it("are revoked from a day on, which their trail records without the account", async () => {
    const { id } = await ok(create());
    const change = (values: object) => tenant.owner.patch(`/banking/mandates/${id}`, values);
    expect(refused(await change({ revoked_on: "2026-02-15" }))[2]).to.deep.equal({ revoked_on: "errors.validation" });
    const tomorrow = addDays(new Date().toISOString().slice(0, 10), 2);
    expect((await ok(change({ revoked_on: tomorrow }))).state).to.equal("live");
    expect((await ok(change({ revoked_on: "2026-02-16", iban: "NL44RABO0123456789" }))).state).to.equal("revoked");
    expect((await ok(tenant.owner.get("/banking/mandates?state=live"))).items).to.deep.equal([]);
    const { text } = await tenant.owner.get(`/activity?entity_type=sepa_mandate&entity_id=${id}`);
    expect(text).to.include("revoked_on").and.not.to.include("NL44RABO");
    expect((await tenant.owner.delete(`/banking/mandates/${id}`)).status).to.equal(204);
  });

  it("belong to administrators, for the clients that they see", async () => {
    const { id } = await ok(create());
    const [admin, member] = [await tenant.member("admin"), await tenant.member("member")];
    expect((await member.get("/banking/mandates")).status).to.equal(403);
    const other = await tenant.company();
    await tenant.group("Restricted", [other.id], [admin.membershipId]);
    expect((await ok(admin.get("/banking/mandates"))).items).to.deep.equal([]);
    expect((await admin.get(`/banking/mandates/${id}`)).status).to.equal(404);
    expect((await admin.post("/banking/mandates", body())).status).to.equal(404);
  });
});
