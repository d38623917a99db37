import { expect } from "chai";
import { importSheet } from "../../../support/impex.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { refusalOf } from "../../clients/companies/company-records.ts";
import { type EntryBody, Hours, ok } from "./hours.ts";

describe("the references of an entry", () => {
  let service: TestService;
  let tenant: Tenant;
  let hours: Hours;
  let owner: Caller;
  let [one, two]: string[] = [];
  let [site, shop, loose]: string[] = [];
  let [design, photos, call]: string[] = [];
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    hours = new Hours(service, tenant);
    owner = tenant.owner;
    [one, two] = [(await tenant.company()).id, (await tenant.company()).id];
    site = await hours.project({ company_id: one });
    shop = await hours.project({ company_id: two, billable_default: false });
    loose = await hours.project({ company_id: null });
    // A task says its own client and its project's, one has a client alone, one neither.
    design = await hours.task({ project_id: site, company_id: two });
    photos = await hours.task({ company_id: two });
    call = await hours.task({ project_id: loose, company_id: one });
  });
  after(() => service.stop());

  const placeOf = ({ company_id, project_id, task_id, billable }: Record<string, unknown>) => [
    ...[company_id, project_id, task_id, billable],
  ];
  const created = async (place: object) => placeOf(await hours.log(owner, place));

  it("is the project of its task and that project's client, else the task's; sent values win, null too", async () => {
    expect(await created({ task_id: design })).to.deep.equal([one, site, design, true]);
    expect(await created({ task_id: photos })).to.deep.equal([two, null, photos, true]);
    expect(await created({ task_id: call })).to.deep.equal([one, loose, call, true]);
    expect(await created({ project_id: shop })).to.deep.equal([two, shop, null, false]);
    expect(await created({ project_id: loose })).to.deep.equal([null, loose, null, true]);
    expect(await created({ project_id: shop, task_id: design })).to.deep.equal([two, shop, design, false]);
    expect(await created({ company_id: two, task_id: design })).to.deep.equal([two, site, design, true]);
    expect(await created({ company_id: null, task_id: design })).to.deep.equal([null, site, design, true]);
    expect(await created({ project_id: null, task_id: design })).to.deep.equal([two, null, design, true]);
    expect(await created({ company_id: null, project_id: null, task_id: design })).to.deep.equal([null, null, design, true]);
    expect(await created({})).to.deep.equal([null, null, null, true]);
  });

  it("is derived alike by a timer, by a planned block, by finishing a task and by an import", async () => {
    const timer = await ok(owner.post("/time/timer/start", { task_id: design }));
    expect(placeOf(timer)).to.deep.equal([one, site, design, true]);
    await ok(owner.post("/time/timer/stop"));
    const kept = await ok(owner.post("/time/timer/start", { task_id: design, company_id: null }));
    expect(placeOf(kept)).to.deep.equal([null, site, design, true]);
    await ok(owner.post("/time/timer/stop"));

    const billed = await hours.task({ project_id: shop, company_id: one });
    const block = { task_id: billed, day: "2026-05-04", start_time: "09:30", duration_minutes: 30 };
    const { id } = await ok(owner.post("/tasks/schedules", block));
    const { time_entry_id } = await ok(owner.post(`/tasks/schedules/${id}/log-time`, {}));
    const logged = await ok(owner.get(`/time/entries/${time_entry_id}`));
    expect(placeOf(logged)).to.deep.equal([two, shop, billed, false]);
    expect([logged.started_at, logged.work_date]).to.deep.equal(["2026-05-04T07:30:00+00:00", "2026-05-04"]);

    const [, done] = (await ok(owner.get("/tasks/statuses"))).filter(
      ({ is_terminal, is_default }: Record<string, boolean>) => is_terminal || is_default,
    );
    const status =
      done?.key ?? (await ok(owner.post("/tasks/statuses", { key: "done", name: "D", color: "sky", is_terminal: true }))).key;
    const log_time = { started_at: "2026-05-05T23:30:00", ended_at: "2026-05-05T00:30:00" };
    await ok(owner.patch(`/tasks/${billed}`, { status, log_time }));
    const [finished] = (await ok(owner.get(`/time/entries?task_id=${billed}&date_from=2026-05-05&date_to=2026-05-05`))).items;
    expect(placeOf(finished)).to.deep.equal([two, shop, billed, false]);
    expect([finished.started_at, finished.minutes]).to.deep.equal(["2026-05-05T21:30:00+00:00", 60]);

    await importSheet(owner, "time_entry", ["date,hours,task,description", `2026-05-06,1,${design},By import`].join("\r\n"));
    const [imported] = (await ok(owner.get("/time/entries?date_from=2026-05-06&date_to=2026-05-06"))).items;
    expect(placeOf(imported)).to.deep.equal([one, site, design, true]);
  });

  it("is derived again by another task or project, as far as the body does not send it", async () => {
    const { id } = await hours.log(owner, { task_id: design });
    const patched = async (body: object) => placeOf(await ok(owner.patch(`/time/entries/${id}`, body)));
    expect(await patched({ description: "x", task_id: design })).to.deep.equal([one, site, design, true]);
    expect(await patched({ task_id: photos })).to.deep.equal([two, null, photos, true]);
    expect(await patched({ project_id: shop })).to.deep.equal([two, shop, photos, false]);
    expect(await patched({ project_id: site, billable: false })).to.deep.equal([one, site, photos, false]);
    expect(await patched({ task_id: call, company_id: two })).to.deep.equal([two, loose, call, true]);
    expect(await patched({ company_id: null })).to.deep.equal([null, loose, call, true]);
    expect(await patched({ task_id: null })).to.deep.equal([null, loose, null, true]);
    expect(await patched({ project_id: shop })).to.deep.equal([two, shop, null, false]);
    expect(await patched({ project_id: null })).to.deep.equal([two, null, null, false]);
    expect(await patched({ task_id: design, project_id: null, billable: true })).to.deep.equal([two, null, design, true]);
  });

  it("is nowhere that its writer does not see, named or derived", async () => {
    const restricted = await hours.restricted("member", [two as string]);
    const hiddenProject = await hours.task({ company_id: two, project_id: site });
    const log = async (place: object) =>
      refusalOf(await restricted.post("/time/entries", { started_at: "2026-05-04T09:00:00Z", minutes: 5, ...place }));
    expect(await log({ task_id: hiddenProject })).to.deep.equal([404, "not_found", null]);
    expect(
      (await restricted.post("/time/entries", { started_at: "2026-05-04T09:00:00Z", minutes: 5, task_id: photos })).status,
    ).to.equal(201);
    const { id } = await hours.log(restricted, { company_id: two });
    expect(refusalOf(await restricted.patch(`/time/entries/${id}`, { task_id: hiddenProject }))).to.deep.equal([
      ...[404, "not_found", null],
    ]);
  });

  it("stays in its original day, through changes of the zone, its project and its task", async () => {
    const other = await service.tenant();
    const work = new Hours(service, other);
    const [first, second] = [(await other.company()).id, (await other.company()).id];
    const { id: project_id } = await ok(other.owner.post("/projects", { name: "P", company_id: first }));
    const entry = await work.log(other.owner, { started_at: "2026-08-31T22:30:00Z", project_id });
    await ok(other.owner.patch("/meta/tenant", { timezone: "America/New_York" }));
    await ok(other.owner.patch(`/projects/${project_id}`, { company_id: second }));
    const read = async (): Promise<EntryBody> => ok(other.owner.get(`/time/entries/${entry.id}`));
    expect(await read()).to.include({ work_date: "2026-09-01", company_id: first });
    await ok(other.owner.patch(`/time/entries/${entry.id}`, { started_at: "2026-08-31T22:30:00Z", minutes: 30 }));
    expect(await read()).to.include({ work_date: "2026-09-01", company_id: first, minutes: 30 });
    await ok(other.owner.patch(`/time/entries/${entry.id}`, { started_at: "2026-08-31T22:31:00Z" }));
    expect((await read()).work_date).to.equal("2026-08-31");
  });
});
