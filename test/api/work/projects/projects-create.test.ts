import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { keepEvents } from "../../../support/jobs.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { eventsOf, invalidOn, refusalOf, trailOf } from "../../clients/companies/company-records.ts";
import { person, projectOf } from "./project-records.ts";

describe("POST /projects", () => {
  let service: TestService;
  let tenant: Tenant;
  let company: { id: string; name: string };
  before(async () => {
    service = await sharedService();
    await keepEvents(service);
    tenant = await service.tenant();
    company = await tenant.company({ name: "Bakker" });
  });
  after(() => service.stop());

  const post = (values: Record<string, unknown>) =>
    tenant.owner.post("/projects", { name: "Site", company_id: company.id, ...values });

  it("creates a project with the chapter's defaults for omitted fields", async () => {
    const { status, body } = await post({});
    expect(status).to.equal(201);
    expect(body).to.deep.include({
      org_id: tenant.organisation.id,
      name: "Site",
      company_id: company.id,
      company_name: "Bakker",
      status: "active",
      unnamed: false,
      description: null,
      billable_default: true,
      budget_period: "total",
      budget_hours: null,
      budget_amount: null,
      currency: "EUR",
      color: null,
      start_date: null,
      end_date: null,
      responsible_user_id: null,
      assignees: [],
      custom: {},
      hours: null,
      budget_sources: [],
    });
    expect((await tenant.owner.get(`/projects/${body.id}`)).body).to.deep.equal(body);
  });

  it("stores the sent fields", async () => {
    const values = {
      status: "on_hold",
      description: "*Launch* in May",
      billable_default: false,
      budget_period: "monthly",
      budget_hours: 12.5,
      budget_amount: 1500.25,
      currency: "USD",
      color: "#ff0000",
      start_date: "2026-03-01",
      end_date: "2026-10-31",
    };
    expect((await post(values)).body).to.deep.include(values);
  });

  it("rounds budgets to 2 decimals, empties blank colours and takes HTML out of descriptions", async () => {
    const { body } = await post({
      budget_hours: 33.335,
      budget_amount: 0.005,
      color: " ",
      description: "<b>Bold</b> <script>x</script>**md**",
    });
    expect(body).to.include({ budget_hours: 33.34, budget_amount: 0.01, color: null, description: "Bold **md**" });
    expect((await post({ description: "<p> </p>" })).body.description).to.equal(null);
  });

  it("needs a name and a client", async () => {
    expect(refusalOf(await tenant.owner.post("/projects", {}))).to.deep.equal(
      invalidOn({ name: "errors.required", company_id: "errors.required" }),
    );
    expect(refusalOf(await post({ company_id: null }))).to.deep.equal(invalidOn({ company_id: "errors.validation" }));
    for (const name of ["", "   ", null, "x".repeat(256)])
      expect(refusalOf(await post({ name }))).to.deep.equal(invalidOn({ name: "errors.validation" }));
  });

  for (const [field, value] of [
    ["status", "done"],
    ["budget_hours", -1],
    ["budget_hours", 1e10],
    ["budget_amount", -0.01],
    ["budget_amount", 1e12],
    ["budget_period", "yearly"],
    ["currency", "EURO"],
    ["currency", "E"],
    ["color", "x".repeat(21)],
    ["start_date", "2026-02-30"],
    ["end_date", "0000-01-01"],
  ] as const)
    it(`refuses ${field} ${value}`, async () => {
      expect(refusalOf(await post({ [field]: value }))).to.deep.equal(invalidOn({ [field]: "errors.validation" }));
    });

  it("reads null for what may be left out as left out", async () => {
    const { status, body } = await post({ status: null, currency: null, budget_period: null, unnamed: null, assignees: null });
    expect(status).to.equal(201);
    expect(body).to.include({ status: "active", currency: "EUR", budget_period: "total", unnamed: false });
  });

  it("answers 404 for a client that is not there, and for another organisation's", async () => {
    const elsewhere = await (await service.tenant()).company();
    for (const company_id of [randomUUID(), elsewhere.id]) expect((await post({ company_id })).status).to.equal(404);
  });

  it("answers 404 for a client outside of the caller's selection, and writes nothing", async () => {
    const admin = await tenant.member("admin");
    const seen = await tenant.company();
    await tenant.group("Narrow", [seen.id], [admin.membershipId]);
    expect((await admin.post("/projects", { name: "Hidden", company_id: company.id })).status).to.equal(404);
    expect((await admin.post("/projects", { name: "Seen", company_id: seen.id })).status).to.equal(201);
    expect((await tenant.owner.get("/projects?q=Hidden")).body.total).to.equal(0);
  });

  it("reads custom fields by their definitions", async () => {
    const other = await service.tenant();
    await other.owner.post("/custom-fields/definitions", {
      entity_type: "project",
      key: "phase",
      data_type: "text",
      required: true,
      label_i18n: { en: "Phase" },
    });
    const { id } = await other.company();
    const make = (custom?: unknown) => other.owner.post("/projects", { name: "P", company_id: id, custom });
    expect(refusalOf(await make())).to.deep.equal(invalidOn({ phase: "errors.required" }));
    expect(refusalOf(await make({ phase: "x", colour: 1 }))).to.deep.equal(
      invalidOn({ colour: "customfields.errors.unknown_field" }),
    );
    expect((await make({ phase: "x" })).body.custom).to.deep.equal({ phase: "x" });
  });

  describe("with people", () => {
    it("uses the given roster, the first starred without a star", async () => {
      const [anna, bob] = [await tenant.member("member"), await tenant.member("member")];
      const { body } = await post({ assignees: [person(anna), person(bob), person(anna)] });
      expect(body.assignees).to.deep.equal([person(anna, true), person(bob, false)]);
      expect(body.responsible_user_id).to.equal(anna.accountId);
    });

    it("uses the one responsible without a list, and the list otherwise", async () => {
      const [anna, bob] = [await tenant.member("member"), await tenant.member("member")];
      expect((await post({ responsible_user_id: bob.accountId })).body.assignees).to.deep.equal([person(bob, true)]);
      const both = await post({ assignees: [person(anna)], responsible_user_id: bob.accountId });
      expect(both.body.assignees).to.deep.equal([person(anna, true)]);
    });

    it("uses the starred person of its client alone if none is named", async () => {
      const [anna, bob] = [await tenant.member("member"), await tenant.member("member")];
      const looked = await tenant.company({ assignees: [person(anna), person(bob, true)] });
      const inherited = [person(bob, true)];
      expect((await post({ company_id: looked.id })).body.assignees).to.deep.equal(inherited);
      expect((await post({ company_id: looked.id, responsible_user_id: null })).body.assignees).to.deep.equal(inherited);
      expect((await post({ company_id: looked.id, assignees: [] })).body.assignees).to.deep.equal([]);
    });

    it("refuses two stars and non-members", async () => {
      const anna = await tenant.member("member");
      const stranger = await (await service.tenant()).member("member");
      const two = await post({ assignees: [person(anna, true), person(tenant.owner, true)] });
      expect(refusalOf(two)).to.deep.equal([400, "multiple_primary_assignees", null]);
      for (const sent of [{ assignees: [person(stranger)] }, { responsible_user_id: randomUUID() }])
        expect(refusalOf(await post(sent))).to.deep.equal([400, "invalid_assignee", null]);
    });
  });

  it("records created on the trail and notifies those on the roster", async () => {
    const anna = await tenant.member("member");
    const { id } = await projectOf(tenant, { name: "Reported", company_id: company.id, assignees: [person(anna)] });
    expect((await trailOf(service.sql, "project", id)).map(({ action, payload }) => [action, payload])).to.deep.equal([
      ["created", {}],
    ]);
    const reported = { project_id: id, company_id: company.id, title: "Reported", recipients: [anna.accountId] };
    expect(await eventsOf(service.sql, id)).to.deep.equal([
      { event: "project.created", payload: { ...reported, status: "active" } },
      { event: "project.assigned", payload: reported },
    ]);
  });

  it("assigns no one when the roster is empty", async () => {
    const { id } = await projectOf(tenant);
    expect((await eventsOf(service.sql, id)).map(({ event }) => event)).to.deep.equal(["project.created"]);
  });
});
