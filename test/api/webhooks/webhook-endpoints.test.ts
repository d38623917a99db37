import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { invalidOn, refusalOf } from "../clients/companies/company-records.ts";
import { DELIVERIES, ENDPOINTS } from "./webhook-world.ts";

const PUBLIC = "https://93.184.215.14/hook";
const values = { name: "Ledger", url: PUBLIC, events: ["company.created"] };

describe("/webhooks/endpoints", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const create = (sent: object = {}) => tenant.owner.post(ENDPOINTS, { ...values, ...sent });

  it("shows the secret when an endpoint is created, and never again", async () => {
    const { status, body } = await create();
    expect(status).to.equal(201);
    const { id, secret, created_at, updated_at, ...rest } = body;
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rest).to.deep.equal({
      ...values,
      enabled: true,
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      last_success_at: null,
      previous_secret_until: null,
    });
    const one = await tenant.owner.get(`${ENDPOINTS}/${id}`);
    expect(one.body).to.deep.equal({ id, created_at, updated_at, ...rest });
    const list = await tenant.owner.get(ENDPOINTS);
    expect(list.body.items).to.deep.equal([one.body]);
    const { rows } = await service.sql.query("select * from webhook_endpoints where id = $1", [id]);
    for (const text of [one.text, list.text, JSON.stringify(rows)]) expect(text).not.to.include(secret.slice(6));
  });

  const refused: [what: string, sent: object, fields: Record<string, string>][] = [
    [
      "an event that is not declared",
      { events: ["company.created", "company.sneezed"] },
      { events: "errors.webhook_unknown_event" },
    ],
    ["a name of every object", { events: ["constructor"] }, { events: "errors.webhook_unknown_event" }],
    ["no event at all", { events: [] }, { events: "errors.validation" }],
    ["no name", { name: "" }, { name: "errors.validation" }],
    ["what is no address", { url: "ledger" }, { url: "errors.invalid_url" }],
    ["another scheme", { url: "ftp://93.184.215.14/" }, { url: "errors.invalid_url" }],
    ["a password in the address", { url: "https://me:it@93.184.215.14/" }, { url: "errors.invalid_url" }],
    ["the machine itself", { url: "http://127.0.0.1/" }, { url: "errors.webhook_private_target" }],
    ["the own network", { url: "http://10.1.2.3/" }, { url: "errors.webhook_private_target" }],
    ["an address that hides in a number", { url: "http://2130706433/" }, { url: "errors.webhook_private_target" }],
    ["the credentials of the machine", { url: "http://169.254.169.254/latest" }, { url: "errors.webhook_private_target" }],
  ];
  for (const [what, sent, fields] of refused)
    it(`refuses ${what}, when created and when changed`, async () => {
      expect(refusalOf(await create(sent))).to.deep.equal(invalidOn(fields));
      expect((await tenant.owner.get(ENDPOINTS)).body.items).to.deep.equal([]);
      const { body } = await create();
      expect(refusalOf(await tenant.owner.patch(`${ENDPOINTS}/${body.id}`, sent))).to.deep.equal(invalidOn(fields));
      expect((await tenant.owner.get(`${ENDPOINTS}/${body.id}`)).body).to.deep.include(values);
    });

  it("takes each event once", async () => {
    const { body } = await create({ events: ["company.created", "company.assigned", "company.created"] });
    expect(body.events).to.deep.equal(["company.created", "company.assigned"]);
  });

  it("changes the sent fields only", async () => {
    const { body } = await create();
    const path = `${ENDPOINTS}/${body.id}`;
    const changed = await tenant.owner.patch(path, { events: ["company.assigned"], enabled: false });
    expect(changed.status).to.equal(200);
    expect(changed.body).to.deep.include({ ...values, events: ["company.assigned"], enabled: false, disabled_reason: null });
    expect((await tenant.owner.patch(path, {})).body).to.deep.equal(changed.body);
  });

  it("records in the trail who made, changed and removed one, without its address and secret", async () => {
    const { body } = await create({ url: `${PUBLIC}?token=hush` });
    await tenant.owner.patch(`${ENDPOINTS}/${body.id}`, { name: "Books", url: `${PUBLIC}?token=hushhush` });
    await tenant.owner.post(`${ENDPOINTS}/${body.id}/rotate`);
    await tenant.owner.delete(`${ENDPOINTS}/${body.id}`);
    const { rows } = await service.sql.query(
      "select action, payload from activity where entity_id = $1 order by created_at, id",
      [body.id],
    );
    expect(rows).to.deep.equal([
      { action: "created", payload: { name: "Ledger" } },
      { action: "updated", payload: { name: "Ledger", changes: { name: { from: "Ledger", to: "Books" } } } },
      { action: "secret_rotated", payload: {} },
      { action: "deleted", payload: { name: "Books" } },
    ]);
  });

  it("gives a new secret on rotation and keeps the old one for a day", async () => {
    const { body } = await create();
    const before = Date.now();
    const rotated = await tenant.owner.post(`${ENDPOINTS}/${body.id}/rotate`);
    expect(rotated.status).to.equal(200);
    expect(rotated.body.secret)
      .to.match(/^whsec_/)
      .and.not.equal(body.secret);
    const until = Date.parse(rotated.body.previous_secret_until);
    expect(until).to.be.within(before + 24 * 3_600_000 - 1000, Date.now() + 24 * 3_600_000);
  });

  it("lists the events that can be chosen", async () => {
    const { body } = await tenant.owner.get("/webhooks/events");
    const names = body.map(({ name }: { name: string }) => name);
    expect(names).to.include.members(["company.created", "task.created", "invoice.paid"]);
    expect(names).to.deep.equal(names.toSorted());
    expect((await create({ events: names })).status).to.equal(201);
  });

  it("is for administrators who see every client", async () => {
    const { body } = await create();
    const company = await tenant.company();
    const [admin, member, restricted] = [
      await tenant.member("admin"),
      await tenant.member("member"),
      await tenant.member("admin"),
    ];
    await tenant.group("Restricted", [company.id], [restricted.membershipId]);
    const one = `${ENDPOINTS}/${body.id}`;
    expect((await admin.get(ENDPOINTS)).status).to.equal(200);
    expect((await admin.post(ENDPOINTS, values)).status).to.equal(201);
    for (const caller of [member, restricted]) {
      const answers = [
        await caller.get(ENDPOINTS),
        await caller.get(one),
        await caller.post(ENDPOINTS, values),
        await caller.patch(one, { name: "Mine" }),
        await caller.post(`${one}/rotate`),
        await caller.post(`${one}/ping`),
        await caller.delete(one),
        await caller.get(DELIVERIES),
        await caller.get("/webhooks/events"),
      ];
      expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 403));
    }
    expect((await tenant.owner.get(one)).body.name).to.equal("Ledger");
  });
});
