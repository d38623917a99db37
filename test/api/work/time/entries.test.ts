import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf, trailOf } from "../../clients/companies/company-records.ts";
import { Hours, ok } from "./hours.ts";

const NOT_FOUND = [404, "not_found", null];
const START = "2026-05-04T09:00:00+00:00";

describe("POST /time/entries", () => {
  let service: TestService;
  let tenant: Tenant;
  let hours: Hours;
  let member: Caller;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    hours = new Hours(service, tenant);
    member = await tenant.member("member");
  });
  after(() => service.stop());

  const create = (body: object, caller = member) => caller.post("/time/entries", { started_at: "2026-05-04T09:00:00Z", ...body });
  const refused = async (body: object, caller = member) => refusalOf(await create(body, caller));

  it("takes a duration as people type it, in a new entry and in a change", async () => {
    const made = (await create({ duration: "1u30" })).body;
    expect([made.minutes, made.ended_at]).to.deep.equal([90, "2026-05-04T10:30:00+00:00"]);
    const change = (body: object) => member.patch(`/time/entries/${made.id}`, body);
    const { body } = await change({ duration: "0:45" });
    expect([body.minutes, body.ended_at]).to.deep.equal([45, "2026-05-04T09:45:00+00:00"]);
    expect((await change({ duration: "2" })).body.minutes).to.equal(120);
    for (const sent of [{ duration: "soon" }, { duration: "25u" }, { duration: "-1" }, { duration: "1u", minutes: 60 }]) {
      expect(await refused(sent), JSON.stringify(sent)).to.deep.equal(invalidOn({ duration: "errors.validation" }));
      expect(refusalOf(await change(sent)), JSON.stringify(sent)).to.deep.equal(invalidOn({ duration: "errors.validation" }));
    }
    expect(await refused({})).to.deep.equal([422, "validation", { ended_at: "errors.required" }]);
  });

  it("answers the whole entry, its person the caller's", async () => {
    const company = await tenant.company();
    const project_id = await hours.project({ company_id: company.id });
    const task_id = await hours.task({ project_id });
    const { status, body } = await create({
      company_id: company.id,
      project_id,
      task_id,
      description: "Drew a **plan**",
      entry_type_key: "work",
      minutes: 30,
      user_id: tenant.owner.accountId,
      approved_at: START,
      invoiced_at: START,
      subscription_id: randomUUID(),
      interaction_id: randomUUID(),
    });
    expect(status).to.equal(201);
    expect(body).to.deep.equal({
      id: body.id,
      org_id: tenant.organisation.id,
      user_id: member.accountId,
      company_id: company.id,
      project_id,
      task_id,
      description: "Drew a **plan**",
      entry_type_key: "work",
      work_date: "2026-05-04",
      started_at: START,
      ended_at: "2026-05-04T09:30:00+00:00",
      minutes: 30,
      break_minutes: 0,
      billable: true,
      is_running: false,
      approved_at: null,
      approved_by_user_id: null,
      invoiced_at: null,
      interaction_id: null,
      subscription_id: null,
      created_at: body.created_at,
      updated_at: body.created_at,
    });
    expect((await member.get(`/time/entries/${body.id}`)).body).to.deep.equal(body);
    expect(
      (await trailOf(service.sql, "time_entry", body.id)).map(({ action, actor_account_id: who }) => [action, who]),
    ).to.deep.equal([["created", member.accountId]]);
  });

  for (const [what, sent, ended, minutes] of [
    ["an end counts the minutes, less the break", { ended_at: "2026-05-04T10:30:40Z", break_minutes: 15 }, "10:30:40", 76],
    ["an end wins over minutes", { ended_at: "2026-05-04T10:00:00Z", minutes: 7 }, "10:00:00", 60],
    ["minutes place the end behind the break", { minutes: 40, break_minutes: 15 }, "09:55:00", 40],
    ["no minutes are an entry too", { minutes: 0 }, "09:00:00", 0],
    ["a break longer than the work leaves none", { ended_at: "2026-05-04T09:10:00Z", break_minutes: 30 }, "09:10:00", 0],
    ["an end of another zone is the same instant", { ended_at: "2026-05-04T12:00:00+02:00" }, "10:00:00", 60],
  ] as const)
    it(`takes times: ${what}`, async () => {
      const { status, body } = await create(sent);
      expect([status, body.ended_at, body.minutes]).to.deep.equal([201, `2026-05-04T${ended}+00:00`, minutes]);
    });

  it("moves an end before the start to the next day on the organisation's clock; an end at the start is no minutes", async () => {
    const night = await create({ started_at: "2026-05-04T22:15:00Z", ended_at: "2026-05-04T01:05:00Z", break_minutes: 20 });
    expect([night.body.ended_at, night.body.minutes]).to.deep.equal(["2026-05-05T01:05:00+00:00", 150]);
    const same = await create({ ended_at: "2026-05-04T09:00:00Z" });
    expect([same.body.ended_at, same.body.minutes]).to.deep.equal(["2026-05-04T09:00:00+00:00", 0]);
    const longNight = await create({ started_at: "2026-10-24T22:00:00+02:00", ended_at: "2026-10-24T03:30:00+02:00" });
    expect([longNight.body.ended_at, longNight.body.minutes]).to.deep.equal(["2026-10-25T02:30:00+00:00", 390]);
  });

  it("refuses an entry with neither end nor minutes, and values out of range", async () => {
    expect(await refused({})).to.deep.equal(invalidOn({ ended_at: "errors.required" }));
    expect(await refused({ ended_at: null, minutes: null })).to.deep.equal(invalidOn({ ended_at: "errors.required" }));
    expect(await refused({ minutes: 1441 })).to.deep.equal(invalidOn({ minutes: "errors.validation" }));
    expect(await refused({ minutes: -1, break_minutes: 1441 })).to.deep.equal(
      invalidOn({ minutes: "errors.validation", break_minutes: "errors.validation" }),
    );
    expect(await refused({ started_at: null, minutes: 5 })).to.deep.equal(invalidOn({ started_at: "errors.validation" }));
    expect(await refused({ started_at: undefined, minutes: 5 })).to.deep.equal(invalidOn({ started_at: "errors.required" }));
  });

  it("reads an instant without offset on the organisation's clock, a skipped one an hour later and a doubled one as the first", async () => {
    const read = async (started_at: string) => {
      const { body } = await create({ started_at, minutes: 30 });
      return [body.started_at, body.work_date];
    };
    expect(await read("2026-05-04T00:30:15")).to.deep.equal(["2026-05-03T22:30:15+00:00", "2026-05-04"]);
    expect(await read("2026-05-04T00:30:00Z")).to.deep.equal(["2026-05-04T00:30:00+00:00", "2026-05-04"]);
    expect(await read("2026-03-29T02:30:00")).to.deep.equal(["2026-03-29T01:30:00+00:00", "2026-03-29"]);
    expect(await read("2026-10-25T02:30:00")).to.deep.equal(["2026-10-25T00:30:00+00:00", "2026-10-25"]);
    const { body } = await create({ started_at: "2026-05-04T09:00:00", ended_at: "2026-05-04T10:15:00" });
    expect([body.started_at, body.ended_at, body.minutes]).to.deep.equal([
      ...["2026-05-04T07:00:00+00:00", "2026-05-04T08:15:00+00:00", 75],
    ]);
  });

  it("has 24 hours at most, by any field, from a start in 2000 to 2100", async () => {
    const tooLong = invalidOn({ ended_at: "errors.validation" });
    expect((await create({ ended_at: "2026-05-05T09:00:00Z" })).body.minutes).to.equal(1440);
    expect((await create({ minutes: 1440 })).status).to.equal(201);
    expect(await refused({ ended_at: "2026-05-05T09:00:01Z" })).to.deep.equal(tooLong);
    expect(await refused({ ended_at: "2062-05-04T10:00:00Z" })).to.deep.equal(tooLong);
    expect(await refused({ ended_at: "2026-05-03T08:59:59Z" })).to.deep.equal(tooLong);
    expect(await refused({ minutes: 1440, break_minutes: 1 })).to.deep.equal(tooLong);
    for (const started_at of ["0001-01-01T00:00:00Z", "1999-12-31T22:59:00Z", "2100-12-31T23:00:00Z", "9999-12-31T23:59:00Z"])
      expect(await refused({ started_at, minutes: 5 }), started_at).to.deep.equal(invalidOn({ started_at: "errors.validation" }));
    expect((await create({ started_at: "1999-12-31T23:00:00Z", minutes: 5 })).body.work_date).to.equal("2000-01-01");
  });

  it("inherits billable from the project by default, and is true without one", async () => {
    const project_id = await hours.project({ billable_default: false });
    const billable = async (body: object) => (await create({ minutes: 5, ...body })).body.billable;
    expect(await billable({})).to.equal(true);
    expect(await billable({ project_id })).to.equal(false);
    expect(await billable({ project_id, billable: null })).to.equal(false);
    expect(await billable({ project_id, billable: true })).to.equal(true);
    expect(await billable({ billable: false })).to.equal(false);
  });

  it("answers 404 for a client, project or task that is not there, elsewhere or out of sight, and writes nothing", async () => {
    const elsewhere = new Hours(service, await service.tenant());
    const [mine, hidden] = [await tenant.company(), await tenant.company()];
    const restricted = await hours.restricted("member", [mine.id]);
    const hiddenProject = await hours.project({ company_id: hidden.id });
    const places: [Caller, object][] = [
      [member, { company_id: randomUUID() }],
      [member, { project_id: randomUUID() }],
      [member, { task_id: randomUUID() }],
      [member, { company_id: (await elsewhere.tenant.company()).id }],
      [member, { project_id: await elsewhere.project() }],
      [member, { task_id: await elsewhere.task() }],
      [restricted, { company_id: hidden.id }],
      [restricted, { project_id: hiddenProject }],
      [restricted, { task_id: await hours.task({ project_id: hiddenProject }) }],
    ];
    for (const [caller, place] of places)
      expect(await refused({ minutes: 5, ...place }, caller), JSON.stringify(place)).to.deep.equal(NOT_FOUND);
    expect((await tenant.owner.get("/time/entries?all_users=true")).body.total).to.equal(0);
    expect((await create({ minutes: 5, company_id: mine.id }, restricted)).status).to.equal(201);
    expect((await create({ minutes: 5 }, restricted)).status).to.equal(201);
  });

  it("takes only an active type", async () => {
    const unknown = invalidOn({ entry_type_key: "errors.time_entry_type_unknown" });
    expect(await refused({ minutes: 5, entry_type_key: "nothing" })).to.deep.equal(unknown);
    expect(await refused({ minutes: 5, entry_type_key: "Not a key" })).to.deep.equal(
      invalidOn({ entry_type_key: "errors.validation" }),
    );
    const [work] = (await tenant.owner.get("/time/entry-types")).body;
    await tenant.owner.patch(`/time/entry-types/${work.id}`, { active: false });
    expect(await refused({ minutes: 5, entry_type_key: "work" })).to.deep.equal(unknown);
    expect((await create({ minutes: 5, entry_type_key: "email" })).body.entry_type_key).to.equal("email");
  });

  it("knows the first types although nobody has listed them", async () => {
    expect((await create({ minutes: 5, entry_type_key: "email" })).status).to.equal(201);
  });

  it("removes HTML from a description, twice with the same result, and stores a blank one as null", async () => {
    const { body } = await create({ minutes: 5, description: "a <b>b</b> **c** <script>alert(1)</script>" });
    expect(body.description).to.equal("a b **c** ");
    expect((await create({ minutes: 5, description: body.description })).body.description).to.equal(body.description);
    expect((await create({ minutes: 5, description: " \n " })).body.description).to.equal(null);
  });

  it("drops the caller's own draft of its day, and no other", async () => {
    const draft = (caller: Caller, day: string) => caller.put(`/time/drafts/${day}`, { description: "x" });
    for (const day of ["2026-05-04", "2026-05-05"]) await draft(member, day);
    await draft(tenant.owner, "2026-05-04");
    await create({ minutes: 5, started_at: "2026-05-03T23:00:00Z" });
    const days = async (caller: Caller) => (await caller.get("/time/timesheet?week_start=2026-05-04")).body.draft_days;
    expect(await days(member)).to.deep.equal(["2026-05-05"]);
    expect(await days(tenant.owner)).to.deep.equal(["2026-05-04"]);
  });

  it("is refused to a service account, which works no hours", async () => {
    const account = await tenant.serviceAccount(["time.entry.write:any", "time.entry.read:any"]);
    expect(await refused({ minutes: 5 }, account)).to.deep.equal([403, "forbidden", null]);
    expect((await account.get("/time/entries")).body.total).to.equal(0);
    expect((await account.get("/time/entries?all_users=true")).status).to.equal(200);
  });
});

describe("GET /time/entries", () => {
  let service: TestService;
  let tenant: Tenant;
  let hours: Hours;
  let member: Caller;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    hours = new Hours(service, tenant);
    member = await tenant.member("member");
  });
  after(() => service.stop());

  const idsOf = async (caller: Caller, query = "") => {
    const { status, text, body } = await caller.get(`/time/entries${query}`);
    expect(status, text).to.equal(200);
    expect(body.total).to.equal(body.items.length);
    return body.items.map(({ id }: { id: string }) => id);
  };

  it("shows the caller's own, newest start first, and everyone's only to who may read any", async () => {
    const other = await tenant.member("member");
    const company = await tenant.company();
    const project_id = await hours.project({ company_id: company.id });
    const task_id = await hours.task({ project_id });
    const early = await hours.log(member, { started_at: "2026-05-01T09:00:00Z" });
    const late = await hours.log(member, { company_id: company.id, project_id, task_id });
    const others = await hours.log(other, { started_at: "2026-05-02T09:00:00Z", company_id: company.id, project_id, task_id });

    expect(await idsOf(member)).to.deep.equal([late.id, early.id]);
    expect(await idsOf(member, `?user_id=${member.accountId.toUpperCase()}`)).to.deep.equal([late.id, early.id]);
    expect(await idsOf(tenant.owner)).to.deep.equal([]);
    expect(await idsOf(tenant.owner, "?all_users=true")).to.deep.equal([late.id, others.id, early.id]);
    expect(await idsOf(tenant.owner, `?user_id=${other.accountId}`)).to.deep.equal([others.id]);
    for (const query of ["?all_users=true", `?user_id=${other.accountId}`, `?all_users=true&user_id=${other.accountId}`])
      expect((await member.get(`/time/entries${query}`)).status, query).to.equal(403);
    for (const [name, id] of Object.entries({ company_id: company.id, project_id, task_id })) {
      expect(await idsOf(member, `?all_users=true&${name}=${id}`), name).to.deep.equal([late.id, others.id]);
      expect(await idsOf(member, `?${name}=${id}`), name).to.deep.equal([late.id]);
      expect(await idsOf(member, `?all_users=true&${name}=${randomUUID()}`), name).to.deep.equal([]);
    }
  });

  it("narrows by the days entries count on, both counted, by type and by whether it runs", async () => {
    const person = await tenant.member("member");
    const at = (started_at: string, rest = {}) => hours.log(person, { started_at, ...rest });
    const first = await at("2026-05-31T22:00:00Z", { entry_type_key: "email" });
    const last = await at("2026-06-02T21:59:59Z", { entry_type_key: "work" });
    const after = await at("2026-06-02T22:30:00+02:00");
    const timer = (await person.post("/time/timer/start", {})).body;
    expect(await idsOf(person, "?date_from=2026-06-01&date_to=2026-06-02")).to.deep.equal([last.id, after.id, first.id]);
    expect(await idsOf(person, "?date_from=2026-06-02&date_to=2026-06-02")).to.deep.equal([last.id, after.id]);
    expect(await idsOf(person, "?date_from=2026-06-03&date_to=9999-12-31")).to.deep.equal([timer.id]);
    expect(await idsOf(person, "?date_to=2026-06-01")).to.deep.equal([first.id]);
    expect(await idsOf(person, "?entry_type=email")).to.deep.equal([first.id]);
    expect(await idsOf(person, "?entry_type=nothing")).to.deep.equal([]);
    expect(await idsOf(person, "?running=true")).to.deep.equal([timer.id]);
    expect(await idsOf(person, "?running=false")).to.deep.equal([last.id, after.id, first.id]);
    expect((await person.get("/time/entries?date_from=0000-01-01")).status).to.equal(422);
  });

  it("pages, and counts only on request", async () => {
    const person = await tenant.member("member");
    for (const day of ["01", "02", "03"]) await hours.log(person, { started_at: `2026-07-${day}T09:00:00Z` });
    const page = async (query: string) => {
      const { body } = await person.get(`/time/entries${query}`);
      return [
        body.items.map(({ started_at }: { started_at: string }) => started_at.slice(8, 10)),
        body.total,
        body.limit,
        body.offset,
      ];
    };
    expect(await page("?limit=2")).to.deep.equal([["03", "02"], 3, 2, 0]);
    expect(await page("?limit=2&offset=2")).to.deep.equal([["01"], 3, 2, 2]);
    expect(await page("?limit=2&count=false")).to.deep.equal([["03", "02"], 2, 2, 0]);
    expect((await person.get("/time/entries?limit=201")).status).to.equal(422);
  });

  it("orders by each of its keys, empty values last both ways, ties newest first", async () => {
    const place = await service.tenant();
    const team = new Hours(service, place);
    const [ann, bob] = [await place.member("member", { name: "ann" }), await place.member("member", { name: "Bob" })];
    const [acme, zebra] = [await place.company({ name: "acme" }), await place.company({ name: "Zebra" })];
    const project = async (name: string) => team.project({ name });
    const [alpha, omega] = [await project("alpha"), await project("Omega")];
    const [one, two] = [await team.task({ title: "one" }), await team.task({ title: "Two" })];
    const place1 = { company_id: zebra.id, project_id: omega, task_id: two, description: "b", minutes: 30, billable: false };
    const place2 = { company_id: acme.id, project_id: alpha, task_id: one, description: "A", minutes: 10, billable: true };
    const a = await team.log(bob, { started_at: "2026-05-01T09:00:00Z", ...place1 });
    const b = await team.log(ann, { started_at: "2026-05-02T09:00:00Z", ...place2 });
    const c = await team.log(ann, { started_at: "2026-05-03T09:00:00Z", minutes: 20 });
    await ok(place.owner.post("/time/entries/approve", { entry_ids: [a.id] }));
    const admin = await place.member("admin", { name: "Zoe" });
    await ok(admin.post("/time/entries/invoice", { entry_ids: [b.id] }));
    const letters = new Map([a, b, c].map(({ id }, index) => [id, "abc"[index]]));
    const order = async (sort: string) =>
      (await idsOf(place.owner, `?all_users=true&sort=${sort}`)).map((id: string) => letters.get(id)).join("");
    const orders: Record<string, [string, string]> = {
      date: ["abc", "cba"],
      employee: ["cba", "acb"],
      company: ["bac", "abc"],
      project: ["bac", "abc"],
      task: ["bac", "abc"],
      description: ["bac", "abc"],
      minutes: ["bca", "acb"],
      billable: ["acb", "cba"],
      approver: ["abc", "bac"],
      approved_at: ["abc", "bac"],
      invoiced_at: ["bca", "bca"],
    };
    for (const [sort, [up, down]] of Object.entries(orders))
      expect([await order(sort), await order(`-${sort}`)], sort).to.deep.equal([up, down]);
    expect((await place.owner.get("/time/entries?sort=name")).body.error).to.include({ code: "invalid_sort" });
  });

  it("gives only what changed since an instant", async () => {
    const person = await tenant.member("member");
    const [old, changed] = [await hours.log(person), await hours.log(person)];
    await service.sql.query(
      "update time_entries set updated_at = now() - interval '1 day', version = version + 1 where id = any($1)",
      [[old.id, changed.id]],
    );
    await person.patch(`/time/entries/${changed.id}`, { description: "later" });
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect(await idsOf(person, `?updated_since=${since}`)).to.deep.equal([changed.id]);
  });
});
