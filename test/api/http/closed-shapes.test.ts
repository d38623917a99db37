import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

/** A body with an unknown key in a closed shape: the key, and the nearest one that the shape has. */
type Case = readonly [what: string, method: "post" | "put" | "patch", path: string, body: object, key: string, nearest: string];

const task = (recurrence: object) => ({ title: "Closed", recurrence });
const template = (config: object) => ({ name: "Closed", config });

describe("an unknown key of a closed shape (conventions §9)", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const preferences = "/notifications/preferences";
  const cases: Case[] = [
    ["a recurrence", "post", "/tasks", task({ freq: "weekly", onWeekday: 1 }), "onWeekday", "on_weekday"],
    [
      "the plan of a recurrence",
      "post",
      "/tasks",
      task({ freq: "daily", plan: { start_time: "09:00", duration_minutes: 30, user: null } }),
      "user",
      "user_id",
    ],
    [
      "a template's config",
      "post",
      "/invoicing/templates",
      template({ accent_colour: "#1f6feb" }),
      "accent_colour",
      "accent_color",
    ],
    ["its columns", "post", "/invoicing/templates", template({ columns: { price: true } }), "price", "unit_price"],
    ["its blocks", "post", "/invoicing/templates", template({ layout: [{ key: "meta", enable: false }] }), "enable", "enabled"],
    ["preferences", "put", preferences, { generals: {} }, "generals", "general"],
    [
      "general preferences",
      "put",
      preferences,
      { general: { quiet_hour_start: "22:00" } },
      "quiet_hour_start",
      "quiet_hours_start",
    ],
    [
      "an event of preferences",
      "put",
      preferences,
      { events: [{ event_type: "task.overdue", enable: false }] },
      "enable",
      "enabled",
    ],
    ["a schedule of preferences", "put", preferences, { push: { digest_day: 1 } }, "digest_day", "digest_time"],
    ["default preferences", "put", `${preferences}/defaults`, { email: { weekday: 1 } }, "weekday", "digest_weekday"],
  ];
  for (const [what, method, path, body, key, nearest] of cases)
    it(`of ${what} is 422, with the nearest it has`, async () => {
      const { status, body: answer, text } = await tenant.owner[method](path, body);
      expect(status, text).to.equal(422);
      expect(answer.error.fields).to.deep.equal({ [key]: "errors.validation" });
      expect(answer.error.details).to.deep.equal({ [key]: nearest });
    });

  it("changes nothing", async () => {
    const before = (await tenant.owner.put(preferences, { general: { due_soon_days: 2 } })).body;
    expect((await tenant.owner.put(preferences, { general: { due_soon_days: 4, days: 1 } })).status).to.equal(422);
    expect((await tenant.owner.get(preferences)).body).to.deep.equal(before);
  });

  it("ignores in preferences what a read shows in addition, so that they can be sent back", async () => {
    const { events, general, email, push } = (await tenant.owner.get(preferences)).body;
    expect(Object.keys(events[0])).to.include.members(["source", "email_digest", "push_source"]);
    const answered = await tenant.owner.put(preferences, { events, general, email, push });
    expect(answered.status, answered.text).to.equal(200);
  });

  it("is ignored in a shape that is open, as before", async () => {
    const { status, body } = await tenant.owner.post("/companies", { name: "Open", naam: "x" });
    expect(status).to.equal(201);
    expect(body).to.not.have.property("naam");
    expect((await tenant.owner.put("/prefs", { prefs: { anything: 1 } })).status).to.equal(200);
  });

  it("is named up to a bound, and one without end has no neighbour", async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`x${at}`, 1]));
    const { details } = (await tenant.owner.put(preferences, many)).body.error;
    expect(Object.keys(details)).to.have.length(20);
    const long = await tenant.owner.put(preferences, { ["x".repeat(8000)]: 1 });
    expect([long.status, long.body.error.details]).to.deep.equal([422, undefined]);
  });
});
