import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf, trailOf } from "../../clients/companies/company-records.ts";
import { type EntryBody, Hours } from "./hours.ts";

const LOCKED = [403, "approved_locked", null];
const FORBIDDEN = [403, "forbidden", null];
const NOT_FOUND = [404, "not_found", null];

describe("PATCH /time/entries/{entry_id}", () => {
  let service: TestService;
  let tenant: Tenant;
  let hours: Hours;
  let member: Caller;
  let entry: EntryBody;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    hours = new Hours(service, tenant);
    member = await tenant.member("member");
    entry = await hours.log(member, { ended_at: "2026-05-04T10:00:00Z", description: "before" });
  });
  after(() => service.stop());

  const patch = (body: object, caller = member) => caller.patch(`/time/entries/${entry.id}`, body);
  const times = async (body: object) => {
    const answer = await patch(body);
    expect(answer.status, answer.text).to.equal(200);
    const { started_at, ended_at, break_minutes, minutes } = answer.body;
    return [started_at.slice(5, 16), ended_at?.slice(5, 16) ?? null, break_minutes, minutes];
  };

  it("recomputes minutes for another end or break, without moving to the next day", async () => {
    expect(await times({ break_minutes: 20 })).to.deep.equal(["05-04T09:00", "05-04T10:00", 20, 40]);
    expect(await times({ ended_at: "2026-05-04T11:30:00Z", minutes: 5 })).to.deep.equal(["05-04T09:00", "05-04T11:30", 20, 130]);
    expect(refusalOf(await patch({ ended_at: "2026-05-04T08:00:00Z" }))).to.deep.equal(
      invalidOn({ ended_at: "errors.validation" }),
    );
    expect(refusalOf(await patch({ break_minutes: 151 }))).to.deep.equal(invalidOn({ break_minutes: "errors.validation" }));
  });

  it("keeps the hours of an entry that moves to another start, however often it is sent", async () => {
    for (const body of [{ started_at: "2026-05-05T09:00:00Z", minutes: 60 }, { started_at: "2026-05-05T09:00:00Z" }])
      for (const turn of ["first", "again"]) expect(await times(body), turn).to.deep.equal(["05-05T09:00", "05-05T10:00", 0, 60]);
    for (const turn of ["first", "again"])
      expect(await times({ started_at: "2026-05-05T08:00:00Z" }), turn).to.deep.equal(["05-05T08:00", "05-05T09:00", 0, 60]);
  });

  it("moves the end for other minutes alone", async () => {
    expect(await times({ break_minutes: 15 })).to.deep.equal(["05-04T09:00", "05-04T10:00", 15, 45]);
    expect(await times({ minutes: 30 })).to.deep.equal(["05-04T09:00", "05-04T09:45", 15, 30]);
    expect(await times({ minutes: 30 })).to.deep.equal(["05-04T09:00", "05-04T09:45", 15, 30]);
  });

  it("keeps omitted fields, and clears optional ones", async () => {
    const company = await tenant.company();
    const project_id = await hours.project();
    const task_id = await hours.task();
    const full = { company_id: company.id, project_id, task_id, entry_type_key: "email", billable: false, description: "x" };
    expect((await patch(full)).body).to.include({ ...full, minutes: 60 });
    expect((await patch({ minutes: 10 })).body).to.include(full);
    const none = { company_id: null, project_id: null, task_id: null, entry_type_key: null, description: null };
    expect((await patch(none)).body).to.include({ ...none, billable: false, minutes: 10 });
  });

  it("refuses null where a field cannot be empty", async () => {
    for (const field of ["started_at", "ended_at", "minutes", "break_minutes", "billable"])
      expect(refusalOf(await patch({ [field]: null })), field).to.deep.equal(invalidOn({ [field]: "errors.validation" }));
  });

  it("writes one line of the trail with what changed, without the description, and nothing for what did not", async () => {
    await patch({ minutes: 30, description: "after", started_at: "2026-05-04T11:00:00+02:00" });
    await patch({ minutes: 30, description: "after", started_at: "2026-05-04T09:00:00Z" });
    const lines = await trailOf(service.sql, "time_entry", entry.id);
    expect(lines.map(({ action, payload }) => [action, payload])).to.deep.equal([
      ["created", {}],
      [
        "updated",
        {
          changes: {
            minutes: { from: 60, to: 30 },
            ended_at: { from: "2026-05-04T10:00:00Z", to: "2026-05-04T09:30:00Z" },
          },
        },
      ],
    ]);
    const { body } = await member.get(`/time/entries/${entry.id}`);
    expect((await patch({ description: "after" })).body.updated_at).to.equal(body.updated_at);
    await patch({ description: "other" });
    expect(await trailOf(service.sql, "time_entry", entry.id)).to.have.length(2);
  });

  it("stops a running entry by an end or by minutes, and leaves it running by anything else", async () => {
    const timer = (await member.post("/time/timer/start", { break_minutes: 5 })).body;
    const send = async (body: object) => (await member.patch(`/time/entries/${timer.id}`, body)).body;
    expect(await send({ description: "still", ended_at: null })).to.include({ is_running: true, minutes: 0 });
    expect(await send({ started_at: "2026-05-04T09:00:00Z" })).to.include({ is_running: true, minutes: 0, ended_at: null });
    const ended_at = "2026-05-04T10:00:00Z";
    expect(await send({ ended_at })).to.include({ is_running: false, minutes: 55, ended_at: "2026-05-04T10:00:00+00:00" });
    const other = (await member.post("/time/timer/start", {})).body;
    const stopped = (await member.patch(`/time/entries/${other.id}`, { minutes: 25 })).body;
    expect(stopped).to.include({ is_running: false, minutes: 25 });
    expect((await member.get("/time/timer")).body).to.equal(null);
  });

  it("lets an entry keep its retired type, and takes no other that is not active", async () => {
    await patch({ entry_type_key: "work" });
    const types: { id: string; key: string }[] = (await tenant.owner.get("/time/entry-types")).body;
    for (const { id } of types) await tenant.owner.patch(`/time/entry-types/${id}`, { active: false });
    expect((await patch({ entry_type_key: "work", minutes: 5 })).body).to.include({ entry_type_key: "work", minutes: 5 });
    expect(refusalOf(await patch({ entry_type_key: "email" }))).to.deep.equal(
      invalidOn({ entry_type_key: "errors.time_entry_type_unknown" }),
    );
    expect((await patch({ entry_type_key: null })).body.entry_type_key).to.equal(null);
  });

  it("places an entry only where the caller sees", async () => {
    const [mine, hidden] = [await tenant.company(), await tenant.company()];
    const restricted = await hours.restricted("member", [mine.id]);
    const own = await hours.log(restricted, { company_id: mine.id });
    const send = async (body: object) => refusalOf(await restricted.patch(`/time/entries/${own.id}`, body));
    expect(await send({ company_id: hidden.id })).to.deep.equal(NOT_FOUND);
    expect(await send({ project_id: await hours.project({ company_id: hidden.id }) })).to.deep.equal(NOT_FOUND);
    expect(await send({ task_id: randomUUID() })).to.deep.equal(NOT_FOUND);
    expect((await restricted.patch(`/time/entries/${own.id}`, { company_id: null })).status).to.equal(200);
  });

  it("is 404 for another's entry without read :any, and 403 with it but without write :any, as deletion is", async () => {
    const stranger = await tenant.member("member");
    const reader = await tenant.member("member", { grants: ["time.entry.read:any", "time.entry.write:own"] });
    for (const [caller, refusal] of [
      [stranger, NOT_FOUND],
      [reader, FORBIDDEN],
    ] as const) {
      expect(refusalOf(await patch({ minutes: 5 }, caller))).to.deep.equal(refusal);
      expect(refusalOf(await caller.delete(`/time/entries/${entry.id}`))).to.deep.equal(refusal);
    }
    expect(refusalOf(await stranger.get(`/time/entries/${entry.id}`))).to.deep.equal(NOT_FOUND);
    expect((await reader.get(`/time/entries/${entry.id}`)).body.minutes).to.equal(60);
    expect((await patch({ minutes: 5 }, tenant.owner)).body).to.include({ minutes: 5, user_id: member.accountId });
  });

  it("is locked once it is approved, for its owner too, but for who may approve", async () => {
    await hours.approve(entry.id);
    const writer = await tenant.member("admin", { grants: ["time.entry.read:any", "time.entry.write:any"] });
    for (const caller of [member, writer]) {
      expect(refusalOf(await patch({ minutes: 5 }, caller))).to.deep.equal(LOCKED);
      const refused = await caller.delete(`/time/entries/${entry.id}`);
      expect([...refusalOf(refused), refused.body.error.message]).to.deep.equal([...LOCKED, "errors.approved_locked"]);
    }
    const approver = await tenant.member("member", {
      grants: ["time.entry.read:any", "time.entry.write:any", "time.entry.approve"],
    });
    expect((await patch({ minutes: 5 }, approver)).body).to.include({ minutes: 5 });
    expect((await patch({ minutes: 5 }, approver)).body.approved_at).to.not.equal(null);
    expect((await approver.delete(`/time/entries/${entry.id}`)).status).to.equal(204);
  });

  it("keeps its trail from who may not read it", async () => {
    const stranger = await tenant.member("member");
    const trail = async (caller: Caller) =>
      (await caller.get(`/activity?entity_type=time_entry&entity_id=${entry.id}`)).body.map(
        ({ action }: { action: string }) => action,
      );
    expect(await trail(member)).to.deep.equal(["created"]);
    expect(await trail(tenant.owner)).to.deep.equal(["created"]);
    expect(await trail(stranger)).to.deep.equal([]);
  });
});

describe("DELETE /time/entries/{entry_id}", () => {
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  it("takes the entry away, keeps its trail, and opens the planned block again that became it", async () => {
    const tenant = await service.tenant();
    const hours = new Hours(service, tenant);
    const entry = await hours.log(tenant.owner);
    const task_id = await hours.task();
    await service.sql.query(
      `insert into task_schedules (id, organisation_id, task_id, user_id, starts_at, ends_at, time_entry_id)
       values ($1, $2, $3, $4, '2026-05-04T09:00Z', '2026-05-04T10:00Z', $5)`,
      [randomUUID(), tenant.organisation.id, task_id, tenant.owner.accountId, entry.id],
    );
    expect((await tenant.owner.delete(`/time/entries/${entry.id}`)).status).to.equal(204);
    expect((await tenant.owner.get(`/time/entries/${entry.id}`)).status).to.equal(404);
    expect((await trailOf(service.sql, "time_entry", entry.id)).map(({ action }) => action)).to.deep.equal([
      "created",
      "deleted",
    ]);
    const { rows } = await service.sql.query("select time_entry_id from task_schedules where task_id = $1", [task_id]);
    expect(rows).to.deep.equal([{ time_entry_id: null }]);
  });

  it("keeps entries whose client, project or task goes", async () => {
    const tenant = await service.tenant();
    const hours = new Hours(service, tenant);
    const company = await tenant.company();
    const task_id = await hours.task();
    const project_id = await hours.project();
    const { id } = await hours.log(tenant.owner, { company_id: company.id, project_id, task_id });
    expect((await tenant.owner.delete(`/companies/${company.id}`)).status).to.equal(204);
    await service.sql.query("delete from tasks where id = $1", [task_id]);
    await service.sql.query("delete from projects where id = $1", [project_id]);
    const { body } = await tenant.owner.get(`/time/entries/${id}`);
    expect(body).to.include({ company_id: null, project_id: null, task_id: null, minutes: 60 });
  });
});
