import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { lendMail } from "../../../operator/organisations.ts";
import { eventsAbout, recordEvents } from "../../support/answers.ts";
import { until } from "../../support/jobs.ts";
import { MailWorld } from "../../support/mail/mail-world.ts";
import type { Caller } from "../../support/service.ts";
import { MadeReports, PDF } from "./made-reports.ts";
import { FORBIDDEN, NOT_FOUND, ok, type Row, refused } from "./reporting-world.ts";

const A = { email: "anna@vela.test", name: "Anna" };
const B = { email: "bram@vela.test" };
const C = { email: "cas@vela.test" };

describe("sending reports (workspace-reporting §1.5)", () => {
  const world = new MailWorld();
  const { mailbox } = world;
  let company: Row;
  let reports: MadeReports;

  before(async () => {
    await world.start();
    await recordEvents(world.service);
  });
  after(() => world.stop());
  beforeEach(async () => {
    await world.renew();
    company = await world.tenant.company({ name: "Vela" });
    reports = new MadeReports(world.service, world.tenant, company["id"]);
  });

  const post = (id: string, body: object = {}, caller: Caller = world.tenant.owner, call?: object) =>
    caller.post(`/reporting/reports/${id}/send`, body, call);
  const send = (id: string, body: object = {}) => ok(post(id, body));
  const refusal = async (id: string, body: object = {}) => refused(await post(id, body));
  const FAILED = [502, "email_failed", "errors.reporting.email_failed"];
  const addresses = () => mailbox.delivered.map(({ to }) => to.join());
  const delivered = (answered: Row) => answered["sent_to"].map(({ email, delivery }: Row) => [email, delivery]);
  /** The outcomes that the report shows when it is read. */
  const shown = async (id: string) => delivered(await ok(world.tenant.owner.get(`/reporting/reports/${id}`)));
  const profile = (recipients: object[]) =>
    ok(world.tenant.owner.put(`/reporting/companies/${company["id"]}/profile`, { recipients }));
  const contact = async (values: Row, link: object | null = {}) => {
    const { id } = await ok(world.tenant.owner.post("/contacts", values));
    if (link) await ok(world.tenant.owner.post(`/contacts/${id}/links`, { company_id: company["id"], ...link }));
    return id as string;
  };
  const events = async (id: string, name = "report.sent") =>
    (await eventsAbout(world.service, id)).filter(({ event }: Row) => event === name).map(({ payload }: Row) => payload);

  describe("what leaves", () => {
    it("is one mail for each recipient with the PDF, in the responsible person's name and the report's language", async () => {
      const anna = await world.tenant.member("member", { name: "Iris de Groot" });
      await ok(world.tenant.owner.patch(`/companies/${company["id"]}`, { responsible_user_id: anna.accountId }));
      const id = await reports.report();
      await send(id, { recipients: [A, B] });
      expect(addresses()).to.deep.equal([A.email, B.email]);
      const [{ mail } = { mail: undefined }] = mailbox.to(A.email);
      expect(mail?.from).to.include({ address: "post@kantoor.test", name: "Iris de Groot" });
      expect(mail?.to).to.deep.equal([{ address: A.email, name: "Anna" }]);
      expect(mail?.subject).to.equal("Rapportage september 2026 voor Vela");
      expect(mail?.text).to.contain("Hallo Anna,").and.to.contain("rapportage voor Vela over september 2026");
      expect(mail?.text).to.contain(`Met vriendelijke groet, Iris de Groot, ${world.tenant.organisation.name}`);
      const [pdf, ...others] = mail?.attachments ?? [];
      expect(others).to.deep.equal([]);
      expect([pdf?.filename, pdf?.mimeType]).to.deep.equal(["Rapportage Vela 2026-09.pdf", "application/pdf"]);
      expect(Buffer.from(pdf?.content as ArrayBuffer).equals(PDF)).to.equal(true);
      const ids = (await reports.mails(id)).map((row) => `<${row["id"]}@kantoor.test>`);
      expect(mailbox.delivered.map(({ mail: { messageId } }) => messageId)).to.deep.equal(ids);
    });

    it("is in English if the report is, and names the days of a period other than a month", async () => {
      const id = await reports.report({ locale: "en", title: "Report September 2026", period_end: "2026-09-15" });
      await send(id, { recipients: [B] });
      const [{ mail } = { mail: undefined }] = mailbox.to(B.email);
      expect(mail?.subject).to.equal("Report September 2026 for Vela");
      expect(mail?.text).to.contain("Vela about 1 September 2026 – 15 September 2026.");
      expect(mail?.text).to.contain("Hello,").and.to.contain(`Kind regards, ${world.tenant.organisation.name}`);
      expect(mail?.from).to.include({ name: world.tenant.organisation.name });
    });

    it("is noted: status, instants, recipients, the trail and the event; it is published unless the call says otherwise", async () => {
      const id = await reports.report();
      const answered = await send(id, { recipients: [A] });
      expect(answered).to.include({ id, status: "sent" });
      expect([answered["sent_at"], answered["published_at"]].map((at) => typeof at)).to.deep.equal(["string", "string"]);
      expect(answered["sent_to"]).to.deep.equal([
        { contact_id: null, ...A, delivery: "sent", reason: null, sent_at: answered["sent_to"][0].sent_at },
      ]);
      expect(answered["sent_to"][0].sent_at).to.be.a("string");
      expect(await reports.trail(id)).to.deep.equal([
        ["published", {}],
        ["sent", { to: A.email }],
      ]);
      expect(await events(id, "report.published")).to.have.length(1);
      const [reported, ...more] = await events(id);
      expect(more).to.deep.equal([]);
      expect(reported).to.deep.equal({
        report_id: id,
        company_id: company["id"],
        company_name: "Vela",
        audience: "client",
        period_start: "2026-09-01",
        period_end: "2026-09-30",
        sent_at: reported.sent_at,
        sent_count: 1,
        bounced_count: 0,
      });
      const hidden = await reports.report({ period_start: "2026-08-01", period_end: "2026-08-31" });
      expect(await send(hidden, { recipients: [A], publish: false })).to.include({ status: "sent", published_at: null });
    });
  });

  describe("recipients", () => {
    it("goes to the recipients of the profile, contacts at their own address, each address once", async () => {
      const eva = await contact({ first_name: "Eva", last_name: "de Wit", email: "eva@vela.test" });
      const other = await contact({ first_name: "Jan", email: "jan@vela.test" });
      await profile([
        { contact_id: eva },
        { email: "EVA@vela.test" },
        { contact_id: other, email: "jan@home.test", name: "Jan D." },
      ]);
      const id = await reports.report();
      expect((await send(id))["sent_to"]).to.have.length(2);
      expect(mailbox.delivered.map(({ mail }) => mail.to)).to.deep.equal([
        [{ address: "eva@vela.test", name: "Eva de Wit" }],
        [{ address: "jan@home.test", name: "Jan D." }],
      ]);
    });

    it("is greeted by the name given for it, the first name of the client's contact or the member with its address, or no name", async () => {
      const eva = await contact({ first_name: "Eva", last_name: "de Wit", email: "eva@vela.test" });
      await contact({ first_name: "Jan", last_name: "Bos", email: "Jan@Vela.test" });
      await contact({ first_name: "Vreemd", email: "vreemd@x.test" }, null);
      const iris = await world.tenant.member("member", { name: "Iris de Groot" });
      const recipients = [
        { contact_id: eva },
        { email: "jan@vela.test" },
        { email: iris.email },
        { email: "info@vela.test", name: "Team Vela" },
        { email: "vreemd@x.test" },
      ];
      const expected = ["Hallo Eva,", "Hallo Jan,", "Hallo Iris,", "Hallo Team Vela,", "Hallo,"];
      const greetings = () => mailbox.delivered.map(({ mail }) => /^Hallo[^,]*,/m.exec(mail.text as string)?.[0]);
      await send(await reports.report(), { recipients });
      expect(greetings()).to.deep.equal(expected);
      mailbox.delivered.length = 0;
      await profile(recipients.slice(0, 4));
      await send(await reports.report({ period_start: "2026-08-01", period_end: "2026-08-31" }));
      expect(greetings()).to.deep.equal(expected.slice(0, 4));
    });

    it("goes to the client's primary contact if the profile names no recipient", async () => {
      await contact({ first_name: "Eva", email: "eva@vela.test" });
      await contact({ first_name: "Jan", email: "jan@vela.test" }, { is_primary: true });
      const id = await reports.report();
      await send(id);
      expect(addresses()).to.deep.equal(["jan@vela.test"]);
    });

    it("shows a recipient without an address, or a former contact of the client, as unreachable", async () => {
      const [silent, gone] = [
        await contact({ first_name: "Stil" }),
        await contact({ first_name: "Weg", email: "weg@vela.test" }),
      ];
      await profile([{ contact_id: silent }, { contact_id: gone }, A]);
      await ok(world.tenant.owner.delete(`/contacts/${gone}/links/${company["id"]}`));
      const answered = await send(await reports.report());
      expect(delivered(answered)).to.deep.equal([
        [A.email, "sent"],
        [null, "unreachable"],
        [null, "unreachable"],
      ]);
      expect(addresses()).to.deep.equal([A.email]);
    });

    it("refuses a contact of another client, and a recipient that is neither contact nor address", async () => {
      const foreign = await contact({ first_name: "Vreemd", email: "vreemd@x.test" }, null);
      const id = await reports.report();
      expect(await refusal(id, { recipients: [{ contact_id: foreign }] })).to.deep.equal(NOT_FOUND);
      expect(await refusal(id, { recipients: [{ name: "Niemand" }] })).to.deep.equal([
        422,
        "validation",
        "errors.validation",
        { recipients: "errors.required" },
      ]);
      expect(mailbox.delivered).to.deep.equal([]);
    });

    it("refuses if there is no recipient", async () => {
      const id = await reports.report();
      const nobody = [400, "validation", "errors.reporting.no_recipient"];
      expect(await refusal(id)).to.deep.equal(nobody);
      expect(await refusal(id, { recipients: [] })).to.deep.equal(nobody);
      const silent = await contact({ first_name: "Stil" });
      expect(await refusal(id, { recipients: [{ contact_id: silent }] })).to.deep.equal(nobody);
    });

    it("mails addresses alone for a report whose client is deleted", async () => {
      const id = await reports.report();
      await ok(world.tenant.owner.delete(`/companies/${company["id"]}`));
      expect(await refusal(id)).to.deep.equal([400, "validation", "errors.reporting.no_recipient"]);
      expect(await send(id, { recipients: [A] })).to.include({ status: "sent" });
    });
  });

  describe("refusals", () => {
    it("is an internal report", async () => {
      const id = await reports.report({ audience: "internal" });
      expect(await refusal(id, { recipients: [A] })).to.deep.equal([422, "validation", "errors.reporting.internal_not_sendable"]);
    });

    it("is a report that is not ready", async () => {
      for (const [index, status] of ["draft", "generating", "failed"].entries()) {
        const id = await reports.report({ status, period_start: `2026-0${index + 1}-01` });
        expect(await refusal(id, { recipients: [A] }), status).to.deep.equal([409, "conflict", "errors.reporting.not_ready"]);
      }
    });

    it("is a report without a document", async () => {
      const id = await reports.report({ pdf_file_id: null });
      expect(await refusal(id, { recipients: [A] })).to.deep.equal([409, "conflict", "errors.reporting.no_document"]);
    });

    it("is everything where nothing sends mail", async () => {
      await lendMail(world.service.sql, world.tenant.organisation.id, false);
      expect((await refusal(await reports.report(), { recipients: [A] }))[1]).to.equal("email_not_configured");
    });

    it("is a report that the caller does not see, and a caller who may not send", async () => {
      const id = await reports.report();
      expect(refused(await post(id, {}, await world.tenant.member("member")))).to.deep.equal(FORBIDDEN);
      const sender = (...grants: string[]) => world.tenant.member("member", { grants: ["reporting.report.send", ...grants] });
      const other = await sender();
      await world.tenant.group("elsewhere", [(await world.tenant.company())["id"] as string], [other.membershipId]);
      expect(refused(await post(id, { recipients: [A] }, other))).to.deep.equal(NOT_FOUND);
      const internal = await reports.report({ audience: "internal" });
      expect(refused(await post(internal, { recipients: [A] }, await sender()))).to.deep.equal(NOT_FOUND);
      expect(await refusal(randomUUID(), { recipients: [A] })).to.deep.equal(NOT_FOUND);
      expect(mailbox.delivered).to.deep.equal([]);
    });
  });

  describe("once for each recipient", () => {
    it("mails no recipient of the document again, and new recipients only", async () => {
      const id = await reports.report();
      const first = await send(id, { recipients: [A] });
      const again = await send(id, { recipients: [{ email: "ANNA@vela.test" }] });
      expect(again).to.include({ sent_at: first["sent_at"], status: "sent" });
      expect(addresses()).to.deep.equal([A.email]);
      expect(await events(id)).to.have.length(1);
      const more = await send(id, { recipients: [A, B] });
      expect(addresses()).to.deep.equal([A.email, B.email]);
      expect(delivered(more)).to.deep.equal([
        [A.email, "sent"],
        [B.email, "sent"],
      ]);
      expect(await events(id)).to.have.length(2);
    });

    it("holds for calls at the same time: the second waits and finds it done", async () => {
      const id = await reports.report();
      mailbox.delay = 300;
      const answers = await Promise.all([1, 2, 3].map(() => send(id, { recipients: [A, B] })));
      expect(addresses().toSorted()).to.deep.equal([A.email, B.email]);
      for (const answered of answers) expect(answered).to.include({ status: "sent" });
      expect(await events(id)).to.have.length(1);
    });

    it("mails a new document of a sent report to the same recipients", async () => {
      const id = await reports.report();
      await send(id, { recipients: [A] });
      await world.service.sql.query("update reports set pdf_file_id = $2 where id = $1", [id, await reports.document(id)]);
      expect(delivered(await send(id, { recipients: [A] }))).to.deep.equal([[A.email, "sent"]]);
      expect(addresses()).to.deep.equal([A.email, A.email]);
    });

    it("leaves the status unchanged if a mail is not accepted; the same call continues with those who have none", async () => {
      const id = await reports.report();
      await send(id, { recipients: [A], publish: false });
      await world.service.sql.query("update reports set status = 'ready', sent_at = null where id = $1", [id]);
      mailbox.fail({ at: "data", code: 451, text: "come back later" });
      const answer = await post(id, { recipients: [A, B, C] });
      expect(refused(answer)).to.deep.equal(FAILED);
      const { reason, ...counts } = answer.body.error.details;
      expect(reason).to.contain("come back later");
      expect(counts).to.deep.equal({ sent: 1, bounced: 0, unknown: 0, recipients: 3 });
      expect(await reports.row(id)).to.include({ status: "ready", sent_at: null, published_at: null });
      await send(id, { recipients: [A, B, C] });
      expect(addresses()).to.deep.equal([A.email, B.email, C.email]);
    });

    it("continues after a dead node: recipients with the mail get none, and the report is marked as sent", async () => {
      const id = await reports.report();
      const document = (await reports.row(id))["pdf_file_id"];
      await world.service.sql.query(
        `insert into report_mails (id, organisation_id, report_id, document_id, address, email, status, holder, held_until, sent_at)
         values (gen_random_uuid(), $1, $2, $3, $4, $4, 'sent', gen_random_uuid(), now(), now())`,
        [world.tenant.organisation.id, id, document, A.email],
      );
      expect(await send(id, { recipients: [A, B] })).to.include({ status: "sent" });
      expect(addresses()).to.deep.equal([B.email]);
      expect(await events(id)).to.have.length(1);
    });

    it("does not repeat a mail of which it is not known whether it left, unless the call asks for that", async () => {
      const id = await reports.report();
      const document = (await reports.row(id))["pdf_file_id"];
      const mail = randomUUID();
      await world.service.sql.query(
        `insert into report_mails (id, organisation_id, report_id, document_id, address, email, status, holder, held_until)
         values ($5, $1, $2, $3, $4, $4, 'sending', gen_random_uuid(), now())`,
        [world.tenant.organisation.id, id, document, A.email, mail],
      );
      const alone = await post(id, { recipients: [A] });
      expect(refused(alone)).to.deep.equal(FAILED);
      expect(alone.body.error.details).to.include({ unknown: 1, reason: "errors.reporting.mail_unknown" });
      expect(delivered(await send(id, { recipients: [A, B] }))).to.have.deep.members([
        [A.email, "unknown"],
        [B.email, "sent"],
      ]);
      expect(addresses()).to.deep.equal([B.email]);
      expect(delivered(await send(id, { recipients: [A], repeat_unknown: true }))).to.have.deep.members([
        [A.email, "sent"],
        [B.email, "sent"],
      ]);
      expect(mailbox.to(A.email).map(({ mail: { messageId } }) => messageId)).to.deep.equal([`<${mail}@kantoor.test>`]);
    });

    it("stores a mail as unknown whose relay died before it answered", async () => {
      const id = await reports.report();
      mailbox.delay = 60_000;
      const sending = post(id, { recipients: [A, B] });
      await until(async () => mailbox.to(A.email).length > 0);
      const { port } = mailbox;
      await mailbox.kill();
      expect(refused(await sending)).to.deep.equal(FAILED);
      expect((await reports.mails(id)).map((row) => [row["email"], row["status"]])).to.deep.equal([[A.email, "unknown"]]);
      mailbox.delay = 0;
      await mailbox.start("127.0.0.1", port);
      await send(id, { recipients: [A, B] });
      expect(addresses()).to.deep.equal([A.email, B.email]);
    });
  });

  describe("bounces", () => {
    it("are shown with the mail server's message, and do not stop other mails", async () => {
      const id = await reports.report();
      mailbox.unknown.add(B.email);
      const answered = await send(id, { recipients: [A, B, C] });
      expect(delivered(answered)).to.deep.equal([
        [A.email, "sent"],
        [B.email, "bounced"],
        [C.email, "sent"],
      ]);
      expect(answered["sent_to"][1].reason).to.contain("no such mailbox");
      expect((await reports.trail(id)).at(-1)).to.deep.equal(["sent", { to: `${A.email}, ${C.email}`, bounced: B.email }]);
      mailbox.unknown.clear();
      expect(delivered(await send(id, { recipients: [B] }))).to.deep.include([B.email, "sent"]);
      expect(addresses()).to.deep.equal([A.email, C.email, B.email]);
    });

    it("of all recipients are a failed mail: the status stays", async () => {
      const id = await reports.report();
      mailbox.unknown.add(A.email);
      expect(refused(await post(id, { recipients: [A] }))).to.deep.equal(FAILED);
      expect(await reports.row(id)).to.include({ status: "ready", sent_at: null });
      expect(await shown(id)).to.deep.equal([[A.email, "bounced"]]);
    });

    it("are shown with every other outcome if the send fails; the next one is recorded with those that left before", async () => {
      const id = await reports.report();
      await send(id, { recipients: [A] });
      mailbox.unknown.add(B.email);
      expect(refused(await post(id, { recipients: [B] }))).to.deep.equal(FAILED);
      mailbox.unknown.clear();
      mailbox.fail({ at: "data", code: 451, text: "come back later" });
      expect(refused(await post(id, { recipients: [C] }))).to.deep.equal(FAILED);
      const outcomes = [
        [A.email, "sent"],
        [B.email, "bounced"],
        [C.email, "failed"],
      ];
      expect(await shown(id)).to.deep.equal(outcomes);
      await send(id, { recipients: [C] });
      expect((await events(id)).map(({ sent_count, bounced_count }) => [sent_count, bounced_count])).to.deep.equal([
        [1, 0],
        [2, 1],
      ]);
    });
  });
});
