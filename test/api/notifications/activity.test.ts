import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { type Body, bodyOf } from "./inbox-records.ts";

const READ = "notifications.notification.read";

describe("a record's activity for its readers (platform chapter §5.3)", () => {
  let service: TestService;
  let tenant: Tenant;
  let anna: Caller;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    anna = await tenant.member("member", { name: "Anna" });
  });
  after(() => service.stop());

  const feed = async (who: Caller, type: string, id: string, more = ""): Promise<string[]> =>
    bodyOf(await who.get(`/notifications/activity?entity_type=${type}&entity_id=${id}${more}`)).map(
      ({ event_type }: Body) => event_type,
    );
  const makeTask = async (body: object = {}): Promise<string> =>
    bodyOf(await tenant.owner.post("/tasks", { title: "Letter", assignees: [], ...body })).id;
  const leave = async (who: Caller, day: string): Promise<string> => {
    const types = bodyOf(await tenant.owner.get("/leave/types"));
    const { id: leave_type_id } = (types.items ?? types).find(({ requires_approval }: Body) => requires_approval);
    return bodyOf(await who.post("/leave/requests", { leave_type_id, start_date: day, end_date: day })).id;
  };

  it("has every event, newest first, regardless of who was notified", async () => {
    const id = await makeTask();
    for (const status of ["in_progress", "open"]) bodyOf(await tenant.owner.patch(`/tasks/${id}`, { status }));
    bodyOf(await tenant.owner.post(`/tasks/${id}/comments`, { body: "Alone" }));
    expect(await feed(anna, "task", id)).to.deep.equal(["task.commented", "task.status_changed", "task.status_changed"]);
    expect(await feed(anna, "task", id, "&limit=1")).to.deep.equal(["task.commented"]);
    const [item] = bodyOf(await anna.get(`/notifications/activity?entity_type=task&entity_id=${id}`)).slice(-1);
    const { rows } = await service.sql.query("select coalesce(full_name, email) as name from accounts where id = $1", [
      tenant.owner.accountId,
    ]);
    expect(item).to.deep.equal({
      id: item.id,
      event_type: "task.status_changed",
      entity_type: "task",
      entity_id: id,
      actor_name: rows[0].name,
      payload: {
        task_id: id,
        title: "Letter",
        company_id: null,
        project_id: null,
        from: "open",
        to: "in_progress",
        finished: false,
      },
      created_at: item.created_at,
    });
    expect((await anna.get(`/notifications/activity?entity_type=task&entity_id=${id}&limit=101`)).status).to.equal(422);
  });

  it("has one entry for a comment that only mentions people", async () => {
    const id = await makeTask();
    bodyOf(await tenant.owner.post(`/tasks/${id}/comments`, { body: `@[Anna](mention:${anna.accountId})` }));
    expect(await feed(tenant.owner, "task", id)).to.deep.equal(["task.mentioned"]);
  });

  it("needs the record's own read permission", async () => {
    const kinds: [type: string, permission: string][] = [
      ["task", "tasks.task.read"],
      ["project", "projects.project.read"],
      ["company", "companies.company.read"],
      ["leave_request", "leave.request.read:own"],
      ["timesheet", "time.entry.read:own"],
      ["interaction", "interactions.interaction.read"],
    ];
    const blind = await tenant.member("member", { grants: [READ] });
    for (const [type, permission] of kinds) {
      const path = `/notifications/activity?entity_type=${type}&entity_id=7b0e0b1c-0000-4000-8000-000000000000`;
      expect((await blind.get(path)).status, type).to.equal(403);
      const reader = await tenant.member("member", { grants: [READ, permission] });
      const { status, body } = await reader.get(path);
      expect([status, body], type).to.deep.equal([200, []]);
    }
  });

  it("is empty for client logins and for records outside the selection", async () => {
    const [mine, theirs] = [await tenant.company({ name: "Mine" }), await tenant.company({ name: "Theirs" })];
    const [one, other] = [await makeTask({ company_id: mine.id }), await makeTask({ company_id: theirs.id })];
    for (const id of [one, other]) bodyOf(await tenant.owner.patch(`/tasks/${id}`, { status: "in_progress" }));
    await tenant.group("North", [mine.id], [anna.membershipId]);
    expect([await feed(anna, "task", one), await feed(anna, "task", other)]).to.deep.equal([["task.status_changed"], []]);
    expect([await feed(anna, "company", mine.id), await feed(anna, "company", theirs.id)]).to.deep.equal([
      ["company.created"],
      [],
    ]);
    const client = await tenant.member("client");
    await service.sql.query(
      `with c as (insert into contacts (id, organisation_id, first_name, account_id) values (gen_random_uuid(), $1, 'Client', $2) returning id)
       insert into contact_links (organisation_id, contact_id, company_id) select $1, c.id, $3 from c`,
      [tenant.organisation.id, client.accountId, mine.id],
    );
    expect((await client.get(`/companies/${mine.id}`)).status, "a client sees its own company").to.equal(200);
    expect([await feed(client, "task", one), await feed(client, "company", mine.id)]).to.deep.equal([[], []]);
  });

  it("shows leave and hours of the caller, and of others with :any", async () => {
    const [own, theirs] = [await leave(anna, "2030-03-06"), await leave(tenant.owner, "2030-03-07")];
    expect([await feed(anna, "leave_request", own), await feed(anna, "leave_request", theirs)]).to.deep.equal([
      ["leave.requested"],
      [],
    ]);
    expect(await feed(tenant.owner, "leave_request", own)).to.deep.equal(["leave.requested"]);
    await service.sql.query(
      `insert into notification_events (id, organisation_id, event_type, entity_type, entity_id)
       values (gen_random_uuid(), $1, 'time.entry_approved', 'timesheet', $2)`,
      [tenant.organisation.id, anna.accountId],
    );
    const ben = await tenant.member("member");
    expect([
      await feed(anna, "timesheet", anna.accountId),
      await feed(ben, "timesheet", anna.accountId),
      await feed(tenant.owner, "timesheet", anna.accountId),
    ]).to.deep.equal([["time.entry_approved"], [], ["time.entry_approved"]]);
  });
});
