import { expect } from "chai";
import type { GatherSection } from "../../../core/declare/report-sections.ts";
import { eventsAbout, recordEvents } from "../../support/answers.ts";
import { MailWorld } from "../../support/mail/mail-world.ts";
import { codesOf, enableReporting, ended, made, restoreFigures, visits, withFigures } from "./report-world.ts";
import { ok, type Row } from "./reporting-world.ts";

const fails: GatherSection = async () => {
  throw new Error("the provider is down");
};

describe("reports that leave by their schedule (workspace-reporting §1.5)", function () {
  this.timeout(120_000);
  const world = new MailWorld();
  const { mailbox } = world;
  let company: Row;
  before(async () => {
    await world.start();
    await recordEvents(world.service);
  });
  after(() => world.stop());
  beforeEach(async () => {
    await world.renew();
    await enableReporting(world.service, world.tenant);
    company = await world.tenant.company({ name: "Vela" });
    const recipients = [{ email: "anna@vela.test" }, { email: "bram@vela.test" }];
    await profile({ recipients, schedule: { delivery: "auto" } });
  });
  afterEach(restoreFigures);

  const profile = (values: object) => ok(world.tenant.owner.put(`/reporting/companies/${company["id"]}/profile`, values));
  const run = (more: object = {}) =>
    made(world.service, world.tenant.owner, {
      company_id: company["id"],
      period_start: "2026-01-01",
      period_end: "2026-01-31",
      ...more,
    });
  const star = async () => {
    const iris = await world.tenant.member("member", { name: "Iris" });
    await ok(world.tenant.owner.patch(`/companies/${company["id"]}`, { responsible_user_id: iris.accountId }));
    return async (): Promise<Row[]> =>
      (await ok(iris.get("/notifications?limit=200")))["items"].filter(({ event_type }: Row) => event_type.startsWith("report."));
  };
  const reported = async (id: string) => (await eventsAbout(world.service, id)).map(({ event }) => event);

  it("are mailed once each, with the document of the run", async () => {
    withFigures({ "marketing.traffic_channels": async () => visits(120) });
    const notified = await star();
    const report = await run();
    expect([report["status"], codesOf(report).includes("send_failed")]).to.deep.equal(["sent", false]);
    expect(report["sent_to"].map(({ email, delivery }: Row) => [email, delivery])).to.deep.equal([
      ["anna@vela.test", "sent"],
      ["bram@vela.test", "sent"],
    ]);
    expect(mailbox.delivered.map(({ to }) => to)).to.deep.equal([["anna@vela.test"], ["bram@vela.test"]]);
    const [{ mail } = { mail: undefined }] = mailbox.delivered;
    expect(mail?.subject).to.equal("Rapportage januari 2026 voor Vela");
    expect(mail?.attachments[0]?.filename).to.match(/^Rapportage januari 2026.*Vela\.pdf$/);
    expect(await reported(report["id"])).to.deep.equal(["report.published", "report.sent", "report.ready"]);
    expect(await notified()).to.deep.equal([]);
  });

  it("wait for a person where the schedule says review, and are internal to the agency whatever it says", async () => {
    withFigures({ "marketing.traffic_channels": async () => visits(120) });
    const internal = await run({ audience: "internal" });
    const recipients = [{ email: "anna@vela.test" }];
    await profile({ recipients, schedule: { delivery: "review" } });
    const reviewed = await run();
    for (const report of [internal, reviewed])
      expect([report["status"], report["sent_at"], report["sent_to"], codesOf(report)]).to.deep.equal([
        "ready",
        null,
        [],
        ["ai_unavailable"],
      ]);
    expect(mailbox.delivered).to.deep.equal([]);
    expect(await reported(internal["id"])).to.deep.equal(["report.ready"]);
    expect(await reported(reviewed["id"])).to.deep.equal(["report.published", "report.ready"]);
  });

  it("are mailed by their schedule once: the correction of a sent report waits for a person", async () => {
    withFigures({ "marketing.traffic_channels": async () => visits(120) });
    const first = await run();
    withFigures({ "marketing.traffic_channels": async () => visits(77) });
    const { id } = await ok(world.tenant.owner.post(`/reporting/reports/${first["id"]}/revise`));
    const again = await ended(world.service, world.tenant.owner, id);
    expect([again["status"], again["sent_at"], again["published_at"]]).to.deep.equal(["ready", null, null]);
    expect(mailbox.delivered).to.have.length(2);
    const sent = await ok(world.tenant.owner.post(`/reporting/reports/${again["id"]}/send`, {}));
    expect([sent["status"], mailbox.delivered.length]).to.deep.equal(["sent", 4]);
  });

  it("stay ready where a section failed, and the client's responsible person is notified", async () => {
    withFigures({ "marketing.traffic_channels": async () => visits(120), "ads.performance": fails });
    const notified = await star();
    const report = await run();
    expect([report["status"], report["sent_at"]]).to.deep.equal(["ready", null]);
    expect(mailbox.delivered).to.deep.equal([]);
    const [about, ...more] = await notified();
    expect(more).to.deep.equal([]);
    expect(about).to.include({ event_type: "report.held", entity_id: report["id"] });
    expect(about?.["payload"]).to.include({ reason: "reporting.warning.section_failed" });
  });

  it("stay ready if their mail is not accepted, and are sent by hand to those who have none", async () => {
    withFigures({ "marketing.traffic_channels": async () => visits(120) });
    mailbox.fail({ at: "data", code: 451, text: "not now" });
    const report = await run();
    expect([report["status"], codesOf(report).includes("send_failed")]).to.deep.equal(["ready", true]);
    await ok(world.tenant.owner.post(`/reporting/reports/${report["id"]}/send`, {}));
    expect(mailbox.delivered.map(({ to }) => to)).to.deep.equal([["anna@vela.test"], ["bram@vela.test"]]);
  });

  it("notify the responsible person once of each run that failed", async () => {
    withFigures({ "marketing.traffic_channels": fails });
    const notified = await star();
    const report = await run();
    expect(report["status"]).to.equal("failed");
    expect((await notified()).map(({ payload }) => payload.reason)).to.deep.equal(["reporting.warning.no_data"]);
    await run();
    expect(await reported(report["id"])).to.deep.equal(["report.failed", "report.failed"]);
  });
});
