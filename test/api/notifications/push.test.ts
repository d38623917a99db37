import { expect } from "chai";
import { seal } from "../../../core/database/sealed.ts";
import { carryPushesBy } from "../../../core/providers/push/push.ts";
import { PushService } from "../../simulators/push-service.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { type Body, bodyOf } from "./inbox-records.ts";

const PATH = "/notifications/push";

describe("push to browsers (platform chapter §5.7)", () => {
  const push = new PushService();
  let service: TestService;
  let tenant: Tenant;
  let anna: Caller;
  let restore: () => void;
  before(async () => {
    await push.start();
    service = await sharedService();
    restore = carryPushesBy(push.carry);
  });
  beforeEach(async () => {
    push.reset();
    tenant = await service.tenant();
    anna = await tenant.member("member");
  });
  afterEach(() => expect(push.complaints).to.deep.equal([]));
  after(async () => {
    restore();
    await service.stop();
    await push.stop();
  });

  const register = (who: Caller, device: object, more: object = {}) => who.post(`${PATH}/subscriptions`, { ...device, ...more });
  const listed = async (who: Caller, endpoint = ""): Promise<Body[]> =>
    bodyOf(await who.get(`${PATH}/subscriptions${endpoint && `?endpoint=${encodeURIComponent(endpoint)}`}`));

  it("has one key pair per organisation, created at first use and never replaced", async () => {
    const answers = await Promise.all([anna, tenant.owner, anna].map((who) => who.get(`${PATH}/config`)));
    const keys = answers.map((answer) => bodyOf(answer).vapid_public_key);
    expect(new Set(keys).size).to.equal(1);
    expect(Buffer.from(keys[0], "base64url")).to.have.length(65);
    const other = bodyOf(await (await service.tenant()).owner.get(`${PATH}/config`));
    expect(other.vapid_public_key).to.not.equal(keys[0]);
    expect(other.supported).to.equal(true);
    const { rows } = await service.sql.query("select * from notification_push_keys where organisation_id = $1", [
      tenant.organisation.id,
    ]);
    expect(rows).to.have.length(1);
    expect(rows[0].private_key).to.match(/^v1\./);
  });

  it("registers a browser once, refreshes it, and moves it to the next person who signs in there", async () => {
    const { subscription } = push.browser();
    const first = await register(anna, subscription, { user_agent: "Browser 1" });
    expect([first.status, Object.keys(first.body).toSorted()]).to.deep.equal([
      201,
      ["created_at", "current", "id", "last_seen_at", "last_success_at", "user_agent"],
    ]);
    expect((await register(anna, subscription, { user_agent: "  " })).body.user_agent).to.equal(null);
    const again = await register(anna, subscription, { user_agent: "Browser 2" });
    expect([again.status, again.body.id, again.body.user_agent]).to.deep.equal([201, first.body.id, "Browser 2"]);
    await register(anna, push.browser().subscription);
    const mine = await listed(anna, subscription.endpoint);
    expect(mine.map(({ current }) => current)).to.deep.equal([false, true]);
    expect((await listed(anna)).map(({ current }) => current)).to.deep.equal([false, false]);
    expect(JSON.stringify(mine)).to.not.match(/8\.8\.8\.8/);
    const ben = await tenant.member("member");
    expect((await register(ben, subscription)).body.id).to.equal(first.body.id);
    expect([(await listed(anna)).length, (await listed(ben)).length]).to.deep.equal([1, 1]);
    const { rows } = await service.sql.query(
      "select endpoint, p256dh, auth from notification_push_devices where organisation_id = $1",
      [tenant.organisation.id],
    );
    expect(rows.flatMap(Object.values).every((value) => String(value).startsWith("v1."))).to.equal(true);
  });

  it("registers a browser once for concurrent requests", async () => {
    const { subscription } = push.browser();
    const answers = await Promise.all(Array.from({ length: 5 }, () => register(anna, subscription)));
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201, 201, 201]);
    expect(await listed(anna)).to.have.length(1);
  });

  for (const endpoint of [
    "http://8.8.8.8/push/x",
    "https://127.0.0.1/x",
    "https://[::1]/x",
    "https://10.1.1.1/x",
    "not an address",
  ])
    it(`refuses ${endpoint}`, async () => {
      const { status, body } = await register(anna, { ...push.browser().subscription, endpoint });
      expect([status, body.error.code, body.error.message]).to.deep.equal([
        422,
        "invalid_endpoint",
        "errors.push_endpoint_blocked",
      ]);
    });

  it("forgets a browser only for its own person", async () => {
    const { subscription } = push.browser();
    const { body } = await register(anna, subscription);
    const ben = await tenant.member("member");
    expect((await ben.delete(`${PATH}/subscriptions/${body.id}`)).status).to.equal(404);
    expect((await ben.post(`${PATH}/unsubscribe`, { endpoint: subscription.endpoint })).status).to.equal(204);
    expect(await listed(anna)).to.have.length(1);
    expect((await anna.delete(`${PATH}/subscriptions/${body.id}`)).status).to.equal(204);
    await register(anna, subscription);
    for (const _time of [1, 2])
      expect((await anna.post(`${PATH}/unsubscribe`, { endpoint: subscription.endpoint })).status).to.equal(204);
    expect(await listed(anna)).to.deep.equal([]);
  });

  it("tests each browser: its own keys decrypt the message, and an expired browser is forgotten", async () => {
    const none = bodyOf(await anna.post(`${PATH}/test`));
    expect([none.ok, none.delivered]).to.deep.equal([false, 0]);
    expect(none.error).to.be.a("string").and.not.equal("");
    const [one, two, three] = [push.browser(), push.browser(), push.browser()];
    for (const { subscription } of [one, two, three]) await register(anna, subscription);
    push.gone.set(new URL(two.endpoint).pathname, 410);
    push.gone.set(new URL(three.endpoint).pathname, 404);
    expect(bodyOf(await anna.post(`${PATH}/test`))).to.deep.equal({ ok: true, delivered: 1, error: null });
    expect(one.messages).to.have.length(1);
    expect(one.messages[0]).to.have.all.keys("title", "body", "url", "count");
    const left = await listed(anna);
    expect(left).to.have.length(1);
    expect(left[0].last_success_at).to.be.a("string");
    push.fail({ kind: "reply", status: 403, body: "invalid key" });
    expect(bodyOf(await anna.post(`${PATH}/test`))).to.deep.equal({ ok: false, delivered: 0, error: "HTTP 403: invalid key" });
  });

  it("calls only public addresses, checked at each push", async () => {
    const { body } = await register(anna, push.browser().subscription);
    const place = { table: "notification_push_devices", column: "endpoint", organisation: tenant.organisation.id, row: body.id };
    const move = (endpoint: string) =>
      service.sql.query("update notification_push_devices set endpoint = $1 where id = $2", [seal(endpoint, place), body.id]);
    restore();
    try {
      const refused: [endpoint: string, error: RegExp][] = [
        [`${push.origin.replace("http:", "https:")}/x`, /public/],
        ["https://10.1.1.1/x", /public/],
        [`${push.origin}/x`, /https/],
      ];
      for (const [endpoint, said] of refused) {
        await move(endpoint);
        const { ok, error } = bodyOf(await anna.post(`${PATH}/test`));
        expect(ok, endpoint).to.equal(false);
        expect(error, endpoint).to.match(said);
      }
    } finally {
      restore = carryPushesBy(push.carry);
    }
    expect(push.received).to.deep.equal([]);
    expect(await listed(anna), "the device is kept").to.have.length(1);
  });

  it("keeps a browser whose address cannot be unsealed, and does not count it", async () => {
    const { body } = await register(anna, push.browser().subscription);
    await service.sql.query("update notification_push_devices set endpoint = 'v1.00000000.x' where id = $1", [body.id]);
    expect(bodyOf(await anna.post(`${PATH}/test`))).to.deep.equal({
      ok: false,
      delivered: 0,
      error: "errors.push_no_device",
    });
    expect(await listed(anna)).to.have.length(1);
  });

  it("refuses keys that cannot encrypt a message, and accepts either alphabet of base64", async () => {
    const { subscription } = push.browser();
    const key = Buffer.from(subscription.p256dh, "base64url");
    const offCurve = Buffer.from(key.map((octet, at) => (at === key.length - 1 ? octet ^ 1 : octet)));
    const wrong = [
      ...["c2hvcnQ", "x".repeat(87), "not base64!", `${subscription.p256dh}AAAA`],
      ...[offCurve, Buffer.concat([Buffer.from([3]), key.subarray(1)]), key.subarray(1)].map((octets) =>
        octets.toString("base64url"),
      ),
    ];
    for (const p256dh of wrong) {
      const { status, body } = await register(anna, { ...subscription, p256dh });
      expect([status, body.error.fields], p256dh).to.deep.equal([422, { p256dh: "errors.validation" }]);
    }
    for (const auth of ["c2hvcnQ", "x".repeat(24), "not base64, but 22"]) {
      const { status, body } = await register(anna, { ...subscription, auth });
      expect([status, body.error.fields], auth).to.deep.equal([422, { auth: "errors.validation" }]);
    }
    const padded = { p256dh: key.toString("base64"), auth: Buffer.from(subscription.auth, "base64url").toString("base64") };
    expect((await register(anna, { ...subscription, ...padded })).status).to.equal(201);
    expect(bodyOf(await anna.post(`${PATH}/test`))).to.include({ ok: true, delivered: 1 });
  });

  it("reports invalid stored keys without their value", async () => {
    const { body } = await register(anna, push.browser().subscription);
    const place = { table: "notification_push_devices", column: "p256dh", organisation: tenant.organisation.id, row: body.id };
    await service.sql.query("update notification_push_devices set p256dh = $1 where id = $2", [seal("c2hvcnQ", place), body.id]);
    const { ok, delivered, error } = bodyOf(await anna.post(`${PATH}/test`));
    expect([ok, delivered]).to.deep.equal([false, 0]);
    expect(error)
      .to.match(/p256dh/)
      .and.not.match(/c2hvcnQ/);
  });
});
