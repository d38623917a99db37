import { expect } from "chai";
import { BUILT_IN } from "../../../services/reporting/schedule/schedule.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { ok, refused } from "./reporting-world.ts";

describe("settings of reports (workspace-reporting §1.4)", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const read = () => ok(tenant.owner.get("/reporting/settings"));
  const put = (body: object) => tenant.owner.put("/reporting/settings", body);

  it("are the built-in ones until they are saved, and no read stores any", async () => {
    expect(await read()).to.deep.equal({ default_locale: "nl", footer_text: null, schedule: BUILT_IN });
    const { rows } = await service.sql.query("select 1 from reporting_settings where organisation_id = $1", [
      tenant.organisation.id,
    ]);
    expect(rows).to.deep.equal([]);
  });

  it("store the keys that are sent and answer the schedule in force", async () => {
    const saved = await ok(
      put({ default_locale: "en", footer_text: "Bye", schedule: { cadence: "quarterly", hour: 0, compare: null } }),
    );
    expect(saved).to.deep.equal({
      default_locale: "en",
      footer_text: "Bye",
      schedule: { ...BUILT_IN, cadence: "quarterly", hour: 0 },
    });
    expect(await read()).to.deep.equal(saved);
    const { rows } = await service.sql.query("select schedule from reporting_settings where organisation_id = $1", [
      tenant.organisation.id,
    ]);
    expect(rows).to.deep.equal([{ schedule: { cadence: "quarterly", hour: 0 } }]);
  });

  it("are replaced whole: an omitted key is built in again", async () => {
    await ok(put({ default_locale: "en", footer_text: "Bye", schedule: { cadence: "off", publish_to_portal: false } }));
    expect((await ok(put({ schedule: { hour: 7 } })))["schedule"]).to.deep.equal({ ...BUILT_IN, hour: 7 });
    expect(await ok(put({}))).to.deep.equal({ default_locale: "nl", footer_text: null, schedule: BUILT_IN });
  });

  it("are one row, also where two save for the first time at once", async () => {
    const answers = await Promise.all(["a", "b", "c"].map((footer_text) => put({ footer_text })));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    const { rows } = await service.sql.query("select 1 from reporting_settings where organisation_id = $1", [
      tenant.organisation.id,
    ]);
    expect(rows).to.have.length(1);
  });

  it("refuse values against the specification, and name the field", async () => {
    const rows: [body: object, field: string][] = [
      [{ default_locale: "nonsense" }, "default_locale"],
      [{ default_locale: "xx-klingon" }, "default_locale"],
      [{ default_locale: "qq" }, "default_locale"],
      // A language tag, but of 10 characters.
      [{ default_locale: "zh-Hant-TW" }, "default_locale"],
      [{ footer_text: "x".repeat(2001) }, "footer_text"],
      [{ schedule: { cadence: "weekly" } }, "cadence"],
      [{ schedule: { day_of_month: 29 } }, "day_of_month"],
      [{ schedule: { day_of_month: 0 } }, "day_of_month"],
      [{ schedule: { hour: 24 } }, "hour"],
      [{ schedule: { compare: "week" } }, "compare"],
      [{ schedule: { delivery: "never" } }, "delivery"],
      [{ schedule: { publish_to_portal: "maybe" } }, "publish_to_portal"],
    ];
    for (const [body, field] of rows) {
      const { status, body: answered } = await put(body);
      expect([status, Object.keys(answered.error?.fields ?? {})], JSON.stringify(body).slice(0, 60)).to.deep.equal([
        422,
        [field],
      ]);
    }
  });

  it("take the first and the last value of each range", async () => {
    for (const [day_of_month, hour] of [
      [1, 0],
      [28, 23],
    ])
      expect((await ok(put({ schedule: { day_of_month, hour } })))["schedule"]).to.include({ day_of_month, hour });
    const largest = { default_locale: "yue-Hant", footer_text: "x".repeat(2000) };
    expect(await ok(put(largest))).to.include(largest);
  });

  it("are read by one who manages profiles", async () => {
    const reader = await tenant.member("member", { grants: ["reporting.profile.manage"] });
    expect((await reader.get("/reporting/settings")).status).to.equal(200);
    const nobody = await tenant.member("member", { grants: ["companies.company.read"] });
    expect(refused(await nobody.get("/reporting/settings"))[0]).to.equal(403);
  });
});
