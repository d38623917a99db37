import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { makeLogin, signedIn } from "../portal/portal.ts";
import { Hours } from "../work/time/hours.ts";
import { ok, type Row } from "./reporting-world.ts";
import { type Gathering, gathered, printed, valuesOf } from "./sections-world.ts";

const SECTION = "work.done";
const SPAN = { from: "2026-05-01", to: "2026-05-31" };

describe("the section of finished work (workspace-reporting §1.6)", () => {
  let service: TestService;
  let tenant: Tenant;
  let hours: Hours;
  let company: string;
  let other: string;
  let project: string;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    hours = new Hours(service, tenant);
    [company, other] = [(await tenant.company()).id, (await tenant.company()).id];
    project = await hours.project({ name: "Webshop", company_id: company });
  });
  after(() => service.stop());

  const asked = (more: Partial<Gathering> = {}): Gathering => ({ company, span: SPAN, audience: "internal", ...more });
  const section = (more?: Partial<Gathering>) => printed(tenant, SECTION, asked(more));
  const done = (title: string, completed_at: string, values: object = {}) =>
    hours.task({ title, completed_at, company_id: company, ...values });
  const partOf = (data: Row, name: string): Row => data["parts"].find((part: Row) => part["name"] === name);
  const logged = (minutes: number, started_at: string, values: object) => {
    const ended_at = new Date(Date.parse(started_at) + minutes * 60_000).toISOString();
    return hours.log(tenant.owner, { started_at, ended_at, ...values });
  };

  it("has the tasks finished in the organisation's days of the period, newest first, with project and day", async () => {
    await done("Nieuwe homepage", "2026-05-10T10:00:00Z", { company_id: null, project_id: project });
    await done("Formulier hersteld", "2026-05-31T21:30:00Z");
    await done("Pas in juni", "2026-05-31T22:30:00Z");
    await done("Nog in april", "2026-04-30T21:30:00Z");
    await done("Vorig jaar", "2025-05-03T10:00:00Z");
    await done("Van een ander", "2026-05-10T10:00:00Z", { company_id: other });
    const data = await section({ locale: "nl" });
    expect(data).to.deep.include({ role: "done" });
    expect(valuesOf(data.totals)).to.deep.equal({ tasks: [2, 1] });
    expect(data.table?.rows).to.deep.equal([
      ["Formulier hersteld", null, "31 mei 2026"],
      ["Nieuwe homepage", "Webshop", "10 mei 2026"],
    ]);
    expect(data.table).not.to.have.property("total_rows");
  });

  it("has hours of the period in all and by project, for colleagues only", async () => {
    await logged(90, "2026-05-04T09:00:00Z", { project_id: project });
    await logged(30, "2026-05-05T09:00:00Z", { company_id: company });
    await logged(60, "2025-05-05T09:00:00Z", { company_id: company });
    await logged(45, "2026-05-05T11:00:00Z", { company_id: other });
    await logged(45, "2026-06-01T09:00:00Z", { company_id: company });
    const data = await section();
    expect(valuesOf(data.totals)).to.deep.equal({ tasks: [0, null], hours: [2, 1] });
    expect(partOf(data, "Hours by project")["table"].rows).to.deep.equal([
      ["Webshop", 1.5],
      ["Without a project", 0.5],
    ]);
    expect((await gathered(tenant, SECTION, asked({ audience: "client" }))).data).to.equal(null);
    await done("Zichtbaar", "2026-05-10T10:00:00Z", { visible_to_client: true });
    const forClient = await section({ audience: "client" });
    expect(JSON.stringify(forClient)).not.to.match(/hours|uren/i);
  });

  it("has the open tasks with the nearest due dates as next steps", async () => {
    await done("Klaar", "2026-05-10T10:00:00Z", { due_date: "2026-06-01" });
    await hours.task({ title: "Later", due_date: "2026-07-01", company_id: company });
    await hours.task({ title: "Eerst", due_date: "2026-06-02", company_id: company });
    await hours.task({ title: "Zonder dag", company_id: company });
    expect(partOf(await section({ locale: "nl" }), "Volgende stappen")["table"].rows).to.deep.equal([
      ["Eerst", "2 juni 2026"],
      ["Later", "1 juli 2026"],
    ]);
  });

  it("has for the client what its portal shows, and nothing else", async () => {
    const { email } = await makeLogin(service, tenant, [company]);
    const login = await signedIn(service, tenant, email);
    await done("Getoond", "2026-05-10T10:00:00Z", { visible_to_client: true });
    await done("Intern", "2026-05-11T10:00:00Z");
    await hours.task({ title: "Straks", due_date: "2026-06-02", company_id: company, visible_to_client: true });
    await hours.task({ title: "Stil", due_date: "2026-06-01", company_id: company });
    await done("Van een ander", "2026-05-10T10:00:00Z", { company_id: other, visible_to_client: true });
    const data = await section({ audience: "client" });
    const titles = [data.table, partOf(data, "Next steps")["table"]].flatMap((table) =>
      table.rows.map(([title]: string[]) => title),
    );
    const { items } = await ok(login.get("/tasks?limit=200"));
    expect(titles.toSorted()).to.deep.equal(items.map(({ title }: Row) => title).toSorted());
    expect(titles).to.deep.equal(["Getoond", "Straks"]);
  });

  it("cuts at 25 rows and says of how many, with as many statements for 3 tasks as for 30", async () => {
    for (const n of [1, 2, 3]) await done(`Taak ${n}`, "2026-05-10T10:00:00Z");
    const { statements } = await gathered(tenant, SECTION, asked());
    for (let n = 4; n <= 30; n++) await done(`Taak ${n}`, "2026-05-10T10:00:00Z", { project_id: project });
    const { data, statements: more } = await gathered(tenant, SECTION, asked());
    expect([data?.table?.rows.length, data?.table?.total_rows]).to.deep.equal([25, 30]);
    expect([statements, more]).to.deep.equal([4, 4]);
  });

  it("is left out if nothing was finished and no hours were written", async () => {
    await hours.task({ title: "Straks", due_date: "2026-06-02", company_id: company });
    expect((await gathered(tenant, SECTION, asked())).data).to.equal(null);
  });
});
