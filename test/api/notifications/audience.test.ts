import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { inboxFor } from "../../../services/notifications/audience/inbox-statement.ts";
import { builtIn } from "../../../services/notifications/preferences/resolution.ts";
import { clockAround } from "../../../services/notifications/slots/clock.ts";
import { clockValues } from "../../../services/notifications/slots/slots.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { atOnce, type Body, bodyOf, heard, prefer, rowsAbout, unread, watch } from "./inbox-records.ts";

describe("the audience of an event (platform chapter §5.2)", () => {
  let service: TestService;
  let tenant: Tenant;
  let anna: Caller;
  let ben: Caller;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    [anna, ben] = [await tenant.member("member", { name: "Anna" }), await tenant.member("member", { name: "Ben" })];
    await atOnce(
      tenant.owner,
      "task.status_changed",
      "task.commented",
      "task.unassigned",
      "company.created",
      "company.status_changed",
    );
  });
  after(() => service.stop());

  const makeTask = async (body: object = {}, who: Caller = tenant.owner): Promise<string> =>
    bodyOf(await who.post("/tasks", { title: "Letter", assignees: [], ...body })).id;
  const assign = (...people: Caller[]) => ({
    assignees: people.map(({ accountId }, n) => ({ user_id: accountId, is_primary: n === 0 })),
  });
  const move = async (id: string, status: string, more: object = {}, who: Caller = tenant.owner) =>
    bodyOf(await who.patch(`/tasks/${id}`, { status, ...more }));
  const say = async (id: string, body: string, who: Caller = tenant.owner, parent_id?: string): Promise<string> =>
    bodyOf(await who.post(`/tasks/${id}/comments`, { body, ...(parent_id && { parent_id }) })).id;

  it("includes the people that the event names, never the actor", async () => {
    const id = await makeTask(assign(anna, tenant.owner));
    expect([await heard(anna), await heard(ben), await heard(tenant.owner)]).to.deep.equal([["task.assigned"], [], []]);
    const [row] = bodyOf(await anna.get("/notifications")).items;
    const { rows } = await service.sql.query("select coalesce(full_name, email) as name from accounts where id = $1", [
      tenant.owner.accountId,
    ]);
    expect(row).to.deep.equal({
      id: row.id,
      event_type: "task.assigned",
      entity_type: "task",
      entity_id: id,
      actor_name: rows[0].name,
      payload: { task_id: id, title: "Letter" },
      read_at: null,
      visible_at: row.visible_at,
      created_at: row.created_at,
    });
    expect(row.visible_at).to.equal(row.created_at);
  });

  it("includes followers of the record, and excludes people who muted it", async () => {
    const id = await makeTask(assign(anna));
    await watch(ben, "task", id);
    await watch(anna, "task", id, false);
    await move(id, "in_progress");
    expect([await heard(anna), await heard(ben)]).to.deep.equal([["task.assigned"], ["task.status_changed"]]);
    await watch(ben, "task", id, null);
    await watch(anna, "task", id, null);
    await move(id, "open");
    expect([await heard(anna), await heard(ben)]).to.deep.equal([
      ["task.status_changed", "task.assigned"],
      ["task.status_changed"],
    ]);
  });

  it("excludes people who muted the record, even if a comment mentions them", async () => {
    const id = await makeTask();
    await watch(ben, "task", id, false);
    await say(id, `@[Anna](mention:${anna.accountId}) @[Ben](mention:${ben.accountId}) look`);
    expect([await heard(anna), await heard(ben)]).to.deep.equal([["task.mentioned"], []]);
  });

  it("includes a named follower once", async () => {
    const id = await makeTask(assign(anna));
    await watch(anna, "task", id);
    await move(id, "in_progress");
    expect(await heard(anna)).to.deep.equal(["task.status_changed", "task.assigned"]);
  });

  it("excludes people whom a more specific event of the same write notifies", async () => {
    const id = await makeTask(assign(anna));
    await move(id, "in_progress", assign(anna, ben));
    expect([await heard(anna), await heard(ben)]).to.deep.equal([["task.status_changed", "task.assigned"], ["task.assigned"]]);
  });

  it("gets one event of a comment: mentioned people the mention, followers the comment", async () => {
    const id = await makeTask(assign(anna));
    const chris = await tenant.member("member", { name: "Chris" });
    await watch(chris, "task", id);
    await watch(ben, "task", id);
    await say(id, `@[Ben](mention:${ben.accountId}) look`);
    expect([await heard(anna), await heard(ben), await heard(chris)]).to.deep.equal([
      ["task.commented", "task.assigned"],
      ["task.mentioned"],
      ["task.commented"],
    ]);
  });

  it("includes commenters from then on as followers, unless they chose otherwise", async () => {
    const id = await makeTask();
    await watch(anna, "task", id, false);
    await say(id, "First", anna);
    await say(id, "Second", ben);
    const watching = async (who: Caller) =>
      bodyOf(await who.get(`/notifications/watch?entity_type=task&entity_id=${id}`)).watching;
    expect([await watching(anna), await watching(ben), await watching(tenant.owner)]).to.deep.equal([false, true, null]);
    await move(id, "in_progress");
    expect([await heard(anna), await heard(ben)]).to.deep.equal([[], ["task.status_changed"]]);
  });

  it("includes only active members, and no client logins", async () => {
    const client = await tenant.member("client");
    const gone = await tenant.member("member");
    const inactive = await tenant.member("member");
    const id = await makeTask(assign(anna, gone));
    await watch(client, "task", id);
    await watch(inactive, "task", id);
    await service.sql.query("update accounts set is_active = false where id = $1", [inactive.accountId]);
    bodyOf(await tenant.owner.patch(`/members/${gone.membershipId}/account`, { active: false }));
    await move(id, "in_progress");
    expect(
      (await rowsAbout(service, id)).map(({ account_id, event_type }: Body) => [account_id, event_type]),
    ).to.have.deep.members([
      [anna.accountId, "task.assigned"],
      [gone.accountId, "task.assigned"],
      [anna.accountId, "task.status_changed"],
    ]);
  });

  it("excludes members whose selection lacks the record's client, also through a project or task", async () => {
    const [mine, theirs] = [await tenant.company({ name: "Mine" }), await tenant.company({ name: "Theirs" })];
    await tenant.group("North", [mine.id], [anna.membershipId]);
    for (const { id } of [mine, theirs]) {
      await watch(anna, "company", id);
      await watch(ben, "company", id);
      bodyOf(await tenant.owner.patch(`/companies/${id}`, { status: "offboarding" }));
    }
    expect([await heard(anna), await heard(ben)]).to.deep.equal([
      ["company.status_changed"],
      ["company.status_changed", "company.status_changed"],
    ]);
    const project = bodyOf(await tenant.owner.post("/projects", { name: "Site", company_id: theirs.id })).id;
    for (const values of [{ project_id: project }, { company_id: mine.id }, {}]) {
      const id = await makeTask(values);
      await watch(anna, "task", id);
      await move(id, "in_progress");
    }
    expect(await heard(anna, "&entity_type=task")).to.deep.equal(["task.status_changed", "task.status_changed"]);
  });

  it("includes followers only while they may read the record", async () => {
    const id = await makeTask();
    const blind = await tenant.member("member", {
      grants: ["notifications.notification.read", "notifications.notification.write"],
    });
    await watch(blind, "task", id);
    await watch(anna, "task", id);
    await move(id, "in_progress");
    expect([await heard(anna), await heard(blind)]).to.deep.equal([["task.status_changed"], []]);
  });

  it("takes the same number of statements for one person and for 200", async () => {
    const counted = async (id: string, status: string) =>
      Number((await tenant.owner.patch(`/tasks/${id}`, { status })).headers["x-statements"]);
    const [few, many] = [await makeTask(), await makeTask()];
    await service.sql.query(
      `with made as (insert into accounts (email) select 'follower' || n || '-' || $3::text || '@example.org' from generate_series(1, 200) n returning id),
        members as (insert into memberships (organisation_id, account_id) select $1, id from made returning id, account_id, organisation_id),
        held as (insert into membership_roles (organisation_id, membership_id, role_id) select m.organisation_id, m.id, r.id
          from members m join roles r on r.organisation_id = $1 and r.key = 'member')
       insert into notification_watches (organisation_id, entity_type, entity_id, account_id, watching)
       select $1, 'task', $2, account_id, true from members`,
      [tenant.organisation.id, many, many],
    );
    await watch(ben, "task", few);
    await counted(few, "in_progress");
    const [one, all] = [await counted(few, "open"), await counted(many, "in_progress")];
    expect(one).to.be.greaterThan(0);
    expect(all).to.equal(one);
    expect((await rowsAbout(service, many)).length).to.equal(200);
  });

  it("gets both of two equal events of one write and record, or only the last if they wait for a digest", async () => {
    const id = await makeTask();
    for (const person of [anna, ben]) await watch(person, "task", id);
    await prefer(ben, { events: [{ event_type: "task.scheduled", digest: "daily" }] });
    const ids = [randomUUID(), randomUUID()].toSorted();
    const said = ids.map((event, n) => ({
      ...{ id: event, event_type: "task.scheduled", entity_type: "task", entity_id: id, payload: { n }, named: [], excluded: [] },
      ...{ followed: true, readers: ["*", "tasks.task.read"], is_person: false, lasting: true, built_in: builtIn(true) },
    }));
    const clock = clockValues(clockAround("Europe/Amsterdam", new Date().toISOString()));
    const { text } = inboxFor(new Set(["task"]), false);
    await service.sql.query(text, [tenant.organisation.id, JSON.stringify(said), null, null, ...clock]);
    const reported = (await rowsAbout(service, id)).map(({ account_id, payload }: Body) => [account_id, payload.n]);
    expect(reported).to.have.deep.members([
      [anna.accountId, 0],
      [anna.accountId, 1],
      [ben.accountId, 1],
    ]);
  });

  it("gets nothing if the write rolls back", async () => {
    const id = await makeTask(assign(anna));
    const { status } = await tenant.owner.patch(`/tasks/${id}`, { status: "in_progress" }, { headers: { "If-Match": '"99"' } });
    expect(status).to.equal(412);
    expect([await heard(anna), await unread(anna)]).to.deep.equal([["task.assigned"], 1]);
  });
});
