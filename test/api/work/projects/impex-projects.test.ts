import { expect } from "chai";
import { errorsOf, fetchSheet, importSheet, sendSheet } from "../../../support/impex.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { person, projectOf } from "./project-records.ts";

describe("projects as a spreadsheet", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const run = (content: string, caller = tenant.owner) => importSheet(caller, "project", content);
  const tried = async (content: string) => errorsOf((await sendSheet(tenant.owner, "project", content)).body);
  const projects = async (of = tenant) => (await of.owner.get("/projects?limit=200")).body.items;
  const exported = async (query = "", of = tenant, caller = of.owner) =>
    (await fetchSheet(service.port, of.host, caller.key, `/impex/project${query}`)).toString().replace(/^\ufeff/, "");

  it("import with Dutch headers and words, client by number, people by address, and change nothing the second time", async () => {
    const { id } = await tenant.company({ name: "Bakker", client_number: "K-1" });
    const [anna, bob] = [await tenant.member("member"), await tenant.member("member", { name: "Bob Bos" })];
    const file = [
      "Projectnaam;Klantnummer;Status;Omschrijving;Factureerbaar;Urenbudget;Vaste prijs;Budgetperiode;Valuta;Startdatum;Einddatum;Projectleider;Team",
      `Site;K-1;Lopend;"*Nieuwe* <b>site</b>";nee;"12,5";"1.500,00";per maand;EUR;1-3-2026;31-12-2026;${anna.email.toUpperCase()};${anna.email}, bob bos`,
      "Shop;K-1;Gereed;;;;;;;;;;",
      "",
    ].join("\n");
    const wrong = await tried(file.replace("bob bos", "bob"));
    expect(wrong).to.deep.equal(["2 assignees impex.errors.unresolved_reference"]);
    const right = file.replace(`${anna.email}, bob bos`, `"${anna.email}; bob bos"`);
    expect(await tried(file)).to.deep.equal([]);
    expect(await run(right)).to.deep.include({ rows: 2, created: 2, errors: [], ignored_columns: [] });
    const [shop, site] = await projects();
    expect(site).to.deep.include({
      name: "Site",
      company_id: id,
      status: "active",
      description: "*Nieuwe* site",
      billable_default: false,
      budget_hours: 12.5,
      budget_amount: 1500,
      budget_period: "monthly",
      currency: "EUR",
      start_date: "2026-03-01",
      end_date: "2026-12-31",
      assignees: [person(anna, true), person(bob, false)],
    });
    expect(shop).to.deep.include({ status: "completed", billable_default: true, budget_hours: null, assignees: [] });
    expect(await run(right)).to.include({ created: 0, updated: 0, unchanged: 2 });
    expect((await projects()).map(({ updated_at }: { updated_at: string }) => updated_at)).to.deep.equal([
      shop.updated_at,
      site.updated_at,
    ]);
  });

  it("import no other hours for a project whose agreements determine its budget, like a change of it", async () => {
    const { id: company_id } = await tenant.company({ name: "Bakker" });
    const { id } = await projectOf(tenant, { name: "Site", company_id, budget_hours: 20 });
    const included = { interval: "monthly", amount: 100, included_hours: 9, project_ids: [id] };
    const { body } = await tenant.owner.post("/subscriptions", {
      name: "Care",
      company_id,
      start_date: "2026-01-01",
      ...included,
    });
    const file = (hours: number, color: string) => `name,client,budget_hours,color\nSite,Bakker,${hours},${color}\n`;
    const locked = await run(file(30, "red"));
    expect(errorsOf(locked)).to.deep.equal(["2 budget_hours errors.projects_budget_hours_locked"]);
    expect(await run(file(20, "blue"))).to.include({ updated: 1 });
    await tenant.owner.patch(`/subscriptions/${body.id}`, { status: "paused" });
    expect(await run(file(30, "blue"))).to.include({ updated: 1 });
  });

  it("import as other tools write them: client by name, a flag for active", async () => {
    await tenant.company({ name: "Bakker" });
    const toggl = "Project,Client,Active,Billable,Estimated hours\nSite,bakker,yes,Yes,10\nOld,Bakker,no,No,\n";
    expect(await run(toggl)).to.deep.include({ created: 2, ignored_columns: [] });
    expect((await projects()).map(({ name, status }: Record<string, string>) => [name, status])).to.deep.equal([
      ["Old", "archived"],
      ["Site", "active"],
    ]);
    const harvest = "Client,Project,Start Date,End Date,Project Notes,Budget\nBakker,Site,2026-01-01,2026-02-01,Notes,2500\n";
    expect(await run(harvest)).to.include({ updated: 1 });
    expect((await projects())[1]).to.include({
      start_date: "2026-01-01",
      description: "Notes",
      budget_amount: 2500,
      budget_hours: 10,
    });
  });

  it("are found by their name within the client, and without one by a name that only one has", async () => {
    await tenant.company({ name: "Bakker" });
    await tenant.company({ name: "Slager" });
    const file = "name,company,color\nSite,Bakker,red\nSite,Slager,blue\nShop,Slager,blue\n";
    expect(await run(file)).to.include({ created: 3 });
    expect(await run(file)).to.include({ unchanged: 3 });
    expect(await run(file.replaceAll("blue", "green"))).to.include({ updated: 2, unchanged: 1 });
    expect(await run("name,color\nshop,black\n")).to.include({ updated: 1 });
    expect(await tried("name,color\nSite,black\n")).to.deep.equal(["2 company errors.required"]);
  });

  it("take the starred person of their client when they name no one", async () => {
    const anna = await tenant.member("member");
    await tenant.company({ name: "Bakker", assignees: [person(anna)] });
    await run("name,company\nSite,Bakker\n");
    expect((await projects())[0].assignees).to.deep.equal([person(anna, true)]);
  });

  it("move the star with responsible alone, and keep the others", async () => {
    const [anna, bob] = [await tenant.member("member"), await tenant.member("member")];
    const { company_id } = await projectOf(tenant, { name: "Site", assignees: [person(anna)] });
    expect(await run(`name,company,responsible\nSite,${company_id},${bob.email}\n`)).to.include({ updated: 1 });
    expect((await projects())[0].assignees).to.deep.equal([person(bob, true), person(anna, false)]);
    expect(await run(`name,responsible\nSite,${bob.email}\n`)).to.include({ unchanged: 1 });
    expect(await run(`name,assignees\nSite,${anna.email}\n`)).to.include({ updated: 1 });
    expect((await projects())[0].assignees).to.deep.equal([person(anna, true)]);
  });

  it("go out and come back as they were, namesakes and rosters without a star too, and arrive elsewhere once", async () => {
    const [anna, bob] = [await tenant.member("member"), await tenant.member("member")];
    const numbered = await tenant.company({ name: "Bakker", client_number: "K-1" });
    const twins = [await tenant.company({ name: "Twin" }), await tenant.company({ name: "twin" })];
    const { id } = await projectOf(tenant, {
      name: "Site",
      company_id: numbered.id,
      assignees: [person(anna), person(bob)],
      budget_hours: 1.125,
      budget_amount: 1234,
      start_date: "2026-01-01",
      description: "a\nb",
    });
    await tenant.owner.patch(`/projects/${id}`, { responsible_user_id: null });
    for (const { id: company_id } of [...twins, numbered]) await projectOf(tenant, { name: "Twice", company_id });
    await projectOf(tenant, { name: "Twice", company_id: numbered.id });
    const file = await exported();
    expect(file.split("\r\n")[0]).to.equal(
      "id,name,company,status,description,billable_default,budget_hours,budget_amount,budget_period,currency,start_date,end_date,color,responsible,assignees",
    );
    const before = await projects();
    expect(await run(file)).to.deep.include({ rows: 5, created: 0, updated: 0, unchanged: 5, errors: [] });
    expect(await projects()).to.deep.equal(before);

    const other = await service.tenant();
    await other.company({ name: "Bakker", client_number: "K-1" });
    const moved = file
      .split("\r\n")
      .filter((line) => !line.includes("Twice") || line.includes("K-1"))
      .join("\r\n")
      .replace(`${anna.email}; ${bob.email}`, "");
    expect(await importSheet(other.owner, "project", moved)).to.include({ created: 3 });
    expect(await importSheet(other.owner, "project", moved)).to.include({ created: 0, unchanged: 3 });
    expect((await projects(other)).map(({ name }: { name: string }) => name)).to.deep.equal(["Site", "Twice", "Twice"]);
  });

  it("go out with the list's filters and the caller's selection", async () => {
    const { company_id } = await projectOf(tenant, { name: "Seen" });
    await projectOf(tenant, { name: "Archived", company_id, status: "archived" });
    await projectOf(tenant, { name: "Hidden" });
    const admin = await tenant.member("admin");
    await tenant.group("Narrow", [company_id], [admin.membershipId]);
    expect(await exported("", tenant, admin))
      .to.contain("Seen")
      .and.contain("Archived")
      .and.not.contain("Hidden");
    expect(await exported("?status=archived"))
      .to.contain("Archived")
      .and.not.contain("Seen");
    expect(await exported("?q=hid"))
      .to.contain("Hidden")
      .and.not.contain("Seen");
  });

  it("name the errors by column", async () => {
    await tenant.company({ name: "Twin" });
    await tenant.company({ name: "Twin" });
    await tenant.company({ name: "Bakker" });
    expect(
      await tried(
        [
          "name,company,status,budget_hours,start_date,currency,responsible",
          "A,Nobody,,,,,",
          "B,Twin,,,,,",
          "C,,,,,,",
          "D,Bakker,gone,,,,",
          "E,Bakker,,x,,,",
          "F,Bakker,,,31-31-2026,,",
          "G,Bakker,,-1,,EURO,",
          "H,Bakker,,,,,nobody@x.example",
          "I,Bakker,,,,,",
          "i,Bakker,,,,,",
        ].join("\n"),
      ),
    ).to.deep.equal([
      "2 company impex.errors.unresolved_reference",
      "3 company impex.errors.ambiguous_match",
      "4 company errors.required",
      "5 status impex.errors.invalid_option",
      "6 budget_hours impex.errors.invalid_number",
      "7 start_date impex.errors.invalid_date",
      "8 budget_hours errors.validation",
      "8 currency errors.validation",
      "9 responsible impex.errors.unresolved_reference",
    ]);
    expect(await projects()).to.deep.equal([]);
  });

  it("stay out of reach of a selection: neither the client nor the project is found", async () => {
    const { id, company_id } = await projectOf(tenant, { name: "Hidden" });
    const seen = await tenant.company({ name: "Seen" });
    const admin = await tenant.member("admin");
    await tenant.group("Narrow", [seen.id], [admin.membershipId]);
    const answer = await sendSheet(admin, "project", `name,company\nHidden,${company_id}\n`);
    expect(errorsOf(answer.body)).to.deep.equal(["2 company impex.errors.unresolved_reference"]);
    expect(await run(`id,name,company\n${id},Renamed,Seen\n`, admin)).to.include({ created: 1 });
    expect((await tenant.owner.get(`/projects/${id}`)).body.name).to.equal("Hidden");
  });

  it("carry custom fields", async () => {
    await tenant.owner.post("/custom-fields/definitions", {
      entity_type: "project",
      key: "phase",
      data_type: "text",
      label_i18n: { nl: "Stadium" },
    });
    await tenant.company({ name: "Bakker" });
    await run("name,company,Stadium\nSite,Bakker,One\n");
    expect((await projects())[0].custom).to.deep.equal({ phase: "One" });
    expect(await exported()).to.contain("custom.phase");
    expect(await run(await exported())).to.include({ unchanged: 1 });
  });

  it("need the permissions of both doors", async () => {
    const reader = await tenant.member("member", { grants: ["projects.project.read", "impex.import", "impex.export"] });
    expect((await sendSheet(reader, "project", "name\nA\n")).status).to.equal(403);
    const template = await tenant.owner.get("/impex/project/template");
    expect(template.text).to.contain("company").and.not.match(/\bid,/);
  });
});
