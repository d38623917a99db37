import { expect } from "chai";
import { settled, strike, until } from "../../support/jobs.ts";
import type { Caller, Tenant } from "../../support/service.ts";
import type { Workspace } from "../../support/workspace.ts";
import { connected } from "../../support/workspace.ts";
import { trailOf } from "../clients/companies/company-records.ts";
import { type CalendarWorld, type Colleague, startCalendars } from "./calendar-world.ts";

const REVOKE = "POST /revoke";

describe("Members who leave and the account they connected (workspace §2.2)", () => {
  let world: CalendarWorld;
  let tenant: Tenant;
  let workspace: Workspace;
  let ann: Colleague;
  let connection: string;
  before(async () => {
    world = await startCalendars();
  });
  beforeEach(async () => {
    world.google.reset();
    ({ tenant, workspace } = await world.organisation());
    ann = await world.colleague(tenant);
    connection = (await rows())[0].id;
    world.google.received.length = 0;
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const rows = async (who: Pick<Caller, "accountId"> = ann.caller) =>
    (await world.service.sql.query("select * from workspace_connections where account_id = $1", [who.accountId])).rows;
  const calls = () => world.google.received.map(({ method, path }) => `${method} ${path}`);
  const setActive = async (active: boolean, by = tenant.owner, who = ann.caller) =>
    (await by.patch(`/members/${who.membershipId}/account`, { active })).status;
  const removed = async () => (await tenant.owner.delete(`/members/${ann.caller.membershipId}`)).status;
  const trailed = async () =>
    (await trailOf(world.service.sql, "workspace_connection", connection)).map(({ action, payload }) => ({
      action,
      ...(payload as object),
    }));
  const email = () => ann.person.email;
  /** Another organisation in which the same person has connected, with the same OAuth client. */
  const elsewhere = async (): Promise<Tenant> => {
    const other = await world.service.tenant();
    const { id: client_id, secret: client_secret } = workspace.client;
    await other.owner.put("/workspace/settings", { client_id, client_secret });
    await connected(world.google, other.owner, { person: ann.person });
    await world.settle();
    world.google.received.length = 0;
    return other;
  };

  it("have their grant revoked by a job when they are deactivated, and their tokens and cache are gone", async () => {
    expect(await setActive(false)).to.equal(200);
    await world.settle();
    expect(calls()).to.deep.equal([REVOKE]);
    expect([world.google.state.grants, await rows()]).to.deep.equal([[], []]);
    expect(await trailed()).to.deep.include({ action: "workspace.disconnected", email: email() });
  });

  it("are called through no more by the clock, and are in no list of connections", async () => {
    await setActive(false);
    await world.settle();
    world.google.received.length = 0;
    for (const name of [
      "workspace.calendar.poll",
      "workspace.calendar.renew",
      "workspace.mail.look",
      "workspace.connections.leavers",
    ])
      await strike(world.service, name);
    await world.settle();
    expect(calls()).to.deep.equal([]);
    expect((await tenant.owner.get("/workspace/connections")).body).to.deep.equal([]);
  });

  it("stop working before Google has answered: the connection is gone, and a job tries again while Google is down", async () => {
    const mend = world.google.failWhen(({ path }) => path === "/revoke", { kind: "reply", status: 503, body: "" });
    await setActive(false);
    await until(async () => calls().includes(REVOKE));
    expect(await rows()).to.deep.equal([]);
    expect(world.google.state.grants, "nothing is revoked yet").to.have.length(1);
    mend();
    await until(async () => {
      await world.service.sql.query(
        "update jobs.agenda_jobs set next_run_at = now() where name = 'workspace.grants.revoke' and locked_at is null and fail_count > 0",
      );
      return world.google.state.grants.length === 0;
    });
    await world.settle();
    expect((await world.service.sql.query("select 1 from workspace_ended_grants")).rowCount).to.equal(0);
  });

  it("lose their tokens here although Google no longer knows the grant", async () => {
    world.google.revoke(ann.person);
    await setActive(false);
    await world.settle();
    expect([calls(), await rows()]).to.deep.equal([[REVOKE], []]);
    const lines = await trailed();
    expect(lines).to.deep.include({ action: "workspace.disconnected", email: email() });
    expect(lines.map(({ action }) => action)).not.to.include("workspace.grant_not_revoked");
  });

  it("keep the grant that another organisation uses with the same OAuth client (P10)", async () => {
    const other = await elsewhere();
    await setActive(false);
    await world.settle();
    expect(calls()).to.deep.equal([]);
    expect([await rows(), world.google.state.grants.length]).to.deep.equal([[], 1]);
    expect((await other.owner.get("/workspace/connections/me")).body.connection.status).to.equal("active");
  });

  it("have their grant revoked when the membership is removed, whose tokens go in that transaction", async () => {
    expect(await removed()).to.equal(204);
    expect(await rows()).to.deep.equal([]);
    await until(() => calls().length > 0);
    await settled(world.service);
    expect(calls()).to.deep.equal([REVOKE]);
    await until(() => world.google.state.grants.length === 0);
    expect((await trailed()).map(({ action }) => action)).to.include("workspace.disconnected");
  });

  it("are removed for any answer of Google, and the trail records that the grant was not revoked", async () => {
    world.google.failWhen(({ path }) => path === "/revoke", { kind: "reply", status: 400, body: '{"error":"invalid_request"}' });
    expect(await removed()).to.equal(204);
    await until(async () => (await trailed()).some(({ action }) => action === "workspace.grant_not_revoked"));
    expect(await trailed()).to.deep.include({ action: "workspace.grant_not_revoked", email: email(), reason: "HTTP 400" });
  });

  it("keep the grant when a removal is refused", async () => {
    const admin = await tenant.member("admin", { grants: ["members.member.write"] });
    const { status } = await admin.delete(`/members/${admin.membershipId}`);
    expect(status).to.equal(400);
    await connected(world.google, tenant.owner);
    await world.settle();
    world.google.received.length = 0;
    expect((await tenant.owner.delete(`/members/${tenant.owner.membershipId}`)).status).to.equal(400);
    await world.settle();
    expect(calls()).to.deep.equal([]);
    expect(await rows(tenant.owner)).to.have.length(1);
  });

  it("are found by the clock where an administrator of the installation has disabled the account", async () => {
    await world.service.sql.query("update accounts set is_active = false where id = $1", [ann.caller.accountId]);
    await strike(world.service, "workspace.connections.leavers");
    await until(() => calls().length > 0);
    await world.settle();
    expect(calls()).to.deep.equal([REVOKE]);
    expect(await rows()).to.deep.equal([]);
  });

  it("connect again once they are reactivated", async () => {
    await setActive(false);
    await world.settle();
    await setActive(true);
    await connected(world.google, ann.caller, { person: ann.person });
    await world.settle();
    await strike(world.service, "workspace.connections.leavers");
    await world.settle();
    expect((await rows())[0].status).to.equal("active");
    expect(world.google.state.grants).to.have.length(1);
  });
});
