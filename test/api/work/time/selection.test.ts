import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { type EntryBody, Hours, ok } from "./hours.ts";

describe("hours under a selection of clients", () => {
  let service: TestService;
  let tenant: Tenant;
  let hours: Hours;
  let admin: Caller;
  let mine: string;
  let hidden: string;
  let hiddenProject: string;
  /** Entries that the selection shows, and those of a hidden client: its own, its project's, its task's. */
  let seen: EntryBody[];
  let unseen: EntryBody[];
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    hours = new Hours(service, tenant);
    [mine, hidden] = [(await tenant.company()).id, (await tenant.company()).id];
    const project = await hours.project({ company_id: mine });
    hiddenProject = await hours.project({ company_id: hidden });
    const hiddenTasks = [await hours.task({ project_id: hiddenProject }), await hours.task({ company_id: hidden })];
    await hours.defaultRate(60);
    const log = (values: object) => hours.log(tenant.owner, { minutes: 10, ...values });
    seen = [
      await log({ company_id: mine }),
      await log({ project_id: project }),
      await log({ company_id: mine, project_id: hiddenProject }),
      await log({}),
    ];
    unseen = [
      await log({ company_id: hidden }),
      await log({ project_id: hiddenProject }),
      await log({ task_id: hiddenTasks[0] }),
      await log({ task_id: hiddenTasks[1] }),
      await log({ company_id: hidden, project_id: project }),
    ];
    await hours.approve(...[...seen, ...unseen].map(({ id }) => id));
    admin = await hours.restricted("admin", [mine]);
  });
  after(() => service.stop());

  const DAY = "2026-05-04";
  const idsOf = (body: { items: EntryBody[] }) => body.items.map(({ id }) => id).toSorted();

  it("are absent from lists, totals and reports", async () => {
    const ids = seen.map(({ id }) => id).toSorted();
    for (const path of ["/time/entries?all_users=true", "/time/report", `/time/entries?user_id=${tenant.owner.accountId}`]) {
      const body = await ok(admin.get(path));
      expect([idsOf(body), body.total], path).to.deep.equal([ids, 4]);
      expect((await ok(tenant.owner.get(path))).total, path).to.equal(9);
    }
    expect((await ok(admin.get("/time/report"))).totals).to.include({ count: 4, minutes: 40, to_invoice_minutes: 40 });
    expect((await ok(admin.get(`/time/report?company_id=${hidden}`))).total).to.equal(0);
    expect((await ok(admin.get(`/time/entries?all_users=true&project_id=${hiddenProject}`))).total).to.equal(1);
  });

  it("are 404 by id, for writes too", async () => {
    for (const { id } of unseen) {
      expect((await admin.get(`/time/entries/${id}`)).status).to.equal(404);
      expect((await admin.patch(`/time/entries/${id}`, { minutes: 5 })).status).to.equal(404);
      expect((await admin.delete(`/time/entries/${id}`)).status).to.equal(404);
    }
    for (const { id } of seen) expect((await admin.get(`/time/entries/${id}`)).status).to.equal(200);
  });

  it("are absent from every sum", async () => {
    const query = `user_id=${tenant.owner.accountId}`;
    const window = "date_from=2026-05-01&date_to=2026-05-31";
    const sums: Record<string, (body: Record<string, never>) => unknown> = {
      [`/time/day?date=${DAY}&${query}`]: ({ total_minutes }) => total_minutes,
      [`/time/summary?date=${DAY}&${query}`]: ({ minutes }) => minutes,
      [`/time/timesheet?week_start=${DAY}&${query}`]: ({ total }) => total,
      "/time/logged": ({ minutes }) => minutes,
      [`/time/stats/productivity?${window}`]: ({ rows }) => (rows as unknown as { minutes: number }[])[0]?.minutes,
      [`/time/stats/team-summary?${window}`]: ({ minutes, revenue }) => (minutes === revenue ? minutes : [minutes, revenue]),
      "/time/stats/revenue?year=2026": ({ total_current }) => total_current,
    };
    for (const [path, sum] of Object.entries(sums)) {
      expect(sum(await ok(admin.get(path))), path).to.equal(40);
      expect(sum(await ok(tenant.owner.get(path))), path).to.equal(90);
    }
    expect((await ok(admin.get(`/time/logged?company_id=${hidden}`))).minutes).to.equal(0);
    const { top_clients } = await ok(admin.get("/time/stats/revenue?year=2026"));
    expect(top_clients.map((row: { company_id: string | null }) => row.company_id)).to.not.include(hidden);
  });

  it("are absent from a project's cost, and its project is 404 when that is out of sight", async () => {
    expect((await admin.get(`/time/cost?project_id=${hiddenProject}`)).status).to.equal(404);
    expect((await ok(tenant.owner.get(`/time/cost?project_id=${hiddenProject}`))).cost).to.equal(30);
    const { body } = await tenant.owner.get(`/time/entries/${(seen[1] as EntryBody).id}`);
    expect((await ok(admin.get(`/time/cost?project_id=${body.project_id}`))).cost).to.equal(10);
    expect((await ok(tenant.owner.get(`/time/cost?project_id=${body.project_id}`))).cost).to.equal(20);
  });

  it("count in no project's hours either where their client is that of their task", async () => {
    // Older projects may have no client, and are then seen by everyone.
    const other = await service.tenant();
    const [shown, secret] = [(await other.company()).id, (await other.company()).id];
    const work = new Hours(service, other);
    const project_id = await work.project({});
    const narrow = await work.restricted("admin", [shown]);
    await work.log(other.owner, { project_id, minutes: 60 });
    await work.log(other.owner, { project_id, minutes: 120, task_id: await work.task({ company_id: shown }) });
    await work.log(other.owner, { project_id, minutes: 600, task_id: await work.task({ company_id: secret }) });
    for (const [caller, minutes] of [
      [other.owner, 780],
      [narrow, 180],
    ] as const) {
      const { totals } = await ok(caller.get(`/time/report?project_id=${project_id}`));
      const { hours: burnDown } = await ok(caller.get(`/projects/${project_id}?hours=true`));
      const [listed] = (await ok(caller.get("/projects?hours=true"))).items;
      expect([totals.minutes, burnDown.spent_hours * 60, listed.hours.spent_hours * 60]).to.deep.equal(Array(3).fill(minutes));
    }
  });

  it("show a client login its own clients' alone: not those without a client", async () => {
    const login = await tenant.member("client", { grants: ["time.entry.read:any", "time.report.read", "time.entry.approve"] });
    await service.sql.query(
      `insert into contacts (id, organisation_id, account_id, first_name) values (gen_random_uuid(), $1, $2, 'Client')`,
      [tenant.organisation.id, login.accountId],
    );
    await tenant.group("Of the login", [mine], [login.membershipId]);
    const shown = seen
      .slice(0, 3)
      .map(({ id }) => id)
      .toSorted();
    expect(idsOf(await ok(login.get("/time/entries?all_users=true")))).to.deep.equal(shown);
    expect((await ok(login.get("/time/report"))).totals.count).to.equal(3);
    expect((await ok(login.get("/time/logged"))).minutes).to.equal(30);
    expect((await login.get(`/time/entries/${(seen[3] as EntryBody).id}`)).status).to.equal(404);
    const all = [...seen, ...unseen].map(({ id }) => id);
    expect(await ok(login.post("/time/entries/approve", { entry_ids: all, approved: false }))).to.deep.equal({ updated: 3 });
    await hours.approve(...all);
  });
});
