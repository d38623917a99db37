import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { invalidOn, refusalOf } from "../clients/companies/company-records.ts";
import { clock, FOUR_DAYS, Leave, licensed, ok } from "./leave-people.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

describe("entitlements", () => {
  let service: TestService;
  let tenant: Tenant;
  let leave: Leave;
  const now = clock();
  before(async () => {
    service = await sharedService("clock");
    await licensed(service);
  });
  beforeEach(async () => {
    now.set("2030-02-04");
    tenant = await service.tenant();
    leave = new Leave(service, tenant);
  });
  afterEach(now.restore);
  after(() => service.stop());

  const list = async (who: Caller, query: string) => (await who.get(`/leave/entitlements?${query}`)).body;
  const drop = async (person: Caller, key: string, year: number) =>
    tenant.owner.delete(`/leave/entitlements?year=${year}&user_id=${person.accountId}&leave_type_id=${await leave.type(key)}`);

  describe("GET", () => {
    it("shows stored pots only, and computes none", async () => {
      expect(await list(tenant.owner, "year=2030")).to.deep.equal([]);
      await leave.generate(2030);
      const [row] = await list(tenant.owner, "year=2030");
      expect(row).to.deep.equal({
        id: row.id,
        user_id: tenant.owner.accountId,
        leave_type_id: await leave.type("vacation_statutory"),
        year: 2030,
        hours: "160.00",
        source: "generated",
        note: null,
      });
    });

    it("gives everyone's without user_id under :any, one's own under :own, and 403 for another's", async () => {
      const member = await tenant.member("member");
      await leave.generate(2030);
      expect((await list(tenant.owner, "year=2030")).length).to.equal(4);
      expect((await list(tenant.owner, `year=2030&user_id=${member.accountId}`)).length).to.equal(2);
      expect((await list(member, "year=2030")).length).to.equal(2);
      expect((await member.get(`/leave/entitlements?year=2030&user_id=${tenant.owner.accountId}`)).status).to.equal(403);
    });

    it("is empty for a service account of its own rows", async () => {
      await leave.generate(2030);
      const robot = await tenant.serviceAccount(["leave.entitlement.read:own"]);
      expect(await list(robot, "year=2030")).to.deep.equal([]);
      const wide = await tenant.serviceAccount(["leave.entitlement.read:any"]);
      expect((await list(wide, "year=2030")).length).to.equal(2);
    });

    it("needs a year within 2000 and 2100", async () => {
      expect(refusalOf(await tenant.owner.get("/leave/entitlements"))).to.deep.equal(invalidOn({ year: "errors.required" }));
      for (const year of [1999, 2101, "x"])
        expect(refusalOf(await tenant.owner.get(`/leave/entitlements?year=${year}`))).to.deep.equal(
          invalidOn({ year: "errors.validation" }),
        );
    });

    it("narrows to what changed since an instant", async () => {
      await leave.generate(2030);
      await service.sql.query("update leave_entitlements set updated_at = '2026-01-01' where leave_type_id = $1", [
        await leave.type("vacation_extra"),
      ]);
      expect((await list(tenant.owner, "year=2030&updated_since=2026-01-02T00:00:00Z")).length).to.equal(1);
    });
  });

  describe("PUT", () => {
    const put = async (body: object) =>
      tenant.owner.put("/leave/entitlements", {
        user_id: tenant.owner.accountId,
        leave_type_id: await leave.type("vacation_extra"),
        year: 2030,
        hours: 8,
        ...body,
      });

    it("sets a pot by hand, over a generated one too", async () => {
      expect((await put({ year: 2035, hours: "12.5", note: "agreed" })).body).to.include({
        hours: "12.50",
        source: "manual",
        note: "agreed",
      });
      await leave.generate(2030);
      expect((await put({ hours: 41 })).body).to.include({ hours: "41.00", source: "manual" });
    });

    it("is not an override when it re-sends the stored hours: only the note may change", async () => {
      await leave.generate(2030);
      expect((await put({ hours: "40" })).body).to.include({ hours: "40.00", source: "generated", note: null });
      expect((await put({ hours: "40.000", note: "seen" })).body).to.include({ source: "generated", note: "seen" });
      expect((await put({ hours: 40 })).body, "a note left out stays").to.include({ note: "seen" });
      expect((await put({ hours: 40, note: null })).body).to.include({ note: null });
    });

    it("takes 0 and 4000 hours and refuses what lies outside", async () => {
      for (const hours of [0, 4000, "4000"]) expect((await put({ hours })).status).to.equal(200);
      for (const hours of [-0.01, 4000.01, "4000.01", null])
        expect(refusalOf(await put({ hours }))).to.deep.equal(invalidOn({ hours: "errors.validation" }));
      expect(refusalOf(await put({ year: 1999 }))).to.deep.equal(invalidOn({ year: "errors.validation" }));
    });

    it("answers 404 for a non-member, and for an unknown type", async () => {
      const elsewhere = await service.tenant();
      const theirs = new Leave(service, elsewhere);
      for (const body of [
        { user_id: UNKNOWN },
        { user_id: elsewhere.owner.accountId },
        { leave_type_id: UNKNOWN },
        { leave_type_id: await theirs.type("sick") },
      ])
        expect((await put(body)).status).to.equal(404);
    });

    it("makes one pot of several at the same moment", async () => {
      const answers = await Promise.all([1, 2, 3].map((hours) => put({ hours })));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(1);
    });
  });

  describe("DELETE", () => {
    it("brings a pot of this year or the next back with the derived figure in the same request", async () => {
      for (const year of [2030, 2031]) {
        await leave.pot(tenant.owner, "vacation_statutory", year, 5);
        expect((await drop(tenant.owner, "vacation_statutory", year)).status).to.equal(204);
        const [row] = await list(tenant.owner, `year=${year}`);
        expect(row).to.include({ hours: "160.00", source: "generated" });
      }
    });

    it("lets a pot of another year go", async () => {
      for (const year of [2029, 2032]) {
        await leave.pot(tenant.owner, "vacation_statutory", year, 5);
        expect((await drop(tenant.owner, "vacation_statutory", year)).status).to.equal(204);
        expect(await list(tenant.owner, `year=${year}`)).to.deep.equal([]);
      }
    });

    it("derives the person's missing pots only, and leaves the others alone", async () => {
      await leave.pot(tenant.owner, "vacation_statutory", 2030, 5);
      await leave.pot(tenant.owner, "vacation_extra", 2030, 6);
      await drop(tenant.owner, "vacation_statutory", 2030);
      expect(await leave.pots(tenant.owner, 2030)).to.deep.equal({ vacation_statutory: "160.00", vacation_extra: "6.00" });
    });

    it("lets a pot go that the rules would not give", async () => {
      await leave.pot(tenant.owner, "sick", 2030, 5);
      await drop(tenant.owner, "sick", 2030);
      expect(await leave.pots(tenant.owner, 2030)).to.deep.equal({ vacation_statutory: "160.00", vacation_extra: "40.00" });
    });

    it("answers 404 if there is none", async () => {
      expect((await drop(tenant.owner, "vacation_statutory", 2030)).status).to.equal(404);
      expect(
        (await tenant.owner.delete(`/leave/entitlements?year=2030&user_id=${UNKNOWN}&leave_type_id=${UNKNOWN}`)).status,
      ).to.equal(404);
    });

    it("needs year, person and type", async () => {
      expect(refusalOf(await tenant.owner.delete("/leave/entitlements"))).to.deep.equal(
        invalidOn({ year: "errors.required", user_id: "errors.required", leave_type_id: "errors.required" }),
      );
    });
  });

  describe("POST generate", () => {
    it("creates missing pots only, of any year, and reports how many", async () => {
      await leave.pot(tenant.owner, "vacation_extra", 2027, 5);
      expect(await leave.generate(2027)).to.deep.equal({ created: 1 });
      expect(await leave.generate(2027)).to.deep.equal({ created: 0 });
      expect(await leave.pots(tenant.owner, 2027)).to.deep.equal({ vacation_statutory: "160.00", vacation_extra: "5.00" });
    });

    it("is for who may write time, at any scope, and for everyone with a contract in the year", async () => {
      const nothing = await tenant.member("member", { grants: [] });
      const writesOwn = await tenant.member("member", { grants: ["time.entry.write:own"] });
      const contracted = await tenant.member("member", { grants: [] });
      await leave.contract(contracted, 20, "2030-01-01");
      const before = await tenant.member("member", { grants: ["time.entry.write:any"] });
      await leave.contract(before, 20, "2028-01-01", { end_date: "2029-12-31" });
      const freelancer = await tenant.member("member");
      await leave.contract(freelancer, null, "2030-01-01", { employment_type: "freelance" });
      await leave.generate(2030);
      const statutory = async (person: Caller) => (await leave.pots(person, 2030))["vacation_statutory"];
      expect(await statutory(nothing)).to.equal(undefined);
      expect(await statutory(writesOwn)).to.equal("160.00");
      expect(await statutory(contracted)).to.equal("80.00");
      expect(await statutory(before), "an ended contract").to.equal(undefined);
      expect(await statutory(freelancer), "a freelancer").to.equal(undefined);
    });

    it("passes by who is deactivated, or no member any more", async () => {
      const off = await tenant.member("member");
      await service.sql.query("update memberships set deactivated_at = now() where id = $1", [off.membershipId]);
      const gone = await leave.employee(40);
      await service.sql.query("delete from memberships where id = $1", [gone.membershipId]);
      await leave.generate(2033);
      expect(await leave.pots(off, 2033)).to.deep.equal({});
      expect(await leave.pots(gone, 2033)).to.deep.equal({});
    });

    it("derives nothing for inactive types, for types without weeks, and 0 hours for 0 weeks", async () => {
      await ok(tenant.owner.patch(`/leave/types/${await leave.type("vacation_extra")}`, { active: false }));
      await ok(tenant.owner.patch(`/leave/types/${await leave.type("special")}`, { tracks_balance: true, default_weeks: 0 }));
      await leave.generate(2030);
      expect(await leave.pots(tenant.owner, 2030)).to.deep.equal({ vacation_statutory: "160.00", special: "0.00" });
    });

    it("twice at once makes every pot once", async () => {
      const results = await Promise.all([leave.generate(2030), leave.generate(2030)]);
      expect(results.map(({ created }) => created).sort()).to.deep.equal([0, 2]);
    });
  });

  it("are written under leave.entitlement.write only", async () => {
    const member = await tenant.member("member");
    const body = { user_id: member.accountId, leave_type_id: await leave.type("sick"), year: 2030, hours: 1 };
    expect((await member.put("/leave/entitlements", body)).status).to.equal(403);
    expect((await member.post("/leave/entitlements/generate", { year: 2030 })).status).to.equal(403);
    expect(
      (await member.delete(`/leave/entitlements?year=2030&user_id=${member.accountId}&leave_type_id=${body.leave_type_id}`))
        .status,
    ).to.equal(403);
    const generator = await tenant.member("member", { grants: ["leave.entitlement.write"] });
    expect((await generator.post("/leave/entitlements/generate", { year: 2030 })).status).to.equal(200);
  });

  it("store a blank note as none, like contracts", async () => {
    const body = { user_id: tenant.owner.accountId, leave_type_id: await leave.type("sick"), year: 2030, hours: 1, note: " " };
    expect((await ok(tenant.owner.put("/leave/entitlements", body))).note).to.equal(null);
    expect((await leave.contract(tenant.owner, 32, "2030-01-01", { note: " " })).note).to.equal(null);
  });

  describe("a change of a type's weeks", () => {
    const weeks = async (key: string, default_weeks: number | string | null) =>
      ok(tenant.owner.patch(`/leave/types/${await leave.type(key)}`, { default_weeks }));

    it("recomputes that type's generated pots of this year and later, people without contract included", async () => {
      const employed = await leave.employee(32);
      for (const year of [2029, 2030, 2034]) await leave.generate(year);
      await leave.pot(employed, "vacation_statutory", 2034, 1);
      await weeks("vacation_statutory", 5);
      const of = async (person: Caller, year: number) => (await leave.pots(person, year))["vacation_statutory"];
      expect([await of(tenant.owner, 2029), await of(employed, 2029)], "the past").to.deep.equal(["160.00", "128.00"]);
      expect([await of(tenant.owner, 2030), await of(employed, 2030)]).to.deep.equal(["200.00", "160.00"]);
      expect([await of(tenant.owner, 2034), await of(employed, 2034)], "set by hand").to.deep.equal(["200.00", "1.00"]);
      expect((await leave.pots(employed, 2030))["vacation_extra"], "another type").to.equal("32.00");
    });

    it("deletes them when the weeks are cleared, and creates no pot for people without one", async () => {
      await leave.generate(2030);
      const late = await tenant.member("member");
      await weeks("vacation_extra", 2);
      expect(await leave.pots(late, 2030)).to.deep.equal({});
      await weeks("vacation_extra", null);
      expect(await leave.pots(tenant.owner, 2030)).to.deep.equal({ vacation_statutory: "160.00" });
    });

    it("leaves the pots of an inactive type alone, as does a change of contract or of the full-time norm", async () => {
      const person = await leave.employee(32);
      await leave.generate(2030);
      const type = `/leave/types/${await leave.type("vacation_extra")}`;
      await ok(tenant.owner.patch(type, { active: false }));
      const extra = async () => (await leave.pots(person, 2030))["vacation_extra"];
      await weeks("vacation_extra", 2);
      expect(await extra(), "its weeks").to.equal("32.00");
      const [{ id }] = await ok(tenant.owner.get(`/leave/contracts?user_id=${person.accountId}`));
      await ok(tenant.owner.patch(`/leave/contracts/${id}`, { contract_hours_per_week: 40 }));
      expect(await leave.pots(person, 2030), "a contract").to.include({ vacation_statutory: "160.00", vacation_extra: "32.00" });
      await ok(tenant.owner.put("/leave/settings", { default_schedule: FOUR_DAYS }));
      expect(await extra(), "the norm").to.equal("32.00");
      await ok(tenant.owner.patch(type, { active: true }));
      await weeks("vacation_extra", 3);
      expect(await extra(), "active again").to.equal("120.00");
    });

    it("gives a former member no pot, not even with a contract that was left open", async () => {
      const gone = await leave.employee(32);
      await service.sql.query("delete from leave_entitlements where user_id = $1", [gone.accountId]);
      await service.sql.query("delete from memberships where id = $1", [gone.membershipId]);
      await weeks("vacation_statutory", 5);
      await ok(tenant.owner.put("/leave/settings", { default_schedule: FOUR_DAYS }));
      expect(await leave.pots(gone, 2030)).to.deep.equal({});
    });

    it("touches nothing when the weeks stay the same number", async () => {
      await leave.generate(2030);
      await service.sql.query("update leave_entitlements set hours = 1 where user_id = $1", [tenant.owner.accountId]);
      await weeks("vacation_statutory", "4.0");
      expect(await leave.pots(tenant.owner, 2030)).to.include({ vacation_statutory: "1.00" });
    });
  });
});
