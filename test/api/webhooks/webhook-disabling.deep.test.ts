import { expect } from "chai";
import { fire, settled, until } from "../../support/jobs.ts";
import type { Tenant } from "../../support/service.ts";
import { DELIVERIES, ENDPOINTS, inWebhookWorld, type WebhookWorld } from "./webhook-world.ts";

describe("endpoints of webhooks over time", () => {
  let world: WebhookWorld;
  let tenant: Tenant;
  inWebhookWorld((opened, fresh) => {
    [world, tenant] = [opened, fresh];
  });

  const read = async (id: string) => (await tenant.owner.get(`${ENDPOINTS}/${id}`)).body;
  const off = (id: string) => until(async () => !(await read(id)).enabled);
  const mails = async () =>
    (
      await world.service.sql.query(
        "select to_address, variables ->> 'reason' as reason from mails where organisation_id = $1 and kind = 'webhook-disabled' order by 1",
        [tenant.organisation.id],
      )
    ).rows;

  it("are switched off at once by 410, with a mail to those who manage them", async () => {
    const { id, path } = await world.endpoint(tenant);
    const [admin, restricted] = [await tenant.member("admin"), await tenant.member("admin"), await tenant.member("member")];
    const owner = await tenant.member("owner");
    await tenant.group("Restricted", [], [restricted?.membershipId as string, owner.membershipId]);
    world.receiver.failWhen((one) => one.path === path, { kind: "reply", status: 410 });
    await tenant.company();
    await off(id);
    const { disabled_reason, disabled_at } = await read(id);
    expect(disabled_reason).to.equal("gone");
    expect(disabled_at).to.be.a("string");
    expect(await mails()).to.deep.equal(
      [tenant.owner.email, owner.email, admin?.email].toSorted().map((to_address) => ({ to_address, reason: "gone" })),
    );
    expect(await world.deliveries(tenant)).to.have.length(1);
    expect((await world.deliveries(tenant))[0]).to.deep.include({ status: "failed", attempts: 1, response_status: 410 });
    await tenant.company();
    await settled(world.service);
    expect(await world.deliveries(tenant), "nothing is recorded while it is off").to.have.length(1);
  });

  it("are sent nothing more of a record once they said 410, and are switched off once for any number of messages", async () => {
    const { id, path } = await world.endpoint(tenant);
    const release = world.hold(path);
    const company = await tenant.company({ status: "lead" });
    await until(() => world.receiver.at(path).length === 1);
    for (const status of ["onboarding", "active"]) await tenant.owner.patch(`/companies/${company.id}`, { status });
    await tenant.company();
    world.receiver.failWhen((one) => one.path === path, { kind: "reply", status: 410 });
    release();
    await off(id);
    await settled(world.service);
    const deliveries = await world.deliveries(tenant);
    expect(deliveries.map(({ status }) => status)).to.deep.equal(["delivered", "failed", "pending", "failed"]);
    expect(deliveries.map(({ attempts }) => attempts)).to.deep.equal([1, 1, 0, 1]);
    expect(await mails()).to.deep.equal([{ to_address: tenant.owner.email, reason: "gone" }]);
  });

  it("are switched off after three days without a success, not before, and get what waited when on again", async () => {
    const { id, path } = await world.endpoint(tenant);
    const heal = world.receiver.failWhen((one) => one.path === path, { kind: "drop" });
    await tenant.company();
    await until(async () => (await world.deliveries(tenant))[0]?.["attempts"] === 1);
    const failingFor = (hours: number) =>
      world.service.sql.query("update webhook_endpoints set failing_since = now() - make_interval(hours => $2) where id = $1", [
        id,
        hours,
      ]);
    await failingFor(71);
    await world.due(id);
    await until(async () => (await world.deliveries(tenant))[0]?.["attempts"] === 2);
    expect((await read(id)).enabled).to.equal(true);
    await failingFor(73);
    await world.due(id);
    await off(id);
    expect((await read(id)).disabled_reason).to.equal("failing");
    expect(await mails()).to.deep.equal([{ to_address: tenant.owner.email, reason: "failing" }]);
    heal();
    const { body } = await tenant.owner.patch(`${ENDPOINTS}/${id}`, { enabled: true });
    expect(body).to.deep.include({ enabled: true, disabled_reason: null, disabled_at: null, failing_since: null });
    await world.reach(tenant, "delivered", 1);
    expect(world.receiver.at(path)).to.have.length(1);
  });

  it("sign with both secrets for a day after a rotation, and with the new one alone afterwards", async () => {
    const { id, path, secret } = await world.endpoint(tenant);
    const { body } = await tenant.owner.post(`${ENDPOINTS}/${id}/rotate`);
    const signatures = () => String(world.receiver.received.at(-1)?.headers["webhook-signature"]).split(" ").length;
    const ping = async () => (await tenant.owner.post(`${ENDPOINTS}/${id}/ping`)).body;
    world.receiver.trust(path, secret);
    expect(await ping()).to.deep.include({ ok: true });
    expect(signatures()).to.equal(2);
    world.receiver.trust(path, body.secret);
    expect(await ping()).to.deep.include({ ok: true });
    await world.service.sql.query("update webhook_endpoints set previous_secret_until = now() where id = $1", [id]);
    expect(await ping()).to.deep.include({ ok: true });
    expect(signatures()).to.equal(1);
  });

  it("answer a ping in their own words, whether they are on or off", async () => {
    const { id, path } = await world.endpoint(tenant, { enabled: false });
    const ping = () => tenant.owner.post(`${ENDPOINTS}/${id}/ping`);
    const { status, body } = await ping();
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ ok: true, response_status: 200, response_body: '{"taken":true}', error: null });
    expect(world.receiver.at(path)[0]).to.deep.include({ type: "webhook.ping" });
    world.receiver.fail({ kind: "reply", status: 404, body: "nobody here" });
    expect((await ping()).body).to.deep.equal({ ok: false, response_status: 404, response_body: "nobody here", error: null });
    world.receiver.fail({ kind: "drop" });
    const lost = (await ping()).body;
    expect(lost).to.deep.include({ ok: false, response_status: null, response_body: null });
    expect(lost.error).to.be.a("string").and.not.equal("");
    expect(await world.deliveries(tenant)).to.deep.equal([]);
  });

  it("lose deliveries older than 30 days, and send forgotten ones", async () => {
    const { id, path } = await world.endpoint(tenant);
    const { sql } = world.service;
    for (let n = 0; n < 3; n++) await tenant.company();
    await world.reach(tenant, "delivered", 3);
    const [one, two, three] = await world.deliveries(tenant);
    await sql.query("update webhook_deliveries set created_at = now() - interval '31 days' where id = $1", [one?.["id"]]);
    await sql.query("update webhook_deliveries set created_at = now() - interval '29 days' where id = $1", [two?.["id"]]);
    await sql.query("update webhook_deliveries set status = 'pending', next_attempt_at = now() where id = $1", [three?.["id"]]);
    await fire(world.service, "webhooks.clear");
    expect((await world.deliveries(tenant)).map((left) => left["id"])).to.deep.equal([two?.["id"], three?.["id"]]);
    await until(() => world.receiver.at(path).length === 4);
    expect(await world.deliveries(tenant, `&endpoint_id=${id}&status=delivered`)).to.have.length(2);
  });

  it("get nothing while they are off, not even on demand, and what waited once they are on", async () => {
    const { id, path } = await world.endpoint(tenant);
    world.receiver.fail({ kind: "reply", status: 500 });
    await tenant.company();
    await until(async () => (await world.deliveries(tenant))[0]?.["attempts"] === 1);
    await tenant.owner.patch(`${ENDPOINTS}/${id}`, { enabled: false });
    const [delivery] = await world.deliveries(tenant);
    const replayed = await tenant.owner.post(`${DELIVERIES}/${delivery?.["id"]}/replay`);
    expect(replayed.body).to.deep.include({ status: "pending", attempts: 1 });
    await settled(world.service);
    expect(world.receiver.at(path)).to.deep.equal([]);
    expect((await world.deliveries(tenant))[0]).to.deep.include({ status: "pending", attempts: 1 });
    await tenant.owner.patch(`${ENDPOINTS}/${id}`, { enabled: true });
    await world.reach(tenant, "delivered", 1);
  });

  it("start again at another address", async () => {
    const { id, path } = await world.endpoint(tenant);
    world.receiver.failWhen((one) => one.path === path, { kind: "drop" });
    await tenant.company();
    await until(async () => (await read(id)).failing_since !== null);
    await tenant.owner.patch(`${ENDPOINTS}/${id}`, { name: "Renamed" });
    expect((await read(id)).failing_since, "another name is no other address").to.be.a("string");
    await tenant.owner.patch(`${ENDPOINTS}/${id}`, { url: world.receiver.url(`${path}-moved`) });
    expect((await read(id)).failing_since).to.equal(null);
  });

  it("may be removed while a message is under way", async () => {
    const { id, path } = await world.endpoint(tenant);
    let goOn = () => {};
    world.receiver.fail({ kind: "wait", until: new Promise<void>((resolve) => (goOn = resolve)) });
    await tenant.company();
    await until(() => world.receiver.at(path).length === 1);
    expect((await tenant.owner.delete(`${ENDPOINTS}/${id}`)).status).to.equal(204);
    goOn();
    await settled(world.service);
    const ends = (await world.deliveries(tenant)).map(({ status, attempts, next_attempt_at }) => [
      status,
      attempts,
      next_attempt_at,
    ]);
    expect(ends, "it was taken all the same").to.deep.equal([["delivered", 1, null]]);
  });

  it("can be removed while a message is being refused: none is sent after it", async () => {
    const { id, path } = await world.endpoint(tenant);
    let goOn = () => {};
    world.receiver.fail({ kind: "wait", until: new Promise<void>((resolve) => (goOn = resolve)) });
    world.receiver.failWhen((one) => one.path === path, { kind: "reply", status: 500 });
    await tenant.company();
    await until(() => world.receiver.at(path).length === 1 || world.receiver.received.length === 1);
    expect((await tenant.owner.delete(`${ENDPOINTS}/${id}`)).status).to.equal(204);
    goOn();
    await settled(world.service);
    const [{ status, next_attempt_at } = {}] = await world.deliveries(tenant);
    expect([status === "pending", next_attempt_at]).to.deep.equal([false, null]);
  });

  it("fail their unsent messages", async () => {
    const { id, path } = await world.endpoint(tenant);
    world.receiver.failWhen((one) => one.path === path, { kind: "drop" });
    await tenant.company();
    await until(async () => (await world.deliveries(tenant))[0]?.["attempts"] === 1);
    expect((await tenant.owner.delete(`${ENDPOINTS}/${id}`)).status).to.equal(204);
    const [{ status, error } = {}] = await world.deliveries(tenant);
    expect([status, error]).to.deep.equal(["failed", "errors.webhook_endpoint_removed"]);
  });

  describe("changed while messages are under way", () => {
    /** An endpoint whose first message waits for its answer, with two more of the same write behind it. */
    async function waiting() {
      const [first, second] = [await tenant.member("member"), await tenant.member("member")];
      const task = (await tenant.owner.post("/tasks", { title: "Site", assignee_user_id: first.accountId })).body.id;
      const events = ["task.status_changed", "task.assigned", "task.unassigned"];
      const { id, path, secret } = await world.endpoint(tenant, { events });
      const release = world.hold(path);
      await tenant.owner.patch(`/tasks/${task}`, { status: "done", assignee_user_id: second.accountId });
      await until(() => world.receiver.at(path).length === 1);
      return { id, path, secret, release };
    }
    // Deliveries of one write have one time, so the list has them in any order.
    const ends = async () =>
      (await world.deliveries(tenant))
        .map(({ status, attempts }) => [status, attempts])
        .toSorted(([, one], [, other]) => other - one);

    it("get nothing more once they are switched off", async () => {
      const { id, path, release } = await waiting();
      await tenant.owner.patch(`${ENDPOINTS}/${id}`, { enabled: false });
      release();
      await settled(world.service);
      expect([world.receiver.at(path).length, await ends()]).to.deep.equal([
        1,
        [
          ["delivered", 1],
          ["pending", 0],
          ["pending", 0],
        ],
      ]);
    });

    it("get nothing more once they are removed", async () => {
      const { id, path, release } = await waiting();
      await tenant.owner.delete(`${ENDPOINTS}/${id}`);
      release();
      await settled(world.service);
      expect([world.receiver.at(path).length, await ends()]).to.deep.equal([
        1,
        [
          ["delivered", 1],
          ["failed", 0],
          ["failed", 0],
        ],
      ]);
    });

    it("get the rest at their new address, signed with their new secret", async () => {
      const { id, path, secret, release } = await waiting();
      world.receiver.trust(`${path}-moved`, secret);
      await tenant.owner.patch(`${ENDPOINTS}/${id}`, { url: world.receiver.url(`${path}-moved`) });
      const { body } = await tenant.owner.post(`${ENDPOINTS}/${id}/rotate`);
      world.receiver.trust(`${path}-moved`, body.secret);
      release();
      await world.reach(tenant, "delivered", 3);
      expect([world.receiver.at(path).length, world.receiver.at(`${path}-moved`).length]).to.deep.equal([1, 2]);
    });

    it("are not switched off by what the old address answers", async () => {
      const { id, path, secret } = await world.endpoint(tenant);
      world.receiver.trust(`${path}-moved`, secret);
      const { promise, resolve } = Promise.withResolvers<void>();
      world.receiver.failWhen((one) => one.path === path, {
        kind: "reply",
        status: 410,
        until: promise,
      });
      await tenant.company();
      await until(() => world.receiver.received.length === 1);
      await tenant.owner.patch(`${ENDPOINTS}/${id}`, { url: world.receiver.url(`${path}-moved`) });
      resolve();
      await until(async () => (await ends())[0]?.[1] === 1);
      await world.due(id);
      await world.reach(tenant, "delivered", 1);
      expect(await read(id)).to.deep.include({ enabled: true, disabled_reason: null, failing_since: null });
    });
  });
});
