import { expect } from "chai";
import { errorsOf, fetchSheet, importSheet, sendSheet } from "../../../support/impex.ts";
import type { Tenant } from "../../../support/service.ts";
import { type Body, bodyOf } from "../../work/tasks/task-records.ts";
import { type AgreementService, linesOf, makeAgreement, sharedAgreementService } from "./agreement-records.ts";

describe("agreements as a spreadsheet", () => {
  let service: AgreementService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedAgreementService("2026-01-15");
  });
  beforeEach(async () => {
    service.today("2026-01-15");
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const listed = async (): Promise<Body[]> => bodyOf(await tenant.owner.get("/subscriptions")).items;
  const exported = async (): Promise<string> =>
    String(await fetchSheet(service.port, tenant.host, tenant.owner.key, "/impex/subscription"));

  it("make agreements by the rules of the API, in the words of the file", async () => {
    const ant = await tenant.company({ name: "Ant" });
    const type = bodyOf(await tenant.owner.post("/subscriptions/types", { key: "care", label_i18n: { nl: "Zorg" } })).id;
    const file =
      "Abonnement;Klant;Bedrag;Periode;Startdatum;Anker;Soort;Status\nOnderhoud;Ant;1.234,51;Kwartaal;15-01-2026;Einde maand;Zorg;Actief\n";
    expect(await importSheet(tenant.owner, "subscription", file)).to.include({ rows: 1, created: 1 });
    const [made] = await listed();
    expect(made).to.include({
      name: "Onderhoud",
      company_id: ant.id,
      amount: "1234.51",
      interval: "quarterly",
      subscription_type_id: type,
      status: "active",
      next_invoice_date: "2026-04-30",
      anchor: "month_end",
    });
    expect(await linesOf(service, "subscription", made.id)).to.deep.equal([["created", {}]]);
  });

  it("import again as exported, and change nothing", async () => {
    const preset = bodyOf(await tenant.owner.post("/subscriptions/templates", { name: "Care plan" })).id;
    await makeAgreement(tenant, {
      name: "A",
      included_hours: 3,
      notes: "Line\ntwo",
      notice_period_days: 30,
      subscription_template_id: preset,
    });
    await makeAgreement(tenant, { name: "B", end_date: "2027-01-01", auto_invoice_mode: "issue" });
    const sheet = await exported();
    expect(await importSheet(tenant.owner, "subscription", sheet)).to.include({ rows: 2, created: 0, updated: 0, unchanged: 2 });
    for (const { id } of await listed()) expect(await linesOf(service, "subscription", id)).to.have.length(1);
  });

  it("change what differs: another amount begins today", async () => {
    const { id, company_name } = await makeAgreement(tenant);
    service.today("2026-02-01");
    const file = `name,company_name,amount,start_date\nhosting,${company_name},99,2026-01-15\n`;
    expect(await importSheet(tenant.owner, "subscription", file)).to.include({ updated: 1 });
    expect(
      bodyOf(await tenant.owner.get(`/subscriptions/${id}/prices`)).map((one: Body) => [one.valid_from, one.amount]),
    ).to.deep.equal([
      ["2026-02-01", "99.00"],
      ["2026-01-15", "90.00"],
    ]);
  });

  it("name the errors of a row by its column, and write nothing", async () => {
    await tenant.company({ name: "Ant" });
    const rows = [
      "name,company,amount,start_date,type,interval_count,currency",
      "A,Nobody,1,2026-01-15,,,",
      "B,Ant,-1,2026-01-15,,13,",
      "C,Ant,1,2026-01-15,unheard,,",
      "D,Ant,1,2026-01-15,,,XYZ",
      "E,,1,2026-01-15,,,",
    ];
    const { body } = await sendSheet(tenant.owner, "subscription", `${rows.join("\n")}\n`, "?dry_run=false");
    expect(errorsOf(body)).to.deep.equal([
      "2 company impex.errors.unresolved_reference",
      "3 amount errors.validation",
      "3 interval_count errors.validation",
      "4 type impex.errors.unresolved_reference",
      "5 currency errors.invoicing.invalid_currency",
      "6 company errors.required",
    ]);
    expect(await listed()).to.deep.equal([]);
  });

  it("are of clients that the caller sees", async () => {
    const [seen, hidden] = [await makeAgreement(tenant, { name: "Seen" }), await makeAgreement(tenant, { name: "Hidden" })];
    const admin = await tenant.member("admin");
    await tenant.group("Narrow", [seen.company_id], [admin.membershipId]);
    const sheet = String(await fetchSheet(service.port, tenant.host, admin.key, "/impex/subscription"));
    expect([sheet.includes(seen.id), sheet.includes(hidden.id)]).to.deep.equal([true, false]);
    const stolen = `id,name,company,amount,start_date\n${hidden.id},Mine,${seen.company_name},5,2026-01-15\n`;
    expect(await importSheet(admin, "subscription", stolen)).to.include({ created: 1, updated: 0 });
    expect(bodyOf(await tenant.owner.get(`/subscriptions/${hidden.id}`)).name).to.equal("Hidden");
  });
});
