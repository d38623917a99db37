import { expect } from "chai";
import { todayIn } from "../../../core/calendar/calendar.ts";
import { BUILT_IN, nextRunOn } from "../../../services/reporting/schedule/schedule.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { NOT_FOUND, ok, type Row, refused } from "./reporting-world.ts";

const TEXTS = [
  "business_context",
  "goals",
  "seo_focus",
  "sea_focus",
  "key_services",
  "priority_pages",
  "conversion_goals",
  "scope_notes",
  "avoid_topics",
];
const NO_ID = "00000000-0000-0000-0000-000000000000";
const NOBODY = "0196a000-0000-7000-8000-000000000000";

describe("the profile of a client's reports (workspace-reporting §1.4)", () => {
  let service: TestService;
  let tenant: Tenant;
  let company: Row;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    company = await tenant.company();
  });
  after(() => service.stop());

  const path = (id = company["id"]) => `/reporting/companies/${id}/profile`;
  const get = (caller: Caller = tenant.owner) => caller.get(path());
  const put = (body: object, caller: Caller = tenant.owner) => caller.put(path(), body);
  const enable = (modules: readonly string[]) =>
    service.sql.query("update organisations set enabled_modules = $2 where id = $1", [tenant.organisation.id, modules]);
  const today = () => todayIn(tenant.organisation.timezone, new Date().toISOString(), "Europe/Amsterdam");
  const contactOf = async (companyId: string) => {
    const contact = await ok(tenant.owner.post("/contacts", { first_name: "Noor" }));
    await ok(tenant.owner.post(`/contacts/${contact["id"]}/links`, { company_id: companyId }));
    return contact["id"] as string;
  };

  it("is inherited until it is saved: 200 with an id of zeros, and nothing is stored", async () => {
    await enable(["marketing", "reporting"]);
    await ok(tenant.owner.put("/reporting/settings", { default_locale: "en", schedule: { hour: 6 } }));
    const schedule = { ...BUILT_IN, hour: 6 };
    const profile = await ok(get());
    expect(profile).to.deep.include({
      id: NO_ID,
      company_id: company["id"],
      display_name: null,
      tone_id: null,
      locale: "en",
      goals: null,
      recipients: [],
      schedule: {},
      sections: {},
      internal_enabled: true,
      active: true,
      effective_schedule: schedule,
      next_run_on: nextRunOn(schedule, true, today()),
    });
    expect(Object.values(profile["effective_sections"])).to.deep.equal(Array.from({ length: 10 }, () => true));
    const { rows } = await service.sql.query("select 1 from report_profiles where organisation_id = $1", [
      tenant.organisation.id,
    ]);
    expect(rows).to.deep.equal([]);
  });

  it("is saved whole, and read as it was saved", async () => {
    const [tone, template, internal] = [
      await ok(tenant.owner.post("/reporting/tones", { name: "t" })),
      await ok(tenant.owner.post("/reporting/templates", { name: "c" })),
      await ok(tenant.owner.post("/reporting/templates", { name: "i", audience: "internal" })),
    ];
    const contact_id = await contactOf(company["id"]);
    const body = {
      display_name: "Zonneveld",
      tone_id: tone["id"],
      template_id: template["id"],
      internal_template_id: internal["id"],
      locale: "en",
      business_context: "b",
      goals: "g",
      seo_focus: "s",
      sea_focus: "a",
      key_services: "k",
      priority_pages: "p",
      conversion_goals: "c",
      scope_notes: "n",
      avoid_topics: "t",
      recipients: [
        { contact_id, email: null, name: null },
        { contact_id: null, email: "info@example.com", name: "Info" },
      ],
      schedule: { cadence: "quarterly", day_of_month: 12 },
      sections: { "marketing.social": false },
      internal_enabled: false,
      active: true,
    };
    const saved = await ok(put(body));
    expect(saved).to.deep.include(body);
    expect(saved["id"]).not.to.equal(NO_ID);
    expect(saved["effective_schedule"]).to.deep.equal({ ...BUILT_IN, cadence: "quarterly", day_of_month: 12 });
    expect(await ok(get())).to.deep.equal(saved);
    const emptied = await ok(put({}));
    expect(emptied).to.deep.include({
      id: saved["id"],
      display_name: null,
      tone_id: null,
      locale: "nl",
      recipients: [],
      schedule: {},
    });
  });

  it("has the schedule of the client before the organisation's, and no next run where it is off or inactive", async () => {
    await ok(tenant.owner.put("/reporting/settings", { schedule: { cadence: "quarterly", hour: 6, day_of_month: 9 } }));
    const own = await ok(put({ schedule: { day_of_month: 3, hour: null } }));
    const schedule = { ...BUILT_IN, cadence: "quarterly" as const, hour: 6, day_of_month: 3 };
    expect(own["effective_schedule"]).to.deep.equal(schedule);
    expect(own["schedule"]).to.deep.equal({ day_of_month: 3 });
    expect(own["next_run_on"]).to.equal(nextRunOn(schedule, true, today()));
    expect((await ok(put({ schedule: { cadence: "off" } })))["next_run_on"]).to.equal(null);
    expect((await ok(put({ active: false })))["next_run_on"]).to.equal(null);
  });

  it("has the sections of its template, and then of its own choice", async () => {
    await enable(["marketing", "reporting"]);
    const layout = { sections: ["marketing.social", "marketing.referral"].map((key) => ({ key, enabled: false })) };
    await ok(tenant.owner.post("/reporting/templates", { name: "default", layout }));
    const inside = { sections: [{ key: "marketing.site_audit", enabled: false }] };
    await ok(tenant.owner.post("/reporting/templates", { name: "inside", audience: "internal", layout: inside }));
    const off = (profile: Row) =>
      Object.entries(profile["effective_sections"]).flatMap(([key, isOn]) => (isOn ? [] : [key.slice("marketing.".length)]));
    expect(off(await ok(get()))).to.deep.equal(["referral", "social", "site_audit"]);
    const sections = { "marketing.social": true, "marketing.rankings": false, "marketing.site_audit": true, unknown: true };
    expect(off(await ok(put({ sections })))).to.deep.equal(["rankings", "referral"]);
  });

  it("has the sections of its own templates before those of the defaults", async () => {
    await enable(["marketing", "reporting"]);
    const template = async (audience: string, off: string) => {
      const layout = { sections: [{ key: off, enabled: false }] };
      return (await ok(tenant.owner.post("/reporting/templates", { name: off, audience, layout })))["id"];
    };
    await template("client", "marketing.social");
    await template("internal", "marketing.site_audit");
    const own = { template_id: await template("client", "marketing.rankings"), internal_template_id: null as string | null };
    const off = async (body: object) =>
      Object.entries((await ok(put(body)))["effective_sections"]).flatMap(([key, isOn]) => (isOn ? [] : [key]));
    expect(await off({})).to.deep.equal(["marketing.social", "marketing.site_audit"]);
    expect(await off(own)).to.deep.equal(["marketing.rankings", "marketing.site_audit"]);
    own.internal_template_id = await template("internal", "marketing.referral");
    expect(await off(own)).to.deep.equal(["marketing.rankings"]);
  });

  it("loses a tone or template that is deleted, and moves on", async () => {
    const tone = await ok(tenant.owner.post("/reporting/tones", { name: "t" }));
    await ok(tenant.owner.post("/reporting/tones", { name: "u" }));
    await ok(put({ tone_id: tone["id"] }));
    const before = await get();
    await tenant.owner.delete(`/reporting/tones/${tone["id"]}`);
    const after = await get();
    expect(after.body["tone_id"]).to.equal(null);
    expect(after.headers["etag"]).not.to.equal(before.headers["etag"]);
  });

  it("is one row per client, also where two save for the first time at once", async () => {
    const answers = await Promise.all(["a", "b", "c"].map((goals) => put({ goals })));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(1);
  });

  it("refuses a stale tag, that of a profile which was never saved included", async () => {
    const { headers } = await get();
    await ok(put({ goals: "a" }));
    const stale = await tenant.owner.put(path(), { goals: "b" }, { headers: { "If-Match": String(headers["etag"]) } });
    expect(refused(stale).slice(0, 2)).to.deep.equal([412, "precondition_failed"]);
  });

  it("answers 404 for records that the caller cannot see", async () => {
    const other = await service.tenant();
    const foreign = await ok(other.owner.post("/reporting/tones", { name: "theirs" }));
    const stranger = await contactOf((await tenant.company())["id"]);
    const rows: object[] = [
      { tone_id: foreign["id"] },
      { tone_id: NOBODY },
      { template_id: NOBODY },
      { internal_template_id: NOBODY },
      { recipients: [{ contact_id: NOBODY }] },
      // A contact of another client does not get this one's reports.
      { recipients: [{ contact_id: stranger }] },
    ];
    for (const body of rows) expect(refused(await put(body)), JSON.stringify(body)).to.deep.equal(NOT_FOUND);
    for (const id of [NOBODY, (await other.company())["id"] as string])
      for (const answer of [await tenant.owner.get(path(id)), await tenant.owner.put(path(id), {})])
        expect(refused(answer)).to.deep.equal(NOT_FOUND);
  });

  it("refuses values against the specification, and names the field", async () => {
    const inside = await ok(tenant.owner.post("/reporting/templates", { name: "i", audience: "internal" }));
    const rows: [body: object, field: string][] = [
      [{ display_name: "x".repeat(256) }, "display_name"],
      ...TEXTS.map((name): [body: object, field: string] => [{ [name]: "x".repeat(4001) }, name]),
      [{ locale: "qq" }, "locale"],
      // A language tag, but of 10 characters.
      [{ locale: "zh-Hant-TW" }, "locale"],
      [{ recipients: Array.from({ length: 51 }, () => ({ email: "a@example.com" })) }, "recipients"],
      [{ recipients: [{ name: "Nobody" }] }, "recipients"],
      [{ recipients: [{ email: "nonsense" }] }, "email"],
      [{ schedule: { hour: -1 } }, "hour"],
      [{ template_id: inside["id"] }, "template_id"],
      [{ sections: { x: "perhaps" } }, "x"],
    ];
    for (const [body, field] of rows) {
      const { status, body: answered } = await put(body);
      expect([status, Object.keys(answered.error?.fields ?? {})], JSON.stringify(body).slice(0, 60)).to.deep.equal([
        422,
        [field],
      ]);
    }
  });

  it("stores addresses of recipients in lower case (conventions §9)", async () => {
    const { recipients } = await ok(put({ recipients: [{ email: "Anna@Example.com" }] }));
    expect(recipients).to.deep.equal([{ contact_id: null, email: "anna@example.com", name: null }]);
  });

  it("takes texts and recipients up to their limits", async () => {
    const recipients = Array.from({ length: 50 }, (_, at) => ({ contact_id: null, email: `a${at}@example.com`, name: null }));
    const largest = {
      display_name: "x".repeat(255),
      locale: "yue-Hant",
      ...Object.fromEntries(TEXTS.map((name) => [name, "x".repeat(4000)])),
      recipients,
    };
    expect(await ok(put(largest))).to.deep.include(largest);
  });

  it("is seen by restricted staff for their own clients alone", async () => {
    const hidden = await tenant.company();
    const member = await tenant.member("member");
    await tenant.group("mine", [company["id"]], [member.membershipId]);
    expect((await put({ goals: "a" }, member)).status).to.equal(200);
    expect((await get(member)).body["goals"]).to.equal("a");
    for (const answer of [await member.get(path(hidden.id)), await member.put(path(hidden.id), { goals: "b" })])
      expect(refused(answer)).to.deep.equal(NOT_FOUND);
  });

  it("is not for client logins", async () => {
    const client = await tenant.member("client");
    for (const answer of [await get(client), await put({}, client)]) expect(answer.status).to.equal(403);
  });

  it("goes with its client", async () => {
    await ok(put({ goals: "a" }));
    expect((await tenant.owner.delete(`/companies/${company["id"]}`)).status).to.equal(204);
    const { rows } = await service.sql.query("select 1 from report_profiles where organisation_id = $1", [
      tenant.organisation.id,
    ]);
    expect(rows).to.deep.equal([]);
  });
});
