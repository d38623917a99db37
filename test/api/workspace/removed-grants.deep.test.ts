import { expect } from "chai";
import { runtime } from "../../../core/config/runtime.ts";
import { keyRing, unsealed } from "../../../core/database/sealed.ts";
import { forgetBreakerStates } from "../../../core/outbound/provider/circuit.ts";
import { sealingKey } from "../../../core/security/crypto.ts";
import { WorkspaceConnection } from "../../../mixins/google/models.ts";
import { rotateColumn, sealedColumnsOf } from "../../../operator/encryption.ts";
import { send } from "../../support/http.ts";
import { strike, until } from "../../support/jobs.ts";
import type { Tenant } from "../../support/service.ts";
import { signIn } from "../../support/sign-in.ts";
import { configureWorkspace, connected } from "../../support/workspace.ts";
import { trailOf } from "../clients/companies/company-records.ts";
import { type CalendarWorld, type Colleague, startCalendars } from "./calendar-world.ts";

const JOB = "workspace.grants.revoke";
const PASSWORD = "correct horse battery";

describe("Grants of connections that have ended (workspace §2.2)", () => {
  let world: CalendarWorld;
  let tenant: Tenant;
  let ann: Colleague;
  let connection: string;
  let mend: () => void;
  before(async () => {
    world = await startCalendars();
  });
  beforeEach(async () => {
    world.google.reset();
    ({ tenant } = await world.organisation());
    ann = await world.colleague(tenant);
    connection = (await rows("select id from workspace_connections where account_id = $1", ann.caller.accountId))[0].id;
    world.google.received.length = 0;
    mend = () => {};
  });
  afterEach(async () => {
    expect(world.google.complaints).to.deep.equal([]);
    mend();
  });
  after(() => world.stop());

  const rows = async (text: string, ...values: unknown[]) => (await world.service.sql.query(text, values)).rows;
  const ended = () => rows("select * from workspace_ended_grants");
  const jobs = () => rows("select data from jobs.ordered where name = $1", JOB);
  const revocations = () => world.google.received.filter(({ path }) => path === "/revoke").length;
  const down = () => {
    mend = world.google.failWhen(({ path }) => path === "/revoke", { kind: "reply", status: 503, body: "" });
  };
  const remove = async () => expect((await tenant.owner.delete(`/members/${ann.caller.membershipId}`)).status).to.equal(204);
  /** Lets jobs that have failed run now. @param failed how often they shall have failed so far, if not as often as they have */
  const hurry = (failed: number | null = null) =>
    rows(
      `update jobs.agenda_jobs set next_run_at = now(), fail_count = coalesce($2, fail_count)
        where name = $1 and type = 'normal' and locked_at is null and fail_count > 0 returning id`,
      JOB,
      failed,
    );
  /** Waits until an attempt has failed, and lets the next one begin. */
  const tryAgain = (failed?: number) => until(async () => (await hurry(failed))[0]);
  /** Google is back: lets the jobs come to their end, and none run out of attempts before. */
  const recover = async () => {
    mend();
    forgetBreakerStates();
    await until(async () => {
      await hurry(1);
      return (await ended()).length === 0;
    });
    await world.settle();
  };
  const nothingIsLeft = async () =>
    expect([
      world.google.state.grants,
      await ended(),
      await jobs(),
      await rows("select id from workspace_connections where account_id = $1", ann.caller.accountId),
    ]).to.deep.equal([[], [], [], []]);
  const disconnect = async ({ caller } = ann) =>
    expect((await caller.post("/workspace/connections/me/disconnect")).status).to.equal(204);
  const actions = async (id = connection) =>
    (await trailOf(world.service.sql, "workspace_connection", id)).map(({ action }) => action);
  /** Another organisation with the same OAuth client, in which the same person has connected. */
  const elsewhere = async (): Promise<Colleague> => {
    const other = await world.service.tenant();
    const [{ client_id }] = await rows("select client_id from workspace_connections where id = $1", connection);
    const { secret: client_secret } = world.google.state.clients.find(({ id }) => id === client_id) as { secret: string };
    await other.owner.put("/workspace/settings", { client_id, client_secret, calendar_enabled: true });
    const second = await world.colleague(other, undefined, { person: ann.person });
    world.google.received.length = 0;
    return second;
  };
  /** Removes the member while Google is down, and waits for the first attempt. */
  const removedInVain = async () => {
    down();
    await remove();
    await until(() => revocations() > 0);
  };

  it("are revoked when the membership is removed, although the first attempts fail, and nothing is left", async () => {
    await removedInVain();
    expect((await ended()).map(({ id }) => id)).to.deep.equal([connection]);
    expect(world.google.state.grants, "nothing is revoked yet").to.have.length(1);
    const before = revocations();
    await tryAgain();
    await until(() => revocations() > before);
    await recover();
    await nothingIsLeft();
  });

  it("are in no payload of a job", async () => {
    await removedInVain();
    const [grant] = await ended();
    const token = unsealed(WorkspaceConnection, grant, "refresh_token");
    expect(token).to.be.a("string");
    const [{ data }] = await jobs();
    expect(data.payload).to.deep.equal({ grant_id: connection });
    expect(JSON.stringify([data, grant])).not.to.contain(token);
    await recover();
  });

  it("are forgotten after the last attempt, which the trail records", async () => {
    await removedInVain();
    await tryAgain(5);
    await world.settle();
    expect([await ended(), await jobs(), world.google.state.grants.length]).to.deep.equal([[], [], 1]);
    const lines = await trailOf(world.service.sql, "workspace_connection", connection);
    expect(lines.map(({ action }) => action)).to.include.members(["workspace.disconnected", "workspace.grant_not_revoked"]);
  });

  it("are forgotten once Google no longer knows them", async () => {
    world.google.revoke(ann.person);
    await remove();
    await world.settle();
    expect(revocations()).to.equal(1);
    await nothingIsLeft();
  });

  it("stay where another organisation uses them with the same OAuth client, while their token goes (P10)", async () => {
    await elsewhere();
    await remove();
    await world.settle();
    expect([revocations(), world.google.state.grants.length, await ended()]).to.deep.equal([0, 1, []]);
  });

  it("are revoked when their person disconnects, although the first attempts fail, and nothing is left", async () => {
    down();
    await disconnect();
    await until(() => revocations() > 0);
    expect((await ended()).map(({ id }) => id)).to.deep.equal([connection]);
    expect(world.google.state.grants, "nothing is revoked yet").to.have.length(1);
    await recover();
    await nothingIsLeft();
    expect((await actions()).filter((action) => action !== "workspace.connected")).to.deep.equal(["workspace.disconnected"]);
  });

  it("are revoked when their person connects another Google account", async () => {
    const { email } = ann.person;
    await connected(world.google, ann.caller, { person: world.google.state.person("second@example.com") });
    await world.settle();
    expect([revocations(), await ended(), await jobs()]).to.deep.equal([1, [], []]);
    expect(world.google.state.grants.map(({ person }) => person.email)).to.deep.equal(["second@example.com"]);
    const [line] = (await trailOf(world.service.sql, "workspace_connection", connection)).filter(
      ({ action }) => action === "workspace.disconnected",
    );
    expect(line?.payload).to.deep.equal({ email });
  });

  it("are revoked when their person consents to another OAuth client, while the connection goes on with the new one", async () => {
    const former = world.google.state.grants[0]?.clientId;
    const next = world.google.state.client();
    const change = { calendar_enabled: true, client_id: next.id, client_secret: next.secret };
    expect((await tenant.owner.put("/workspace/settings", change)).status).to.equal(200);
    down();
    await connected(world.google, ann.caller, { person: ann.person });
    await until(() => revocations() > 0);
    const [left] = await ended();
    expect([left.client_id, left.id === connection, JSON.stringify(left).includes("1//")]).to.deep.equal([former, false, false]);
    await recover();
    expect([await ended(), world.google.state.grants.map(({ clientId }) => clientId)]).to.deep.equal([[], [next.id]]);
    const kept = await rows("select id, status from workspace_connections where account_id = $1", ann.caller.accountId);
    expect(kept).to.deep.equal([{ id: connection, status: "active" }]);
  });

  it("are forgotten and not revoked where their person connects again while Google is down", async () => {
    down();
    await disconnect();
    await until(() => revocations() > 0);
    await connected(world.google, ann.caller, { person: ann.person });
    await until(async () => {
      await hurry();
      return (await ended()).length === 0;
    });
    await world.settle();
    expect(world.google.state.grants).to.have.length(1);
    expect((await ann.caller.get("/workspace/connections/me")).body.connection.status).to.equal("active");
  });

  it("work on for another organisation with the same OAuth client until that one ends its connection, too", async () => {
    const second = await elsewhere();
    await disconnect();
    await world.settle();
    expect([revocations(), world.google.state.grants.length, await ended()]).to.deep.equal([0, 1, []]);
    const { accountId } = second.caller;
    const [{ id }] = await rows(
      "update workspace_connections set access_expires_at = now() where account_id = $1 returning id",
      accountId,
    );
    await rows("update workspace_calendars set last_synced_at = now() - interval '31 minutes' where connection_id = $1", id);
    await strike(world.service, "workspace.calendar.poll");
    await world.settle();
    const refreshed = "select status, access_expires_at > now() as refreshed from workspace_connections where id = $1";
    expect(await rows(refreshed, id)).to.deep.equal([{ status: "active", refreshed: true }]);
    await disconnect(second);
    await world.settle();
    expect(revocations()).to.equal(1);
    await nothingIsLeft();
  });

  it("are over where two organisations revoke one at the same time: the second answer of Google is no failure", async () => {
    const second = await elsewhere();
    const [{ id }] = await rows("select id from workspace_connections where account_id = $1", second.caller.accountId);
    // Both jobs find the grant unused before either has revoked it.
    down();
    await Promise.all([disconnect(), disconnect(second)]);
    await until(() => revocations() > 1);
    await recover();
    await nothingIsLeft();
    for (const one of [connection, id]) expect(await actions(one)).not.to.include("workspace.grant_not_revoked");
  });

  it("are revoked by the job of a removal after which the node died", async () => {
    // Another process commits and does nothing more.
    await rows("delete from memberships where id = $1", ann.caller.membershipId);
    await until(() => revocations() > 0);
    await world.settle();
    await nothingIsLeft();
  });

  it("are found by the clock where the job was lost, as after the restore of a backup", async () => {
    await removedInVain();
    await until(
      async () => (await rows("delete from jobs.agenda_jobs where name = $1 and locked_at is null returning id", JOB))[0],
    );
    await rows("delete from jobs.ordered where name = $1", JOB);
    mend();
    await strike(world.service, "workspace.connections.leavers");
    await world.settle();
    await nothingIsLeft();
  });

  it("are resealed when the key rotates, and still decrypt", async () => {
    await removedInVain();
    const { sql } = world.service;
    const column = (await sealedColumnsOf(sql)).find(({ table }) => table === "workspace_ended_grants");
    if (!column) throw new Error("no such column");
    const [own, next] = [keyRing(runtime()), sealingKey("another encryption key of the tests")];
    for (const ring of [
      [next, ...own],
      [own[0], next],
    ] as const)
      expect(await rotateColumn(sql, column, ring)).to.deep.include({ rotated: 1, unreadable: {} });
    await recover();
    await nothingIsLeft();
  });

  it("are revoked in every organisation when the account is deleted, although the first attempts fail", async () => {
    const other = await world.service.tenant();
    await configureWorkspace(world.google, other);
    const operator = await tenant.member("member", { password: PASSWORD });
    await rows("update accounts set is_superuser = true where id = $1", operator.accountId);
    const cookie = await signIn(world.service.port, tenant.host, operator.email, PASSWORD);
    const second = await world.colleague(other);
    // The second person's connection becomes one of the same account in another organisation.
    await rows(
      "insert into memberships (organisation_id, account_id) values ($1, $2)",
      other.organisation.id,
      ann.caller.accountId,
    );
    await rows(
      "update workspace_connections set account_id = $1 where account_id = $2",
      ann.caller.accountId,
      second.caller.accountId,
    );
    expect(world.google.state.grants).to.have.length(2);
    down();
    const path = `/users/${ann.caller.accountId}`;
    expect((await send(world.service.port, "DELETE", path, { host: tenant.host, cookie })).status).to.equal(204);
    const places = (await ended()).map(({ organisation_id }) => organisation_id);
    expect(places).to.have.members([tenant.organisation.id, other.organisation.id]);
    await until(async () => (await jobs()).length === 2);
    await until(() => revocations() > 1);
    await recover();
    await nothingIsLeft();
  });
});
