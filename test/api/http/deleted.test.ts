import { expect } from "chai";
import { copiedKinds } from "../../../services/copies/gone-rows.ts";
import type { Answer } from "../../support/http.ts";
import { fire } from "../../support/jobs.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

describe("GET /deleted", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  /** An hour ago. */
  const recent = (): string => new Date(Date.now() - 3_600_000).toISOString();
  const gone = (caller: Caller, kind: string, since = recent()): Promise<Answer> =>
    caller.get(`/deleted?entity_type=${kind}&since=${since}`);
  const idsOf = async (caller: Caller, kind: string): Promise<[id: string, reason: string][]> => {
    const answer = await gone(caller, kind);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.items.map(({ id, reason }: { id: string; reason: string }) => [id, reason]);
  };
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await tenant.owner.post(path, body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.id;
  };
  /** A login of a client, attached to a contact of that client. */
  async function login(companyId: string): Promise<Caller> {
    const caller = await tenant.member("client");
    const contact = await made("/contacts", { first_name: "Login", company_ids: [companyId] });
    await service.sql.query("update contacts set account_id = $1 where id = $2", [caller.accountId, contact]);
    return caller;
  }

  it("lists what was deleted, oldest first, page by page, and ends with an instant", async () => {
    const ids: string[] = [];
    for (const name of ["a", "b", "c"]) ids.push((await tenant.company({ name })).id);
    for (const id of ids) expect((await tenant.owner.delete(`/companies/${id}`)).status).to.equal(204);
    const address = `/deleted?entity_type=company&since=${recent()}&limit=2`;
    const first = await tenant.owner.get(address);
    expect(first.status, first.text).to.equal(200);
    expect(first.body.items.map(({ id }: { id: string }) => id)).to.deep.equal(ids.slice(0, 2));
    expect(first.body.items[0]).to.have.keys("id", "deleted_at", "reason");
    expect(first.headers["updated-until"]).to.equal(undefined);
    const last = await tenant.owner.get(`${address}&cursor=${encodeURIComponent(first.body.next_cursor)}`);
    expect([last.body.items.map(({ id }: { id: string }) => id), last.body.next_cursor]).to.deep.equal([ids.slice(2), null]);
    expect(last.headers["updated-until"]).to.match(/Z$/);
    const [none, all] = [await gone(tenant.owner, "contact"), await gone(tenant.owner, "company")];
    expect([none.body.items.length, all.body.items.length, none.statements, all.statements]).to.deep.equal([0, 3, 2, 2]);
    expect((await gone(tenant.owner, "company", last.body.items[0].deleted_at)).body.items).to.have.length(1);
    const later = new Date(Date.parse(last.body.items[0].deleted_at) + 1000).toISOString();
    expect((await gone(tenant.owner, "company", later)).body.items).to.deep.equal([]);
  });

  it("refuses callers without a credential or the list's permission, other kinds, and instants before 90 days", async () => {
    const member = await tenant.member("member", { grants: ["contacts.contact.read"] });
    expect((await service.call("GET", `/deleted?entity_type=company&since=${recent()}`, { host: tenant.host })).status).to.equal(
      401,
    );
    expect((await gone(member, "contact")).status).to.equal(200);
    expect((await gone(member, "company")).status).to.equal(403);
    const unknown = await gone(tenant.owner, "nothing");
    expect([unknown.status, unknown.body.error.fields]).to.deep.equal([422, { entity_type: "errors.validation" }]);
    expect(unknown.body.error.details.possible).to.include("company, company_group, contact");
    expect((await tenant.owner.get("/deleted?entity_type=company")).body.error.fields).to.deep.equal({
      since: "errors.required",
    });
    const days = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString();
    expect((await gone(tenant.owner, "company", days(89))).status).to.equal(200);
    const old = await gone(tenant.owner, "company", days(91));
    expect([old.status, old.body.error.code, old.body.error.message]).to.deep.equal([410, "gone", "errors.sync_too_old"]);
  });

  it("refuses the kinds of lists that are refused to members with a selection", async () => {
    const { id } = await tenant.company({ name: "a" });
    const few = await tenant.member("admin");
    expect((await gone(few, "webhook_endpoint")).status).to.equal(200);
    await tenant.group("Few", [id], [few.membershipId]);
    expect((await gone(few, "webhook_endpoint")).status).to.equal(403);
    expect((await gone(few, "role")).status).to.equal(200);
  });

  it("shows nothing of another organisation", async () => {
    const other = await service.tenant();
    const { id } = await other.company({ name: "theirs" });
    await other.owner.delete(`/companies/${id}`);
    expect(await idsOf(tenant.owner, "company")).to.deep.equal([]);
    expect(await idsOf(other.owner, "company")).to.deep.equal([[id, "deleted"]]);
  });

  /** A client with a row of every kind of work below it: its project, a task of that, and hours and a contact moment of the task. */
  async function work(company_id: string) {
    const project = await made("/projects", { name: "p", company_id });
    const task = await made("/tasks", { title: "t", project_id: project, visible_to_client: true });
    const time_entry = await made("/time/entries", {
      task_id: task,
      project_id: null,
      company_id: null,
      started_at: "2026-01-05T09:00:00Z",
      ended_at: "2026-01-05T10:00:00Z",
    });
    const interaction = await made("/interactions", { kind: "call", occurred_at: "2026-01-05T09:00:00Z", task_id: task });
    // A contact moment takes the client of its task when it is filed; those from before it had one take it from the task.
    await service.sql.query("update interactions set company_id = null, project_id = null where id = $1", [interaction]);
    await service.sql.query("delete from gone_rows where entity_id = $1", [interaction]);
    return { project, task, time_entry, interaction };
  }
  const PATHS = {
    project: "/projects?",
    task: "/tasks?",
    time_entry: "/time/entries?all_users=true&",
    interaction: "/interactions?",
  };
  type Kind = keyof typeof PATHS;
  const KINDS = Object.keys(PATHS) as Kind[];

  it("shows members with a selection, and client logins, what was of the clients that they see", async () => {
    const [seen, hidden] = [(await tenant.company({ name: "seen" })).id, (await tenant.company({ name: "hidden" })).id];
    const few = await tenant.member("admin");
    await tenant.group("Few", [seen], [few.membershipId]);
    const portal = await login(seen);
    const [theirs, others] = [await work(seen), await work(hidden)];
    const own = await made("/tasks", { title: "without a client" });
    const secret = await made("/tasks", { title: "secret", company_id: seen });
    for (const id of [theirs.task, others.task, own, secret])
      expect((await tenant.owner.delete(`/tasks/${id}`)).status).to.equal(204);
    for (const { project } of [theirs, others]) expect((await tenant.owner.delete(`/projects/${project}`)).status).to.equal(204);
    const deleted = (...ids: string[]) => ids.map((id) => [id, "deleted"]);
    expect(await idsOf(tenant.owner, "task")).to.deep.equal(deleted(theirs.task, others.task, own, secret));
    expect(await idsOf(few, "task")).to.deep.equal(deleted(theirs.task, own, secret));
    expect(await idsOf(few, "project")).to.deep.equal(deleted(theirs.project));
    expect(await idsOf(portal, "task")).to.deep.equal(deleted(theirs.task));
    expect(await idsOf(portal, "project")).to.deep.equal(deleted(theirs.project));
  });

  it("shows them what went with a client that they saw last", async () => {
    const [seen, hidden] = [(await tenant.company({ name: "seen" })).id, (await tenant.company({ name: "hidden" })).id];
    const few = await tenant.member("admin");
    await tenant.group("Few", [seen], [few.membershipId]);
    const portal = await login(seen);
    const domains = await Promise.all([seen, hidden].map((company_id, n) => made("/domains", { name: `d${n}.nl`, company_id })));
    const task = await made("/tasks", { title: "t", company_id: seen, visible_to_client: true });
    for (const id of [seen, hidden]) expect((await tenant.owner.delete(`/companies/${id}`)).status).to.equal(204);
    for (const caller of [few, portal]) {
      expect(await idsOf(caller, "company")).to.deep.equal([[seen, "deleted"]]);
      expect(await idsOf(caller, "domain")).to.deep.equal([[domains[0], "deleted"]]);
    }
    // Every colleague sees a task without a client, and no client does.
    expect(await idsOf(few, "task")).to.deep.equal([]);
    expect(await idsOf(portal, "task")).to.deep.equal([[task, "left_view"]]);
  });

  it("shows what left a caller's view with its client, and the lists of those who see it now have it", async () => {
    const [seen, other] = [(await tenant.company({ name: "seen" })).id, (await tenant.company({ name: "other" })).id];
    const [few, many] = [await tenant.member("admin"), await tenant.member("admin")];
    await tenant.group("Few", [seen], [few.membershipId]);
    await tenant.group("Many", [other], [many.membershipId]);
    const rows = await work(seen);
    const { rows: moments } = await service.sql.query(
      "select to_char(statement_timestamp() at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') as now",
    );
    const since = moments[0].now as string;
    expect((await tenant.owner.patch(`/projects/${rows.project}`, { company_id: other })).status).to.equal(200);
    for (const kind of KINDS) {
      expect(await idsOf(few, kind), kind).to.deep.equal([[rows[kind], "left_view"]]);
      for (const caller of [tenant.owner, many]) {
        expect(await idsOf(caller, kind), kind).to.deep.equal([]);
        const { items } = (await caller.get(`${PATHS[kind]}updated_since=${since}`)).body;
        expect(
          items.map(({ id }: { id: string }) => id),
          kind,
        ).to.deep.equal([rows[kind]]);
      }
    }
    expect((await tenant.owner.patch(`/tasks/${rows.task}`, { company_id: seen, project_id: null })).status).to.equal(200);
    expect(await idsOf(few, "task")).to.deep.equal([]);
    for (const kind of ["task", "time_entry", "interaction"] as const)
      expect(await idsOf(many, kind), kind).to.deep.equal([[rows[kind], "left_view"]]);
  });

  it("shows private rows to their person, and to members who read all entries", async () => {
    const [mine, yours] = [await tenant.member("member"), await tenant.member("member")];
    const span = { started_at: "2026-01-05T09:00:00Z", ended_at: "2026-01-05T10:00:00Z" };
    const entry = await mine.post("/time/entries", span);
    expect(entry.status, entry.text).to.equal(201);
    expect((await mine.delete(`/time/entries/${entry.body.id}`)).status).to.equal(204);
    expect(await idsOf(mine, "time_entry")).to.deep.equal([[entry.body.id, "deleted"]]);
    expect(await idsOf(tenant.owner, "time_entry")).to.deep.equal([[entry.body.id, "deleted"]]);
    expect(await idsOf(yours, "time_entry")).to.deep.equal([]);
  });

  it("keeps them for 90 days", async () => {
    const { id } = await tenant.company({ name: "a" });
    await tenant.owner.delete(`/companies/${id}`);
    const age = (days: number) =>
      service.sql.query(
        "update gone_rows set gone_at = statement_timestamp() - make_interval(days => $2) where organisation_id = $1",
        [tenant.organisation.id, days],
      );
    const kept = async () => {
      await fire(service, "copies.clear");
      return (await service.sql.query("select id from gone_rows where organisation_id = $1", [tenant.organisation.id])).rowCount;
    };
    await age(90);
    expect(await kept()).to.equal(1);
    await age(92);
    expect(await kept()).to.equal(0);
  });

  it("notes the rows of every list that is copied, also where the owner of the tables deletes them", async () => {
    const { rows } = await service.sql.query<{ table: string; kind: string }>(
      `select tgrelid::regclass::text as table, trim(trailing '\\000' from encode(tgargs, 'escape')) as kind
         from pg_trigger where tgname = 'noted_deletion' order by 2`,
    );
    const declared = [...copiedKinds().values()].map(({ kind, table }) => ({ table, kind }));
    expect(rows).to.deep.equal(declared.toSorted((one, other) => (one.kind < other.kind ? -1 : 1)));
    const { id } = await tenant.company({ name: "a" });
    // As the owner of the tables, without a bound organisation.
    await service.sql.query("delete from companies where id = $1", [id]);
    expect(await idsOf(tenant.owner, "company")).to.deep.equal([[id, "deleted"]]);
    const { rows: references } = await service.sql.query(
      `select conrelid::regclass::text as table from pg_constraint where contype = 'f' and confdeltype = 'c'
          and confrelid = 'organisations'::regclass order by 1`,
    );
    expect(references.map(({ table }) => table)).to.include.members([
      "gone_rows",
      "former_selections",
      "caller_views",
      "selection_moves",
    ]);
  });
});
