import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { keepEvents } from "../../../support/jobs.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf, trailOf } from "../../clients/companies/company-records.ts";
import { type EntryBody, Hours, ok } from "./hours.ts";

describe("signing hours off and invoicing them", () => {
  let service: TestService;
  let tenant: Tenant;
  let hours: Hours;
  let member: Caller;
  before(async () => {
    service = await startService();
    await keepEvents(service);
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    hours = new Hours(service, tenant);
    member = await tenant.member("member");
  });
  after(() => service.stop());

  const approve = async (entries: Pick<EntryBody, "id">[], approved?: boolean) =>
    (
      await ok(
        tenant.owner.post("/time/entries/approve", {
          entry_ids: entries.map(({ id }) => id),
          ...(approved !== undefined && { approved }),
        }),
      )
    ).updated;
  const invoice = async (entries: Pick<EntryBody, "id">[], invoiced?: boolean) =>
    (
      await ok(
        tenant.owner.post("/time/entries/invoice", {
          entry_ids: entries.map(({ id }) => id),
          ...(invoiced !== undefined && { invoiced }),
        }),
      )
    ).updated;
  const stampsOf = async ({ id }: Pick<EntryBody, "id">) => {
    const { approved_at, approved_by_user_id, invoiced_at } = await ok(tenant.owner.get(`/time/entries/${id}`));
    return [approved_at !== null, approved_by_user_id, invoiced_at !== null];
  };
  const reported = async () =>
    (
      await service.sql.query(
        "select entity_type, payload from outbox where organisation_id = $1 and event = 'time.entry_approved' order by payload->>'minutes'",
        [tenant.organisation.id],
      )
    ).rows;
  const actionsOf = async ({ id }: Pick<EntryBody, "id">) =>
    (await trailOf(service.sql, "time_entry", id)).slice(1).map(({ action, actor_account_id: who }) => [action, who]);

  it("stamps time and approver, and notifies every owner once, with the total", async () => {
    const own = [await hours.log(member, { minutes: 30 }), await hours.log(member, { minutes: 45 })];
    const others = await hours.log(tenant.owner, { minutes: 10 });
    expect(await approve([...own, others])).to.equal(3);
    for (const one of [...own, others]) {
      expect(await stampsOf(one)).to.deep.equal([true, tenant.owner.accountId, false]);
      expect(await actionsOf(one)).to.deep.equal([["approved", tenant.owner.accountId]]);
    }
    const payload = (user_id: string, count: number, minutes: number) => ({ user_id, count, minutes, recipients: [user_id] });
    expect(await reported()).to.deep.equal([
      { entity_type: "timesheet", payload: payload(tenant.owner.accountId, 1, 10) },
      { entity_type: "timesheet", payload: payload(member.accountId, 2, 75) },
    ]);
  });

  it("changes nothing and notifies no one for approved entries", async () => {
    const [old, fresh] = [await hours.log(member), await hours.log(member, { minutes: 5 })];
    await approve([old]);
    const { approved_at } = await ok(tenant.owner.get(`/time/entries/${old.id}`));
    expect(await approve([old, fresh, fresh])).to.equal(1);
    expect((await ok(tenant.owner.get(`/time/entries/${old.id}`))).approved_at).to.equal(approved_at);
    expect((await reported()).map(({ payload }: { payload: { count: number } }) => payload.count)).to.deep.equal([1, 1]);
    expect(await actionsOf(old)).to.have.length(1);
  });

  it("takes approval back with the invoice stamp, and says nothing", async () => {
    const entry = await hours.log(member);
    await invoice([entry]);
    expect(await approve([entry], false)).to.equal(1);
    expect(await stampsOf(entry)).to.deep.equal([false, null, false]);
    expect(await actionsOf(entry)).to.deep.equal([
      ["invoiced", tenant.owner.accountId],
      ["unapproved", tenant.owner.accountId],
    ]);
    expect(await reported()).to.have.length(1);
    expect(await approve([entry], false)).to.equal(0);
  });

  it("approves unapproved entries marked as invoiced, and keeps an existing approval", async () => {
    const approver = await tenant.member("admin");
    const [open, approved] = [await hours.log(member, { minutes: 5 }), await hours.log(member)];
    await ok(approver.post("/time/entries/approve", { entry_ids: [approved.id] }));
    expect(await invoice([open, approved])).to.equal(2);
    expect(await stampsOf(open)).to.deep.equal([true, tenant.owner.accountId, true]);
    expect(await stampsOf(approved)).to.deep.equal([true, approver.accountId, true]);
    expect((await reported()).map(({ payload }: { payload: { minutes: number } }) => payload.minutes)).to.deep.equal([5, 60]);
  });

  it("clears only the invoice stamp when invoicing is undone", async () => {
    const entry = await hours.log(member);
    await invoice([entry]);
    expect(await invoice([entry], false)).to.equal(1);
    expect(await stampsOf(entry)).to.deep.equal([true, tenant.owner.accountId, false]);
    expect(await invoice([entry], false)).to.equal(0);
  });

  it("passes over what runs, is elsewhere, unknown or out of sight", async () => {
    const running = await ok(member.post("/time/timer/start", {}));
    const elsewhere = await service.tenant();
    const foreign = await new Hours(service, elsewhere).log(elsewhere.owner);
    const [mine, hidden] = [await tenant.company(), await tenant.company()];
    const unseen = await hours.log(member, { company_id: hidden.id });
    const seen = await hours.log(member, { company_id: mine.id });
    const restricted = await hours.restricted("admin", [mine.id]);
    const entry_ids = [running.id, foreign.id, unseen.id, seen.id, randomUUID()];
    for (const path of ["approve", "invoice"])
      expect(await ok(restricted.post(`/time/entries/${path}`, { entry_ids })), path).to.deep.equal({ updated: 1 });
    expect(await stampsOf(seen)).to.deep.equal([true, restricted.accountId, true]);
    for (const one of [running, unseen]) expect(await stampsOf(one)).to.deep.equal([false, null, false]);
    expect((await ok(elsewhere.owner.get(`/time/entries/${foreign.id}`))).approved_at).to.equal(null);
  });

  it("takes 1 to 1,000 ids, and needs a permission of its own each", async () => {
    const send = async (caller: Caller, path: string, entry_ids: unknown) =>
      refusalOf(await caller.post(`/time/entries/${path}`, { entry_ids }));
    for (const path of ["approve", "invoice"]) {
      const wrong = invalidOn({ entry_ids: "errors.validation" });
      expect(await send(tenant.owner, path, [])).to.deep.equal(wrong);
      expect(await send(tenant.owner, path, Array(1001).fill(randomUUID()))).to.deep.equal(wrong);
      expect(await send(member, path, [randomUUID()])).to.deep.equal([403, "forbidden", null]);
    }
    const most = Array.from({ length: 1000 }, () => ({ id: randomUUID() }));
    expect(await approve(most)).to.equal(0);
  });

  it("is done by other actors too, which put entries on invoices and take them off", async () => {
    const entry = await hours.log(member);
    const { broker } = service.node;
    const call = (invoiced: boolean) => {
      const principal = { kind: "system", accountId: null, selection: null, grants: ["*"], isClientLogin: false };
      const meta = { organisation: tenant.organisation, principal, requestId: "test" };
      return broker.call("time.entries.stamp", { entry_ids: [entry.id], invoiced }, { meta });
    };
    expect(await call(true)).to.deep.equal({ updated: 1 });
    expect(await stampsOf(entry)).to.deep.equal([true, null, true]);
    expect(await call(false)).to.deep.equal({ updated: 1 });
    expect(await stampsOf(entry)).to.deep.equal([true, null, false]);
  });

  it("never approves hours changed by a parallel edit: the edit is in the approved hours or refused", async () => {
    for (let round = 0; round < 6; round++) {
      const entry = await hours.log(member, { minutes: 30 });
      const [edited, approved] = await Promise.all([
        member.patch(`/time/entries/${entry.id}`, { minutes: 50 }),
        tenant.owner.post("/time/entries/approve", { entry_ids: [entry.id] }),
      ]);
      expect(approved.body).to.deep.equal({ updated: 1 });
      expect(edited.status).to.be.oneOf([200, 403]);
      const { minutes, approved_at } = await ok(member.get(`/time/entries/${entry.id}`));
      expect([minutes, approved_at !== null]).to.deep.equal([edited.status === 200 ? 50 : 30, true]);
      const { payload } = (await reported()).at(-1) ?? {};
      expect(payload.minutes).to.equal(minutes);
      await service.sql.query("delete from outbox where organisation_id = $1", [tenant.organisation.id]);
    }
  });

  it("lets two approvals of overlapping entries both end, and counts every entry once", async () => {
    const entries: EntryBody[] = [];
    for (let n = 0; n < 20; n++) entries.push(await hours.log(member));
    const counts = await Promise.all([approve(entries), approve(entries.toReversed()), approve(entries.slice(5))]);
    expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(20);
    const events = await reported();
    expect(events.reduce((sum: number, { payload }: { payload: { count: number } }) => sum + payload.count, 0)).to.equal(20);
  });
});
