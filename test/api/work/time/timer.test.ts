import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { dateIn } from "../../../../core/calendar/zones.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf, trailOf } from "../../clients/companies/company-records.ts";
import { Hours, ok } from "./hours.ts";

describe("the timer", () => {
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

  const start = (body: object = {}, caller = member) => caller.post("/time/timer/start", body);
  const stop = (caller = member) => caller.post("/time/timer/stop");
  const current = async (caller = member) => (await ok(caller.get("/time/timer")))?.id ?? null;
  /** Moves the start of an entry into the past. */
  const began = (id: string, minutes: number) =>
    service.sql.query("update time_entries set started_at = started_at - make_interval(mins => $2) where id = $1", [id, minutes]);
  const running = async () =>
    (
      await service.sql.query("select id from time_entries where organisation_id = $1 and ended_at is null", [
        tenant.organisation.id,
      ])
    ).rows.map(({ id }) => id);

  it("has the ETag of its entry, which start and stop compare with If-Match", async () => {
    const started = await start();
    const tag = started.headers["etag"] as string;
    const read = await member.get("/time/timer");
    expect(read.headers["etag"])
      .to.equal(tag)
      .and.match(/^"\d+"$/);
    expect((await member.get(`/time/entries/${started.body.id}`)).headers["etag"]).to.equal(tag);
    await ok(member.patch(`/time/entries/${started.body.id}`, { description: "another device" }));
    for (const path of ["/time/timer/stop", "/time/timer/start"])
      expect((await member.post(path, {}, { headers: { "If-Match": tag } })).status).to.equal(412);
    expect(await current()).to.equal(started.body.id);
    const fresh = (await member.get("/time/timer")).headers["etag"] as string;
    const next = await member.post("/time/timer/start", {}, { headers: { "If-Match": fresh } });
    expect(next.status).to.equal(201);
    const stopped = await member.post("/time/timer/stop", {}, { headers: { "If-Match": next.headers["etag"] as string } });
    expect(stopped.status).to.equal(200);
    expect((await member.post("/time/timer/start", {}, { headers: { "If-Match": fresh } })).status).to.equal(412);
    expect(await current()).to.equal(null);
  });

  it("starts now, with an entry's references, and is the caller's entry without an end", async () => {
    const company = await tenant.company();
    const project_id = await hours.project({ billable_default: false });
    const before = Date.now();
    const { status, body } = await start({
      company_id: company.id,
      project_id,
      description: "x",
      entry_type_key: "work",
      break_minutes: 5,
    });
    expect(status).to.equal(201);
    expect(body).to.include({
      user_id: member.accountId,
      company_id: company.id,
      project_id,
      description: "x",
      entry_type_key: "work",
      break_minutes: 5,
      billable: false,
      is_running: true,
      ended_at: null,
      minutes: 0,
    });
    expect(Date.parse(body.started_at)).to.be.within(before, Date.now());
    expect((await member.get("/time/timer")).body).to.deep.equal(body);
    expect(await current(tenant.owner)).to.equal(null);
  });

  it("stops with the elapsed minutes, rounded, less the break, not below 0", async () => {
    const { body } = await start({ break_minutes: 10 });
    await began(body.id, 61);
    const stopped = await stop();
    expect(stopped.status).to.equal(200);
    expect(stopped.body).to.include({ id: body.id, is_running: false, minutes: 51 });
    expect(await current()).to.equal(null);
    const short = (await start({ break_minutes: 10 })).body;
    await began(short.id, 3);
    expect((await stop()).body.minutes).to.equal(0);
  });

  it("ends 24 hours after its start when it was forgotten for longer, and says so in the trail", async () => {
    for (const end of [() => stop(), () => start()]) {
      const { body } = await start({ break_minutes: 10 });
      await began(body.id, 3000);
      await ok(end());
      const ended = await ok(member.get(`/time/entries/${body.id}`));
      expect(Date.parse(ended.ended_at) - Date.parse(ended.started_at)).to.equal(86_400_000);
      expect([ended.minutes, ended.is_running]).to.deep.equal([1430, false]);
      const lines = (await trailOf(service.sql, "time_entry", body.id)).filter(({ action }) => action === "updated");
      expect(lines.map(({ payload }) => [payload["capped"], payload.changes?.["minutes"]])).to.deep.equal([
        [true, { from: 0, to: 1430 }],
      ]);
    }
    await stop();
    const { body } = await start();
    await began(body.id, 3000);
    expect(refusalOf(await member.patch(`/time/entries/${body.id}`, { ended_at: new Date().toISOString() }))).to.deep.equal(
      invalidOn({ ended_at: "errors.validation" }),
    );
  });

  it("stops the one that runs when another starts", async () => {
    const first = (await start()).body;
    await began(first.id, 30);
    const second = (await start()).body;
    expect(await running()).to.deep.equal([second.id]);
    expect(await ok(member.get(`/time/entries/${first.id}`))).to.include({ is_running: false, minutes: 30 });
  });

  it("answers 404 to a stop without a running one, and leaves another person's alone", async () => {
    await start({}, tenant.owner);
    expect(refusalOf(await stop())).to.deep.equal([404, "not_found", null]);
    expect(await current(tenant.owner)).to.not.equal(null);
  });

  it("checks references and type, and stops nothing when it refuses", async () => {
    const { body } = await start();
    expect((await start({ project_id: randomUUID() })).status).to.equal(404);
    expect(refusalOf(await start({ entry_type_key: "nothing" }))).to.deep.equal(
      invalidOn({ entry_type_key: "errors.time_entry_type_unknown" }),
    );
    expect(await current()).to.equal(body.id);
  });

  it("needs a person's account, and drops the draft of its day like any entry", async () => {
    const account = await tenant.serviceAccount(["time.entry.write:any", "time.entry.read:any"]);
    expect([(await start({}, account)).status, (await stop(account)).status]).to.deep.equal([403, 403]);
    expect(await current(account)).to.equal(null);
    const today = dateIn("Europe/Amsterdam", Date.now());
    await ok(member.put(`/time/drafts/${today}`, { description: "x" }));
    await start();
    expect((await ok(member.get(`/time/day?date=${today}`))).draft).to.equal(null);
  });

  it("is out of sight on a client the caller no longer sees, yet stops, and gives way to the next start", async () => {
    const [mine, other] = [await tenant.company(), await tenant.company()];
    const [former, later] = [
      (await start({ company_id: other.id })).body,
      async () => (await start({ company_id: mine.id })).body,
    ];
    await tenant.group("Only", [mine.id], [member.membershipId]);
    expect(await current()).to.equal(null);
    const stopped = await stop();
    expect([stopped.status, stopped.body.id, stopped.body.is_running]).to.deep.equal([200, former.id, false]);
    expect((await member.get(`/time/entries/${former.id}`)).status).to.equal(404);
    const next = await later();
    await service.sql.query("update time_entries set company_id = $2 where id = $1", [next.id, other.id]);
    const last = await later();
    expect(await running()).to.deep.equal([last.id]);
    expect(await ok(tenant.owner.get(`/time/entries/${next.id}`))).to.include({ is_running: false });
  });

  it("ends no earlier than it begins when its start was moved into the future", async () => {
    const { body } = await start();
    const started_at = new Date(Date.now() + 172_800_000).toISOString();
    await ok(member.patch(`/time/entries/${body.id}`, { started_at }));
    const stopped = (await stop()).body;
    expect([Date.parse(stopped.ended_at), stopped.minutes]).to.deep.equal([Date.parse(started_at), 0]);
    await ok(member.patch(`/time/entries/${body.id}`, { minutes: 5 }));
  });

  describe("at the same moment", () => {
    it("lets one of many starts run, and ends the others", async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => start({ description: `start ${index}` })));
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(8).fill(201));
      const [one, ...others] = await running();
      expect(others).to.deep.equal([]);
      expect(await current()).to.equal(one);
      expect((await ok(member.get("/time/entries"))).total).to.equal(8);
      expect((await ok(member.get("/time/entries?running=false"))).total).to.equal(7);
    });

    it("lets stop and start take turns: the old one is ended once, and the new one ends or runs", async () => {
      for (let round = 0; round < 5; round++) {
        const old = (await start()).body;
        const [stopped, started] = await Promise.all([stop(), start()]);
        expect(started.status).to.equal(201);
        expect(stopped.status).to.equal(200);
        // The stop came first and ended the old one, or came second and ended the new one.
        expect([old.id, started.body.id]).to.include(stopped.body.id);
        expect(await running()).to.deep.equal(stopped.body.id === old.id ? [started.body.id] : []);
        const lines = await service.sql.query("select 1 from activity where entity_id = $1 and action = 'updated'", [old.id]);
        expect(lines.rowCount).to.equal(1);
      }
    });

    it("stops once for two stops", async () => {
      await start();
      const answers = await Promise.all([stop(), stop()]);
      expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 404]);
    });

    it("makes the database refuse a second one on any path", async () => {
      await start();
      const values = [randomUUID(), tenant.organisation.id, member.accountId];
      const again = service.sql.query(
        "insert into time_entries (id, organisation_id, user_id, started_at) values ($1, $2, $3, now())",
        values,
      );
      expect(
        await again.then(
          () => null,
          ({ constraint }) => constraint,
        ),
      ).to.equal("time_entries_one_running");
    });
  });
});
