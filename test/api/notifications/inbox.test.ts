import { expect } from "chai";
import { inboxListing } from "../../../services/notifications/inbox/inbox-rows.ts";
import { nodesOf } from "../../support/lists/large.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { atOnce, type Body, bodyOf, heard, unread, watch } from "./inbox-records.ts";

describe("the inbox (platform chapter §5.3)", () => {
  let service: TestService;
  let tenant: Tenant;
  let anna: Caller;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    anna = await tenant.member("member", { name: "Anna" });
    await atOnce(tenant.owner, "company.status_changed");
  });
  after(() => service.stop());

  const assigned = async (title: string, who: Caller = anna): Promise<string> =>
    bodyOf(await tenant.owner.post("/tasks", { title, assignees: [{ user_id: who.accountId, is_primary: true }] })).id;
  const page = async (query = "", who: Caller = anna): Promise<Body> => bodyOf(await who.get(`/notifications${query}`));
  const titles = async (query = ""): Promise<string[]> => (await page(query)).items.map(({ payload }: Body) => payload.title);

  it("is the caller's own, newest first, and sorts by creation alone", async () => {
    for (const title of ["One", "Two", "Three"]) await assigned(title);
    await assigned("Theirs", await tenant.member("member"));
    expect(await titles()).to.deep.equal(["Three", "Two", "One"]);
    expect(await titles("?sort=created_at")).to.deep.equal(["One", "Two", "Three"]);
    expect(await titles("?limit=1&offset=1")).to.deep.equal(["Two"]);
    expect((await page("?limit=2")).total).to.equal(3);
    const uncounted = await page("?count=false");
    expect([uncounted.total, uncounted.items.length]).to.deep.equal([0, 3]);
    const { status, body } = await anna.get("/notifications?sort=visible_at");
    expect([status, body.error.code]).to.deep.equal([400, "invalid_sort"]);
    expect((await anna.get("/notifications?limit=201")).status).to.equal(422);
  });

  it("filters by unread, read, and kind of record", async () => {
    await assigned("Task");
    const company = await tenant.company();
    await watch(anna, "company", company.id);
    bodyOf(await tenant.owner.patch(`/companies/${company.id}`, { status: "offboarding" }));
    const [{ id }] = (await page("?entity_type=task")).items;
    bodyOf(await anna.patch(`/notifications/${id}`, { read: true }));
    expect([await heard(anna, "&unread=true"), await heard(anna, "&unread=false"), await heard(anna)]).to.deep.equal([
      ["company.status_changed"],
      ["task.assigned"],
      ["company.status_changed", "task.assigned"],
    ]);
    expect([(await page("?unread=true")).total, (await page("?entity_type=company")).total]).to.deep.equal([1, 1]);
    expect((await anna.get("/notifications?entity_type=interaction")).status).to.equal(422);
  });

  it("counts unread rows, and marks a row read and unread again", async () => {
    await assigned("One");
    await assigned("Two");
    expect(await unread(anna)).to.equal(2);
    const [{ id }] = (await page()).items;
    const read = bodyOf(await anna.patch(`/notifications/${id}`, { read: true }));
    expect(read.read_at).to.be.a("string");
    expect(await unread(anna)).to.equal(1);
    const again = bodyOf(await anna.patch(`/notifications/${id}`, { read: true }));
    expect(again.read_at, "read is read").to.equal(read.read_at);
    expect(bodyOf(await anna.patch(`/notifications/${id}`, { read: false })).read_at).to.equal(null);
    expect(await unread(anna)).to.equal(2);
    expect((await anna.patch(`/notifications/${id}`, {})).status).to.equal(422);
  });

  it("hides the rows of other people", async () => {
    await assigned("Mine");
    const [{ id }] = (await page()).items;
    expect((await tenant.owner.patch(`/notifications/${id}`, { read: true })).status).to.equal(404);
    const robot = await tenant.serviceAccount(["notifications.notification.read", "notifications.notification.write"]);
    expect([await heard(robot), await unread(robot)]).to.deep.equal([[], 0]);
    expect((await robot.patch(`/notifications/${id}`, { read: true })).status).to.equal(404);
    expect(bodyOf(await robot.post("/notifications/mark-all-read"))).to.deep.equal({ updated: 0 });
    expect(await unread(anna)).to.equal(1);
  });

  it("marks all rows read, once", async () => {
    for (const title of ["One", "Two", "Three"]) await assigned(title);
    expect(bodyOf(await anna.post("/notifications/mark-all-read"))).to.deep.equal({ updated: 3 });
    expect(bodyOf(await anna.post("/notifications/mark-all-read"))).to.deep.equal({ updated: 0 });
    expect(await unread(anna)).to.equal(0);
  });

  it("reads a person's choice for one record: null without a choice", async () => {
    const id = await assigned("Task");
    const read = async (who: Caller) => bodyOf(await who.get(`/notifications/watch?entity_type=task&entity_id=${id}`));
    expect(await read(anna)).to.deep.equal({ watching: null });
    await watch(anna, "task", id, false);
    expect([await read(anna), await read(tenant.owner)]).to.deep.equal([{ watching: false }, { watching: null }]);
    await watch(anna, "task", id, true);
    expect(await read(anna)).to.deep.equal({ watching: true });
    await watch(anna, "task", id, null);
    expect(await read(anna)).to.deep.equal({ watching: null });
    expect((await anna.get(`/notifications/watch?entity_type=domain&entity_id=${id}`)).status).to.equal(422);
    expect((await anna.get("/notifications/watch?entity_type=task")).status).to.equal(422);
  });

  it("takes one statement to count and one to list", async () => {
    await assigned("One");
    const counted = async (path: string) => {
      await anna.get(path);
      return (await anna.get(path)).statements;
    };
    expect([await counted("/notifications/unread-count"), await counted("/notifications")]).to.deep.equal([1, 1]);
  });

  it("counts by the index of unread rows, if most rows are read", async () => {
    await service.sql.query("begin");
    try {
      await service.sql.query(
        `with reported as (insert into notification_events (id, organisation_id, event_type, entity_type, entity_id)
           select gen_random_uuid(), $1, 'task.assigned', 'task', gen_random_uuid() from generate_series(1, 2000) returning id, entity_id)
         insert into notifications (organisation_id, account_id, event_id, event_type, entity_type, entity_id, visible_at, read_at)
         select $1, $2, id, 'task.assigned', 'task', entity_id, now(), case when n > 20 then now() end
           from (select *, row_number() over () as n from reported) t`,
        [tenant.organisation.id, anna.accountId],
      );
      await service.sql.query("analyze notifications");
      const { rows } =
        await service.sql.query(`explain select count(*) from notifications t where t.organisation_id = '${tenant.organisation.id}'
      and t.account_id = '${anna.accountId}' and t.read_at is null and t.visible_at <= now()`);
      expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).to.contain("notifications_unread");
    } finally {
      await service.sql.query("rollback");
    }
  });

  it("finds changes only among the caller's rows, however many colleagues have", async () => {
    await service.sql.query("begin");
    try {
      await service.sql.query(
        `with reported as (insert into notification_events (id, organisation_id, event_type, entity_type, entity_id)
           select gen_random_uuid(), $1, 'task.assigned', 'task', gen_random_uuid() from generate_series(1, 12000) returning id, entity_id)
         insert into notifications (organisation_id, account_id, event_id, event_type, entity_type, entity_id, visible_at)
         select $1, case when n > 60 then $3::uuid else $2::uuid end, id, 'task.assigned', 'task', entity_id, now()
           from (select *, row_number() over () as n from reported) t`,
        [tenant.organisation.id, anna.accountId, tenant.owner.accountId],
      );
      await service.sql.query("analyze notifications, notification_events");
      const [{ text }, values] = inboxListing.page(tenant.organisation.id, {
        limit: 50,
        offset: 0,
        count: true,
        updated_since: "2020-01-01T00:00:00Z",
        filters: { account: anna.accountId },
        selection: null,
      }).bound;
      await service.sql.query("set local plan_cache_mode = force_generic_plan");
      const { rows } = await service.sql.query(`explain (analyze, timing off, format json) ${text}`, values);
      const looked = nodesOf(rows[0]["QUERY PLAN"][0].Plan)
        .filter((node) => node["Relation Name"] === "notifications")
        .reduce(
          (sum, node) =>
            sum + (Number(node["Actual Rows"]) + Number(node["Rows Removed by Filter"] ?? 0)) * Number(node["Actual Loops"]),
          0,
        );
      expect(looked).to.be.within(60, 500);
    } finally {
      await service.sql.query("rollback");
    }
  });
});
