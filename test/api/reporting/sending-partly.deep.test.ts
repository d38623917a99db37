import { expect } from "chai";
import type { Answer } from "../../support/http.ts";
import { until } from "../../support/jobs.ts";
import { MailWorld } from "../../support/mail/mail-world.ts";
import { waitingFor } from "../../support/waiting.ts";
import { MadeReports } from "./made-reports.ts";
import { BATCH, GENERATE, reportsMade } from "./report-world.ts";
import { ok, type Row, refused } from "./reporting-world.ts";

const A = { email: "anna@vela.test" };
const B = { email: "bram@vela.test" };
const ALREADY_SENT = [409, "conflict", "errors.reporting.already_sent"];
const SEPTEMBER = { period_start: "2026-09-01", period_end: "2026-09-30", refresh_data: true };
const SECTION = "marketing.traffic_channels";

describe("a report that some recipients have (workspace-reporting §1.5)", () => {
  const world = new MailWorld();
  const { mailbox } = world;
  let reports: MadeReports;
  let id: string;
  let company: string;
  before(() => world.start());
  after(() => world.stop());
  beforeEach(async () => {
    await world.renew();
    company = (await world.tenant.company({ name: "Vela" })).id;
    reports = new MadeReports(world.service, world.tenant, company);
    id = await reports.report({
      sections: JSON.stringify([{ key: SECTION, title: "Bezoek" }]),
      data_snapshot: JSON.stringify({ sections: [{ key: SECTION, title: "Bezoek", data: { totals: [] } }] }),
      narrative: JSON.stringify({ [SECTION]: "Wat de klant las." }),
    });
  });

  const owner = () => world.tenant.owner;
  const send = (body: object): Promise<Answer> => owner().post(`/reporting/reports/${id}/send`, body);
  const edit = () => owner().put(`/reporting/reports/${id}/narrative`, { narrative: { [SECTION]: "Iets anders." } });
  const changes = (): Promise<Answer>[] => [
    edit(),
    owner().post(`/reporting/reports/${id}/rewrite`, { section_key: SECTION }),
    owner().delete(`/reporting/reports/${id}`),
  ];
  /** Sends to two recipients, and the mail to the second one ends otherwise. */
  const sendToOne = async () => {
    await ok(send({ recipients: [A], publish: false }));
    // As the first of two mails leaves it: the report counts as sent only once the second one left as well.
    await world.service.sql.query("update reports set status = 'ready', sent_at = null where id = $1", [id]);
    mailbox.fail({ at: "data", code: 451, text: "come back later" });
    expect((await send({ recipients: [A, B] })).status).to.equal(502);
  };
  const stored = async (): Promise<Row> => {
    const { status, sent_at, narrative, pdf_file_id } = await reports.row(id);
    return { status, sent_at, narrative, pdf_file_id };
  };

  it("keeps its texts, its document and itself, and is sent to the others as the first one got it", async () => {
    await sendToOne();
    const before = await stored();
    expect(before).to.include({ status: "ready", sent_at: null });
    for (const change of changes()) expect(refused(await change)).to.deep.equal(ALREADY_SENT);
    expect(await stored()).to.deep.equal(before);
    await ok(send({ recipients: [A, B] }));
    const documents = (await reports.mails(id)).map(({ email, document_id }) => [email, document_id]);
    expect(documents).to.have.deep.members([A, B].map(({ email }) => [email, before["pdf_file_id"]]));
    expect(mailbox.delivered.map(({ to }) => to.join())).to.deep.equal([A.email, B.email]);
  });

  for (const status of ["sending", "unknown"])
    it(`counts a mail that is ${status}: the recipient may have it`, async () => {
      await reports.mail(id, A.email, status);
      for (const change of changes()) expect(refused(await change)).to.deep.equal(ALREADY_SENT);
    });

  for (const status of ["bounced", "failed"])
    it(`does not count a mail that ${status}: no recipient has it`, async () => {
      await reports.mail(id, A.email, status);
      expect((await ok(edit()))["narrative"]).to.deep.equal({ [SECTION]: "Iets anders." });
      expect((await owner().delete(`/reporting/reports/${id}`)).status).to.equal(204);
    });

  describe("is not made again from new figures", () => {
    const refresh = () => owner().post(GENERATE, { company_id: company, ...SEPTEMBER });

    it("not even once the others have it as well: no recipient gets another document than the rest unnoticed", async () => {
      await sendToOne();
      const before = await reports.row(id);
      expect(refused(await refresh())).to.deep.equal(ALREADY_SENT);
      await ok(owner().put(`/reporting/companies/${company}/profile`, {}));
      const batch = await ok(owner().post(BATCH, SEPTEMBER));
      expect(batch).to.deep.include({
        queued: 0,
        skipped: [{ company_id: company, reason: "errors.reporting.already_sent" }],
      });
      expect(await reports.row(id)).to.deep.equal(before);
      await ok(send({ recipients: [A, B] }));
      expect(refused(await refresh())).to.deep.equal(ALREADY_SENT);
    });

    for (const status of ["sending", "unknown"])
      it(`while a mail is ${status}: the recipient may have it`, async () => {
        await reports.mail(id, A.email, status);
        expect(refused(await refresh())).to.deep.equal(ALREADY_SENT);
      });

    for (const status of ["bounced", "failed"])
      it(`but is if a mail ${status}: no recipient has it`, async () => {
        await reports.mail(id, A.email, status);
        expect((await ok(refresh()))["queued"]).to.equal(true);
        await reportsMade(world.service, world.tenant);
      });

    it("where a mail was claimed while the call waited", async () => {
      const { sql } = world.service;
      await sql.query("begin");
      let asked: Promise<Answer>;
      try {
        await sql.query("select 1 from reports where id = $1 for share", [id]);
        asked = refresh();
        await until(async () => (await waitingFor(sql)) === 1);
        await reports.mail(id, A.email, "sending");
      } finally {
        await sql.query("commit");
      }
      expect(refused(await asked)).to.deep.equal(ALREADY_SENT);
    });
  });

  it("does not mail a document whose figures are gathered again since the send began", async () => {
    const { sql } = world.service;
    await sql.query("begin");
    let sending: Promise<Answer>;
    try {
      await sql.query("select 1 from reports where id = $1 for update", [id]);
      sending = send({ recipients: [A] });
      await until(async () => (await waitingFor(sql)) === 1);
      await sql.query("update reports set status = 'generating', run_started_at = now() where id = $1", [id]);
    } finally {
      await sql.query("commit");
    }
    expect(refused(await sending)).to.deep.equal([409, "conflict", "errors.reporting.no_document"]);
    expect(mailbox.delivered).to.deep.equal([]);
    expect(await reports.mails(id)).to.deep.equal([]);
  });

  it("does not mail a document that a change of the text removed while the send began", async () => {
    const { sql } = world.service;
    await sql.query("begin");
    let sending: Promise<Answer>;
    try {
      await sql.query("select 1 from reports where id = $1 for update", [id]);
      sending = send({ recipients: [A] });
      await until(async () => (await waitingFor(sql)) === 1);
      await sql.query("update reports set pdf_file_id = null where id = $1", [id]);
    } finally {
      await sql.query("commit");
    }
    expect(refused(await sending)).to.deep.equal([409, "conflict", "errors.reporting.no_document"]);
    expect(mailbox.delivered).to.deep.equal([]);
    expect(await reports.mails(id)).to.deep.equal([]);
  });
});
