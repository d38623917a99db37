import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { openStream, type Stream } from "../../support/streams/stream.ts";
import { atOnce, type Body, bodyOf, heard, prefer, sendingAbout, watch } from "../notifications/inbox-records.ts";

const EVENTS = ["task.status_changed", "task.commented", "project.status_changed", "company.status_changed"];

/** Two owners: one without groups, one in a group that holds one client of two. */
describe("a holder of the wildcard in a company group (conventions §5)", function () {
  this.timeout(60_000);
  let service: TestService;
  let tenant: Tenant;
  let [free, grouped]: Caller[] = [];
  let outside: string;
  const streams: Stream[] = [];
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    [free, grouped] = [await tenant.member("owner"), await tenant.member("owner")];
    const inside = (await tenant.company({ name: "Inside" })).id;
    outside = (await tenant.company({ name: "Outside" })).id;
    await tenant.group("Half", [inside], [at(grouped).membershipId]);
    await tenant.group("Nothing", [], [at(grouped).membershipId]);
    await atOnce(tenant.owner, ...EVENTS);
  });
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
  });
  after(() => service.stop());

  const at = (caller: Caller | undefined) => caller as Caller;
  const both = () => [at(free), at(grouped)];
  const make = async (path: string, body: object): Promise<string> => bodyOf(await tenant.owner.post(path, body)).id;
  const change = async (path: string, body: object) => bodyOf(await tenant.owner.patch(path, body));
  const assignees = () => both().map(({ accountId }, n) => ({ user_id: accountId, is_primary: n === 0 }));
  const equally = async (count: number, hears: (who: Caller) => Promise<unknown[]> = heard) => {
    const [one, other] = [await hears(at(free)), await hears(at(grouped))];
    expect(other).to.deep.equal(one);
    expect(one).to.have.length(count);
  };

  it("is notified like a member without a group, as named recipient or follower", async () => {
    await change(`/companies/${outside}`, { assignees: assignees() });
    await equally(1);
    const project = await make("/projects", { name: "Site", company_id: outside, assignees: assignees() });
    const task = await make("/tasks", { title: "Letter", project_id: project, assignees: assignees() });
    await equally(3);
    for (const who of both())
      for (const [kind, id] of [
        ["company", outside],
        ["project", project],
        ["task", task],
      ] as const)
        await watch(who, kind, id);
    await change(`/companies/${outside}`, { status: "offboarding" });
    await change(`/projects/${project}`, { status: "on_hold" });
    await change(`/tasks/${task}`, { status: "in_progress" });
    bodyOf(await tenant.owner.post(`/tasks/${task}/comments`, { body: "Done by noon" }));
    await equally(7);
    await equally(3, async (who) => bodyOf(await who.get(`/notifications/activity?entity_type=task&entity_id=${task}`)));
  });

  it("is not more restricted as a member than as a caller", async () => {
    const seen = async (who: Caller) => bodyOf(await who.get("/companies")).items.map(({ name }: Body) => name);
    await equally(2, seen);
    const access = await service.sql.query(
      "select account_id, selection, is_client from member_access where organisation_id = $1 and account_id = any($2)",
      [tenant.organisation.id, both().map(({ accountId }) => accountId)],
    );
    expect(access.rows.map(({ selection, is_client }) => [selection, is_client])).to.deep.equal([
      [null, false],
      [null, false],
    ]);
  });

  it("is sent the same by e-mail", async () => {
    for (const who of both())
      await prefer(who, { email_events: [{ event_type: "company.assigned", enabled: true, digest: "immediate" }] });
    await change(`/companies/${outside}`, { assignees: assignees() });
    const sent = (await sendingAbout(service, outside)).filter(({ way }: Body) => way === "email");
    expect(sent.map(({ account_id }: Body) => account_id)).to.have.members(both().map(({ accountId }) => accountId));
  });

  it("gets the same by the stream", async () => {
    const opened = await Promise.all(
      both().map(({ key }) => openStream(service.port, "GET", "/notifications/stream", { host: tenant.host, key })),
    );
    streams.push(...opened);
    for (const stream of opened) await stream.upTo(1);
    await change(`/companies/${outside}`, { assignees: assignees() });
    for (const stream of opened) await stream.upTo(3);
    const reported = opened.map(({ events }) =>
      events.flatMap(({ event, data }) => (event === "notification" ? [[data.event_type, data.entity_id]] : [])),
    );
    expect(reported[0]).to.deep.equal([["company.assigned", outside]]);
    expect(reported[1]).to.deep.equal(reported[0]);
  });

  it("sees the same by a calendar link", async () => {
    const due = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await make("/tasks", { title: "Deliver the site", company_id: outside, due_date: due, assignees: assignees() });
    await equally(1, async (who) => {
      const { url } = bodyOf(await who.post("/tasks/calendar-token", {}));
      const { pathname, search } = new URL(url);
      const { text } = await service.call("GET", pathname.replace("/api/v1", "") + search, { host: tenant.host });
      return text.match(/Deliver the site/g) ?? [];
    });
  });
});
