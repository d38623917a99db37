import { expect } from "chai";
import { lendMail } from "../../../operator/organisations.ts";
import { until } from "../../support/jobs.ts";
import { MailWorld, mailWithFiles } from "../../support/mail/mail-world.ts";

describe("a mail that is handed over while the caller waits", () => {
  const world = new MailWorld();
  const { mailbox } = world;

  before(() => world.start());
  after(() => world.stop());
  beforeEach(() => world.renew());

  const now = async (more: Parameters<typeof mailWithFiles>[0] = {}) =>
    (await world.tenant.owner.post("/proof/mails/now", { mail: mailWithFiles(more) })).body;

  it("is there when the answer is, with its file and its picture, under its own Message-ID", async () => {
    const { id } = mailWithFiles();
    expect(await now({ id })).to.deep.equal({ accepted: true });
    const [{ mail } = { mail: undefined }] = mailbox.to("eva@noord.test");
    expect(mail?.messageId).to.equal(`<${id}@kantoor.test>`);
    const parts = mail?.attachments.map(({ filename, mimeType, disposition, contentId, content }) => ({
      filename,
      mimeType,
      disposition,
      contentId,
      content: Buffer.from(content as ArrayBuffer).toString(),
    }));
    expect(parts).to.have.deep.members([
      {
        filename: "2026-0001.pdf",
        mimeType: "application/pdf",
        disposition: "attachment",
        contentId: undefined,
        content: "%PDF-1.7",
      },
      {
        filename: "invoice-qr.png",
        mimeType: "image/png",
        disposition: "inline",
        contentId: "<invoice-qr.png>",
        content: "PNG",
      },
    ]);
    expect(mail?.html).to.contain('<img src="cid:invoice-qr.png" alt="Scan">');
    expect(
      (await world.service.sql.query("select 1 from mails where organisation_id = $1", [world.tenant.organisation.id])).rowCount,
    ).to.equal(0);
  });

  it("begins with what its sender wrote, in both parts, as text", async () => {
    await now({ lead: "Beste Eva & co,\n\neen <b>vraag</b>\nover {{ brand }}" });
    const [{ mail } = { mail: undefined }] = mailbox.to("eva@noord.test");
    expect(mail?.text?.startsWith("Beste Eva & co,\n\neen <b>vraag</b>\nover {{ brand }}\n\nHallo Eva de Wit,")).to.equal(true);
    expect(mail?.html).to.contain(
      "<p>Beste Eva &#38; co,</p>\n<p>een &#60;b&#62;vraag&#60;/b&#62;<br>over {{ brand }}</p>\n<p>Hallo Eva de Wit,</p>",
    );
  });

  it("is refused in the relay's words, and tried no further", async () => {
    mailbox.fail({ at: "data", code: 451, text: "not now" });
    const { accepted, error } = await now();
    expect(accepted).to.equal(false);
    expect(error).to.contain("not now");
    expect(mailbox.delivered).to.have.length(0);
  });

  it("reports its failure: refused address, mail not accepted, or unknown outcome", async () => {
    mailbox.unknown.add("eva@noord.test");
    expect((await now()).failure).to.equal("recipient");
    mailbox.unknown.clear();
    mailbox.fail({ at: "rcpt", code: 450, text: "greylisted" });
    expect((await now()).failure).to.equal("mail");
    mailbox.fail({ at: "data", code: 552, text: "too large" });
    expect((await now()).failure).to.equal("mail");
    mailbox.delay = 60_000;
    const breaking = now();
    await until(async () => mailbox.to("eva@noord.test").length > 0);
    const { port } = mailbox;
    await mailbox.kill();
    expect((await breaking).failure).to.equal("unanswered");
    expect((await now()).failure).to.equal("mail");
    mailbox.delay = 0;
    await mailbox.start("127.0.0.1", port);
    expect((await now()).accepted).to.equal(true);
  });

  it("carries its sender's name on the transport's address, on one line", async () => {
    await now({ fromName: "Anna\r\nBcc: x@y.test" });
    const [{ mail } = { mail: undefined }] = mailbox.to("eva@noord.test");
    expect(mail?.from).to.include({ address: "post@kantoor.test", name: "Anna Bcc: x@y.test" });
  });

  it("goes nowhere without a transport", async () => {
    await lendMail(world.service.sql, world.tenant.organisation.id, false);
    expect(await now()).to.deep.equal({ accepted: false, error: "errors.email_not_configured", failure: "mail" });
  });
});
