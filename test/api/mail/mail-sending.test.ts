import { expect } from "chai";
import { digest } from "../../../core/security/crypto.ts";
import { settled, strike, until } from "../../support/jobs.ts";
import { MailWorld, type Promised, resetMail } from "../../support/mail/mail-world.ts";
import { rounds } from "../../support/tier.ts";

/** Batches of 20 mails each, all waiting at once. */
const BATCHES = rounds(10, 50);

describe("sending mail", () => {
  const world = new MailWorld();
  const { mailbox } = world;

  before(() => world.start());
  after(() => world.stop());
  beforeEach(() => world.renew());

  describe("a promised mail", () => {
    it("arrives after the commit, whole, and as an independent reader understands it", async () => {
      const { id, sent, error } = await world.promiseOne(resetMail("eva@noord.test"));
      expect([sent, error]).to.deep.equal([true, null]);
      expect(await world.ended(id)).to.equal("sent");
      const [delivered] = mailbox.to("eva@noord.test");
      const { mail, from, to } = delivered as NonNullable<typeof delivered>;
      expect([from, to]).to.deep.equal(["post@kantoor.test", ["eva@noord.test"]]);
      expect(mail.from).to.deep.include({ address: "post@kantoor.test", name: world.tenant.organisation.name });
      expect(mail.to).to.deep.equal([{ address: "eva@noord.test", name: "Eva de Wit" }]);
      expect(mail.subject).to.equal(`Stel een nieuw wachtwoord in voor ${world.tenant.organisation.name}`);
      expect(mail.messageId).to.equal(`<${id}@kantoor.test>`);
      expect(mail.text).to.contain("Hallo Eva de Wit,").and.to.contain(`http://${world.tenant.host}/reset-password?token=`);
      expect(mail.html).to.contain("<!doctype html>").and.to.contain(`http://${world.tenant.host}/reset-password?token=`);
      expect(mail.attachments).to.deep.equal([]);
      expect(mail.headers.find(({ key }) => key === "content-type")?.value).to.match(/^multipart\/alternative/);
      expect(mail.headers.find(({ key }) => key === "auto-submitted")?.value).to.equal("auto-generated");
      expect(await world.row(id)).to.include({ status: "sent", attempts: 1, transport: "smtp", last_error: null });
    });

    it("speaks the recipient's language, else the organisation's", async () => {
      await world.service.sql.query("update organisations set locale = 'en' where id = $1", [world.tenant.organisation.id]);
      const mails = await world.promise(
        resetMail("a@x.test", { locale: "nl" }),
        resetMail("b@x.test"),
        resetMail("c@x.test", { locale: "fr" }),
      );
      for (const { id } of mails) await world.ended(id);
      const subject = (address: string) => mailbox.to(address)[0]?.mail.subject;
      expect(subject("a@x.test")).to.match(/^Stel een nieuw wachtwoord/);
      expect(subject("b@x.test")).to.match(/^Choose a new password/);
      expect(subject("c@x.test")).to.match(/^Choose a new password/);
    });

    it("leads to the organisation's verified domain where it has one", async () => {
      await world.service.sql.query(
        "insert into organisation_domains (organisation_id, hostname, verified_at) values ($1, $2, now()), ($1, $3, null)",
        [world.tenant.organisation.id, `kantoor.${world.tenant.organisation.slug}.nl`, `a.${world.tenant.organisation.slug}.nl`],
      );
      const { id } = await world.promiseOne(resetMail("eva@noord.test"));
      await world.ended(id);
      expect(mailbox.delivered[0]?.mail.text).to.contain(
        `http://kantoor.${world.tenant.organisation.slug}.nl/reset-password?token=`,
      );
    });

    it("carries the organisation's own words and branding", async () => {
      await world.service.sql.query(
        "update organisations set brand_name = 'Noord & Zn', logo_url = 'https://noord.test/l.png', primary_color = '#aa0000' where id = $1",
        [world.tenant.organisation.id],
      );
      const own = {
        kind: "reset",
        locale: "nl",
        subject: "Wachtwoord, {{ name }}",
        body: '<p>Dag {{ name }}, <a href="{{ link }}">hier</a></p>',
      };
      await world.tenant.owner.put("/settings/email/templates", { templates: [own] });
      const { id } = await world.promiseOne(resetMail("eva@noord.test"));
      await world.ended(id);
      const { mail } = mailbox.delivered[0] as (typeof mailbox.delivered)[0];
      expect(mail.subject).to.equal("Wachtwoord, Eva de Wit");
      expect(mail.from).to.deep.include({ name: "Noord & Zn" });
      expect(mail.html)
        .to.contain('<img src="https://noord.test/l.png" alt="Noord &#38; Zn" height="40">')
        .and.to.contain("#aa0000");
      expect(mail.html).to.match(/<p>Dag Eva de Wit, <a href="http:[^"]+token=[\w-]{43}">hier<\/a><\/p>/);
      expect(mail.text, "the plain text is the built-in wording")
        .to.contain("Noord & Zn")
        .and.to.contain("Nieuw wachtwoord kiezen:");
    });

    it("does not exist when the write that promised it fails", async () => {
      const { status } = await world.tenant.owner.post("/proof/mails", { mails: [resetMail("eva@noord.test")], fails: true });
      expect(status).to.equal(409);
      await settled(world.service);
      expect(mailbox.delivered.map(({ to }) => to)).to.deep.equal([]);
      expect(
        (await world.service.sql.query("select 1 from mails where organisation_id = $1", [world.tenant.organisation.id])).rows,
      ).to.deep.equal([]);
    });

    it("cannot be given a second recipient or header by a name, subject or address", async () => {
      const evil = 'Eva"\r\nBcc: victim@x.test\r\nX-Evil: 1\r\n\r\n<script>1</script>, victim@x.test';
      await world.service.sql.query("update organisations set name = $2 where id = $1", [world.tenant.organisation.id, evil]);
      const { id } = await world.promiseOne({ ...resetMail("eva@noord.test", { name: evil }), replyTo: "answers@noord.test" });
      expect(await world.ended(id)).to.equal("sent");
      const [{ mail, to, raw }] = mailbox.delivered as [(typeof mailbox.delivered)[0]];
      expect(to).to.deep.equal(["eva@noord.test"]);
      expect(mail.to?.map(({ address }) => address)).to.deep.equal(["eva@noord.test"]);
      expect([mail.cc ?? [], mail.bcc ?? []].flat()).to.deep.equal([]);
      expect(mail.headers.map(({ key }) => key))
        .not.to.include.members(["bcc"])
        .and.not.to.include("x-evil");
      expect(raw)
        .not.to.match(/^X-Evil:/im)
        .and.not.to.match(/^Bcc:/im);
      expect(mail.html).not.to.contain("<script>1");
    });
  });

  describe("the secret in a link", () => {
    const tokenIn = (text: string | undefined) => /token=([\w-]+)/.exec(text ?? "")?.[1] ?? "";

    it("matches the digest in the promise, and is in no row, job or log", async () => {
      const { id, token_hash } = await world.promiseOne(resetMail("eva@noord.test"));
      await world.ended(id);
      const token = tokenIn(mailbox.delivered[0]?.mail.text);
      expect(token).to.match(/^[\w-]{43}$/);
      expect(digest(token).toString("hex")).to.equal(token_hash);
      const { rows } = await world.service.sql.query("select tablename from pg_tables where schemaname in ('public', 'jobs')");
      for (const { tablename } of rows) {
        const schema = (await world.service.sql.query("select schemaname from pg_tables where tablename = $1", [tablename]))
          .rows[0].schemaname;
        const found = await world.service.sql.query(
          `select count(*)::int as hits from ${schema}."${tablename}" t where t::text like $1`,
          [`%${token}%`],
        );
        expect(found.rows[0].hits, tablename).to.equal(0);
      }
    });

    it("is different for every mail, and the same in every attempt of one", async () => {
      mailbox.fail({ at: "data", code: 451, text: "later" });
      const [first, second] = (await world.promise(resetMail("a@x.test"), resetMail("b@x.test"))) as [Promised, Promised];
      await world.ended(first.id);
      await world.ended(second.id);
      const [one, other] = ["a@x.test", "b@x.test"].map((address) => tokenIn(mailbox.to(address)[0]?.mail.text));
      expect(one).not.to.equal(other);
      expect(digest(one as string).toString("hex")).to.equal(first.token_hash);
      expect(digest(other as string).toString("hex")).to.equal(second.token_hash);
    });

    it("is not made for a link without one", async () => {
      const { id, token_hash } = await world.promiseOne({
        kind: "already-registered",
        to: { address: "eva@noord.test" },
        link: "/login",
      });
      expect(token_hash).to.equal(null);
      await world.ended(id);
      expect(mailbox.delivered[0]?.mail.text).to.contain(`http://${world.tenant.host}/login`);
    });
  });

  it("deletes old mail: sent and failed after 30 days, and gives up waiting mail after eight", async () => {
    const insert = (status: string, days: number) =>
      world.service.sql.query(
        `insert into mails (id, organisation_id, kind, status, to_address, created_at)
           values (gen_random_uuid(), $1, 'reset', $2, 'a@b.nl', now() - make_interval(days => $3)) returning id`,
        [world.tenant.organisation.id, status, days],
      );
    for (const [status, days] of [
      ["sent", 31],
      ["failed", 31],
      ["sent", 29],
      ["failed", 29],
      ["kept", 2],
      ["queued", 9],
    ] as const)
      await insert(status, days);
    await strike(world.service, "mail.clear");
    const { rows } = await world.service.sql.query(
      "select status, last_error from mails where organisation_id = $1 order by created_at",
      [world.tenant.organisation.id],
    );
    expect(rows.map(({ status, last_error }) => [status, last_error])).to.have.deep.members([
      ["failed", null],
      ["sent", null],
      ["failed", "errors.email_expired"],
    ]);
  });

  it(`${20 * BATCHES} mails all arrive, each once by its Message-ID`, async () => {
    const began = performance.now();
    const ids: string[] = [];
    for (let batch = 0; batch < BATCHES; batch++) {
      const mails = Array.from({ length: 20 }, (_, n) => resetMail(`m${batch * 20 + n}@x.test`));
      ids.push(...(await world.promise(...mails)).map(({ id }: { id: string }) => id));
    }
    await until(async () => {
      const { rows } = await world.service.sql.query(
        "select count(*)::int as n from mails where organisation_id = $1 and status = 'sent'",
        [world.tenant.organisation.id],
      );
      return rows[0].n === ids.length;
    }, 170_000);
    const counts = new Map<string, number>();
    for (const { mail } of mailbox.delivered) counts.set(mail.messageId ?? "", (counts.get(mail.messageId ?? "") ?? 0) + 1);
    expect(counts.size).to.equal(20 * BATCHES);
    expect([...counts.values()].every((n) => n === 1)).to.equal(true);
    expect(new Set(counts.keys())).to.deep.equal(new Set(ids.map((id) => `<${id}@kantoor.test>`)));
    expect(mailbox.connections, "connections are used again").to.be.below(60);
    if (process.env["TEST_FIGURES"]) process.stdout.write(`${ids.length} mails in ${Math.round(performance.now() - began)} ms\n`);
  }).timeout(180_000);
});
