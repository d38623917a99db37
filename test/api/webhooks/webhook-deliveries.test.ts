import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect } from "chai";
import { settled, until } from "../../support/jobs.ts";
import type { Tenant } from "../../support/service.ts";
import { DELIVERIES, ENDPOINTS, inWebhookWorld, type WebhookWorld } from "./webhook-world.ts";

const STATUSES = ["onboarding", "active", "offboarding", "archived", "lead"];

describe("messages sent to webhooks", () => {
  let world: WebhookWorld;
  let tenant: Tenant;
  inWebhookWorld((opened, fresh) => {
    [world, tenant] = [opened, fresh];
  });

  const arrived = (path: string, howMany: number) => until(() => world.receiver.at(path).length >= howMany);

  it("is the request that the OpenAPI document describes for the event, which has each event that an endpoint may choose", async () => {
    const caller = { host: tenant.host, key: tenant.owner.key };
    const { webhooks, components } = (await world.service.call("GET", "//api/openapi.json", caller)).body;
    const events = (await tenant.owner.get("/webhooks/events")).body as { name: string }[];
    expect(Object.keys(webhooks)).to.have.members(events.map(({ name }) => name));
    const { path } = await world.endpoint(tenant);
    await tenant.company({ name: "Bakkerij Jansen" });
    await arrived(path, 1);
    await world.reach(tenant, "delivered", 1);
    const [received] = world.receiver.at(path);
    const message = { type: received?.type, timestamp: received?.timestamp, data: received?.data };
    const { parameters, requestBody } = webhooks["company.created"].post;
    expect(
      parameters.map(({ $ref }: { $ref: string }) => components.parameters[$ref.split("/").at(-1) as string].name),
    ).to.deep.equal(["webhook-id", "webhook-timestamp", "webhook-signature"]);
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    const validate = ajv.compile({ ...requestBody.content["application/json"].schema, components });
    expect(validate(message), JSON.stringify(validate.errors)).to.equal(true);
    expect(validate({ ...message, type: "company.gone" })).to.equal(false);
    const { payload, ...data } = message.data as Record<string, unknown>;
    expect(validate({ ...message, data: { ...data, payload: {} } })).to.equal(false);
    expect(validate({ ...message, data: { payload, name: data["name"] } })).to.equal(false);
  });

  it("is signed, and is the event as /api/events.json describes it", async () => {
    const { path, id } = await world.endpoint(tenant);
    const { id: companyId } = await tenant.company({ name: "Één bedrijf" });
    await arrived(path, 1);
    const [message] = world.receiver.at(path);
    const { body: document } = await world.service.call("GET", "//api/events.json", { host: tenant.host, key: tenant.owner.key });
    const { "x-entity": entity, "x-subscribers": subscribers, ...schema } = document.events["company.created"];
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    const validate = ajv.compile(schema);
    expect(validate(message?.data), JSON.stringify(validate.errors)).to.equal(true);
    expect(message).to.deep.include({ type: "company.created", timestamp: message?.data["occurred_at"] });
    expect(message?.data).to.deep.include({
      entity_type: "company",
      entity_id: companyId,
      actor_account_id: tenant.owner.accountId,
    });
    expect(message?.data.payload).to.deep.include({ company_id: companyId, title: "Één bedrijf" });
    expect(message?.id).to.equal(`${message?.data["id"]}_${id}`);
    await world.reach(tenant, "delivered", 1);
    const [delivery] = await world.deliveries(tenant);
    expect(delivery).to.deep.include({
      endpoint_id: id,
      event: "company.created",
      event_id: message?.data["id"],
      entity_type: "company",
      entity_id: companyId,
      status: "delivered",
      attempts: 1,
      next_attempt_at: null,
      response_status: 200,
      response_body: '{"taken":true}',
      error: null,
    });
  });

  it("is the events an enabled endpoint chose, and nothing of a write that failed", async () => {
    const chosen = await world.endpoint(tenant, { events: ["company.status_changed"] });
    const off = await world.endpoint(tenant, { enabled: false });
    const elsewhere = await world.endpoint(await world.service.tenant());
    const { id } = await tenant.company();
    expect((await tenant.owner.patch(`/companies/${id}`, { status: "nowhere" })).status).to.equal(422);
    await tenant.owner.patch(`/companies/${id}`, { status: "archived" });
    await arrived(chosen.path, 1);
    await settled(world.service);
    expect(world.receiver.at(chosen.path).map(({ type }) => type)).to.deep.equal(["company.status_changed"]);
    for (const { path } of [off, elsewhere]) expect(world.receiver.at(path)).to.deep.equal([]);
    expect(await world.deliveries(tenant)).to.have.length(1);
  });

  it("costs a write one statement, for any number of endpoints, and none without one", async () => {
    const write = async () => (await tenant.owner.post("/companies", { name: "One" })).statements;
    await write();
    const without = await write();
    await world.endpoint(tenant, { events: ["company.status_changed"] });
    await write();
    expect(await write()).to.equal(without);
    for (let n = 0; n < 5; n++) await world.endpoint(tenant);
    // The first write after a change of endpoints reads their subscriptions.
    await write();
    expect(await write()).to.equal(without + 1);
    await settled(world.service);
    expect(await world.deliveries(tenant)).to.have.length(10);
  });

  it("heeds a change of endpoints from the next write on", async () => {
    const write = async () => expect((await tenant.owner.post("/companies", { name: "One" })).status).to.equal(201);
    const reported = async () => (await world.deliveries(tenant)).length;
    await write();
    const { id } = await world.endpoint(tenant, { events: ["company.status_changed"] });
    for (const [change, count] of [
      [{ events: ["company.created"] }, 1],
      [{ enabled: false }, 1],
      [{ enabled: true }, 2],
    ] as const) {
      const { status, text } = await tenant.owner.patch(`/webhooks/endpoints/${id}`, change);
      expect(status, text).to.equal(200);
      await write();
      expect(await reported(), JSON.stringify(change)).to.equal(count);
    }
  });

  it("arrives in the order of the events of a record, at every endpoint", async () => {
    const endpoints = [await world.endpoint(tenant), await world.endpoint(tenant)];
    world.receiver.failWhen(({ path }) => path === endpoints[0]?.path, { kind: "delay", ms: 40 });
    const companies = [await tenant.company({ status: "lead" }), await tenant.company({ status: "lead" })];
    for (const status of STATUSES) for (const { id } of companies) await tenant.owner.patch(`/companies/${id}`, { status });
    for (const { path } of endpoints) {
      await arrived(path, 12);
      for (const { id } of companies) {
        const reported = world.receiver.at(path).filter(({ data }) => data.entity_id === id);
        expect(reported.map(({ data }) => data.payload?.["status"])).to.deep.equal(["lead", ...STATUSES]);
      }
    }
  });

  it("arrives in the order in which one write recorded several events of a record", async () => {
    const events = ["task.unassigned", "task.assigned", "task.status_changed", "task.created"];
    const { path } = await world.endpoint(tenant, { events });
    const [first, second] = [await tenant.member("member"), await tenant.member("member")];
    const { id } = (await tenant.owner.post("/tasks", { title: "Site", assignee_user_id: first.accountId })).body;
    await tenant.owner.patch(`/tasks/${id}`, { status: "done", assignee_user_id: second.accountId });
    await arrived(path, 5);
    const order = ["task.created", "task.assigned", "task.status_changed", "task.assigned", "task.unassigned"];
    expect(world.receiver.at(path).map(({ type }) => type)).to.deep.equal(order);
  });

  it("is under way for different records side by side, for one record one after another", async () => {
    const { path } = await world.endpoint(tenant);
    const releaseFirst = world.hold(path);
    const one = await tenant.company({ status: "lead" });
    await arrived(path, 1);
    for (const status of STATUSES) await tenant.owner.patch(`/companies/${one.id}`, { status });
    const other = await tenant.company();
    const releaseSecond = world.hold(path);
    releaseFirst();
    const about = ({ id }: { id: string }) => world.receiver.at(path).filter(({ data }) => data.entity_id === id);
    await until(() => about(other).length === 1 && about(one).length > 1);
    expect(about(one), "the created one and the first that changed it").to.have.length(2);
    releaseSecond();
    await arrived(path, 2 + STATUSES.length);
    expect(about(one).map(({ data }) => data.payload?.["status"])).to.deep.equal(["lead", ...STATUSES]);
  });

  it("holds nothing up by a message that is not taken, which is to come again after 5 s, under the same id", async () => {
    const { path, id } = await world.endpoint(tenant);
    world.receiver.fail({ kind: "reply", status: 500, body: "not now" });
    const company = await tenant.company({ status: "lead" });
    await world.reach(tenant, "pending", 1);
    await until(async () => (await world.deliveries(tenant))[0]?.["attempts"] === 1);
    const [first] = await world.deliveries(tenant);
    expect(first).to.deep.include({ status: "pending", response_status: 500, response_body: "not now" });
    expect(Date.parse(first?.["next_attempt_at"]) - Date.parse(first?.["last_attempt_at"])).to.equal(5000);
    expect((await tenant.owner.get(`${ENDPOINTS}/${id}`)).body.failing_since).to.be.a("string");
    // Later than any machine takes for what follows.
    const { sql } = world.service;
    await sql.query("update webhook_deliveries set next_attempt_at = now() + interval '1 hour' where endpoint_id = $1", [id]);
    await tenant.owner.patch(`/companies/${company.id}`, { status: "active" });
    await world.reach(tenant, "delivered", 1);
    await world.due(id);
    await arrived(path, 2);
    const reported = world.receiver.at(path);
    expect(reported.map(({ type }) => type)).to.deep.equal(["company.status_changed", "company.created"]);
    expect(world.receiver.received[0]?.headers["webhook-id"]).to.equal(reported[1]?.id);
    await world.reach(tenant, "delivered", 2);
    expect((await world.deliveries(tenant)).map(({ attempts }) => attempts)).to.deep.equal([2, 1]);
    expect((await tenant.owner.get(`${ENDPOINTS}/${id}`)).body.failing_since).to.equal(null);
  });

  it("continues after a message without an answer, which delays no other of its record", async () => {
    const { path } = await world.endpoint(tenant);
    const release = world.hold(path);
    const { id } = await tenant.company({ status: "lead" });
    await arrived(path, 1);
    for (const status of ["onboarding", "active"]) await tenant.owner.patch(`/companies/${id}`, { status });
    world.receiver.fail({ kind: "drop" });
    release();
    await world.reach(tenant, "delivered", 3);
    expect(world.receiver.at(path).map(({ data }) => data.payload?.["status"])).to.deep.equal(["lead", "active", "onboarding"]);
  });

  it("repeats unanswered messages, under the same id", async () => {
    const { path, id } = await world.endpoint(tenant);
    world.receiver.fail({ kind: "lose" });
    await tenant.company();
    await until(async () => (await world.deliveries(tenant))[0]?.["attempts"] === 1);
    expect((await world.deliveries(tenant))[0]).to.deep.include({
      status: "pending",
      response_status: null,
      response_body: null,
    });
    await world.due(id);
    await arrived(path, 2);
    const [one, two] = world.receiver.at(path);
    expect(one?.id).to.equal(two?.id);
  });

  it("does not follow a redirect, and keeps the beginning of an answer", async () => {
    const { path } = await world.endpoint(tenant);
    const other = await world.endpoint(tenant, { events: ["company.assigned"] });
    const headers = { Location: world.receiver.url(other.path) };
    world.receiver.fail({ kind: "reply", status: 302, headers, body: "x".repeat(5000) });
    await tenant.company();
    await until(async () => (await world.deliveries(tenant))[0]?.["attempts"] === 1);
    const [delivery] = await world.deliveries(tenant);
    expect(delivery).to.deep.include({ status: "pending", response_status: 302, response_body: "x".repeat(1024) });
    expect(world.receiver.received.map((one) => one.path)).to.deep.equal([path]);
  });

  it("counts an answer whose body never ends by its status", async () => {
    await world.endpoint(tenant);
    world.receiver.fail({ kind: "flood" });
    await tenant.company();
    await world.reach(tenant, "delivered", 1);
  });

  it("is checked again when it is sent: a name may lie elsewhere by then", async () => {
    const { id } = await world.endpoint(tenant);
    await world.service.sql.query("update webhook_endpoints set url = 'http://10.9.8.7/' where id = $1", [id]);
    await tenant.company();
    await until(async () => (await world.deliveries(tenant))[0]?.["attempts"] === 1);
    const [delivery] = await world.deliveries(tenant);
    expect(delivery).to.deep.include({ status: "pending", response_status: null });
    expect(delivery?.["error"]).to.be.a("string").and.not.equal("");
  });

  it("fails after the tenth attempt", async () => {
    const { id, path } = await world.endpoint(tenant);
    world.receiver.failWhen((one) => one.path === path, { kind: "reply", status: 503 });
    await tenant.company();
    await until(async () => (await world.deliveries(tenant))[0]?.["attempts"] === 1);
    await world.service.sql.query("update webhook_deliveries set attempts = 9 where endpoint_id = $1", [id]);
    await world.due(id);
    await world.reach(tenant, "failed", 1);
    expect((await world.deliveries(tenant))[0]).to.deep.include({ attempts: 10, next_attempt_at: null, response_status: 503 });
  });

  it("is sent again on demand under the same id", async () => {
    const { path } = await world.endpoint(tenant);
    await tenant.company();
    await world.reach(tenant, "delivered", 1);
    const [delivery] = await world.deliveries(tenant);
    const { status, body } = await tenant.owner.post(`${DELIVERIES}/${delivery?.["id"]}/replay`);
    expect([status, body.status, body.attempts]).to.deep.equal([200, "pending", 1]);
    await arrived(path, 2);
    expect(new Set(world.receiver.at(path).map(({ id }) => id)).size).to.equal(1);
    await world.reach(tenant, "delivered", 1);
    expect((await world.deliveries(tenant)).map(({ attempts }) => attempts)).to.deep.equal([2]);
  });

  it("shows one delivery with the body that was sent and every attempt, those of a replay added", async () => {
    const { path, id: endpoint } = await world.endpoint(tenant);
    world.receiver.fail({ kind: "reply", status: 500, body: "not now" });
    await tenant.company({ name: "Één bedrijf" });
    await until(async () => (await world.deliveries(tenant))[0]?.["attempts"] === 1);
    await world.due(endpoint);
    await world.reach(tenant, "delivered", 1);
    const [listed] = await world.deliveries(tenant);
    const one = `${DELIVERIES}/${listed?.["id"]}`;
    const read = async () => (await tenant.owner.get(one)).body;
    const { message_id, request_body, attempt_log, ...shown } = await read();
    expect(shown).to.deep.equal(listed);
    expect([message_id, request_body]).to.deep.equal([
      world.receiver.received[0]?.headers["webhook-id"],
      world.receiver.received[0]?.body,
    ]);
    const answers = (log: Record<string, unknown>[]) =>
      log.map(({ response_status, response_body, error }) => [response_status, response_body, error]);
    const first = [500, "not now", null];
    const taken = [200, '{"taken":true}', null];
    expect(answers(attempt_log)).to.deep.equal([first, taken]);
    expect(Date.parse(attempt_log[1].at)).to.equal(Date.parse(shown.last_attempt_at));
    world.receiver.fail({ kind: "drop" });
    await tenant.owner.post(`${one}/replay`);
    await until(async () => (await read()).attempts === 3);
    const again = await read();
    expect(again.attempt_log.slice(0, 2)).to.deep.equal(attempt_log);
    expect(again.attempt_log[2]).to.deep.include({ response_status: null, response_body: null });
    expect(Date.parse(again.next_attempt_at) - Date.parse(again.last_attempt_at), "as after a first attempt").to.equal(5000);
    expect(world.receiver.at(path)).to.have.length.at.least(1);
    expect((await (await world.service.tenant()).owner.get(one)).status).to.equal(404);
  });

  it("stays listed when its endpoint is removed; what waited has failed, and nothing is sent again", async () => {
    const { id, path } = await world.endpoint(tenant);
    await tenant.company({ name: "Sent" });
    await world.reach(tenant, "delivered", 1);
    world.receiver.failWhen((one) => one.path === path, { kind: "reply", status: 503 });
    await tenant.company({ name: "Waits" });
    await until(async () =>
      (await world.deliveries(tenant)).some(({ status, attempts }) => status === "pending" && attempts === 1),
    );
    expect((await tenant.owner.delete(`${ENDPOINTS}/${id}`)).status).to.equal(204);
    const left = await world.deliveries(tenant);
    const removed = "errors.webhook_endpoint_removed";
    expect(left.map(({ status, error, next_attempt_at }) => [status, error, next_attempt_at])).to.deep.equal([
      ["delivered", null, null],
      ["failed", removed, null],
    ]);
    const replayed = await tenant.owner.post(`${DELIVERIES}/${left[0]?.["id"]}/replay`);
    expect([replayed.status, replayed.body.error.message]).to.deep.equal([409, removed]);
  });

  it("can be listed by endpoint, status and event", async () => {
    const [one, two] = [await world.endpoint(tenant), await world.endpoint(tenant, { events: ["company.created"] })];
    const { id } = await tenant.company({ status: "lead" });
    await tenant.owner.patch(`/companies/${id}`, { status: "active" });
    await world.reach(tenant, "delivered", 3);
    const count = async (filters: string) => (await world.deliveries(tenant, filters)).length;
    expect(await count(`&endpoint_id=${one.id}`)).to.equal(2);
    expect(await count(`&endpoint_id=${two.id}`)).to.equal(1);
    expect(await count("&event=company.created")).to.equal(2);
    expect(await count(`&event=company.created&endpoint_id=${one.id}&status=delivered`)).to.equal(1);
    expect(await count("&status=pending")).to.equal(0);
    expect((await tenant.owner.get(`${DELIVERIES}?status=lost`)).status).to.equal(422);
  });
});
