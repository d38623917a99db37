import { expect } from "chai";
import { Mailbox, relayOf } from "../../support/mail/mailbox.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";

const PATH = "/settings/email/templates";

describe("texts an organisation may reword", () => {
  const mailbox = new Mailbox();
  let service: TestService;
  let tenant: Tenant;
  let owner: Caller;

  before(async () => {
    await mailbox.start();
    service = await startService(relayOf(mailbox));
  });
  after(async () => {
    await service.stop();
    await mailbox.stop();
  });
  beforeEach(async () => {
    mailbox.reset();
    tenant = await service.tenant();
    owner = tenant.owner;
  });
  const stored = async () =>
    (await owner.get(PATH)).body
      .filter(({ subject, body }: { subject: string; body: string }) => subject !== "" || body !== "")
      .map(({ kind, locale, subject, body }: Record<string, string>) => ({ kind, locale, subject, body }));

  it("GET lists every kind in every language, with its variables and the built-in text", async () => {
    const { status, body } = await owner.get(PATH);
    expect(status).to.equal(200);
    const places = body.map(({ kind, locale }: { kind: string; locale: string }) => `${kind} ${locale}`);
    expect(places.slice(0, 4)).to.deep.equal(["reset nl", "reset en", "invite nl", "invite en"]);
    expect(body[0]).to.deep.include({ variables: ["brand", "name", "link"], subject: "", body: "" });
    expect(body[0].default_subject).to.equal("Stel een nieuw wachtwoord in voor {{ brand }}");
    expect(body[0].default_body).to.contain('href="{{ link }}"');
  });

  it("PUT stores words by kind and language, sanitised", async () => {
    const templates = [
      {
        kind: "reset",
        locale: "nl",
        subject: "Nieuw wachtwoord",
        body: '<p onclick="x">Hoi {{ name }}<script>1</script></p>',
      },
      { kind: "invite", locale: "en", subject: "", body: "<p>Welcome</p>" },
    ];
    const { status, body } = await owner.put(PATH, { templates });
    expect([status, body.length]).to.deep.equal([200, (await owner.get(PATH)).body.length]);
    expect(await stored()).to.deep.equal([
      { kind: "reset", locale: "nl", subject: "Nieuw wachtwoord", body: "<p>Hoi {{ name }}</p>" },
      { kind: "invite", locale: "en", subject: "", body: "<p>Welcome</p>" },
    ]);
  });

  it("PUT replaces the whole: omitted or blank texts are built in again", async () => {
    await owner.put(PATH, {
      templates: [
        { kind: "reset", locale: "nl", subject: "A" },
        { kind: "invite", locale: "nl", subject: "B" },
      ],
    });
    await owner.put(PATH, {
      templates: [
        { kind: "invite", locale: "nl", subject: "C", body: null },
        { kind: "reset", locale: "en", subject: " ", body: "" },
      ],
    });
    expect(await stored()).to.deep.equal([{ kind: "invite", locale: "nl", subject: "C", body: "" }]);
    await owner.put(PATH, { templates: [] });
    expect(await stored()).to.deep.equal([]);
  });

  const wrong: [string, object, Record<string, string>][] = [
    ["a kind there is not", { kind: "newsletter", locale: "nl" }, { kind: "errors.validation" }],
    ["a kind that is not for rewording", { kind: "verify", locale: "nl" }, { kind: "errors.validation" }],
    ["a language the service does not write", { kind: "reset", locale: "fr" }, { locale: "errors.validation" }],
    ["broken Liquid", { kind: "reset", locale: "nl", body: "{{ name" }, { body: "errors.validation" }],
    ["a variable there is not", { kind: "reset", locale: "nl", subject: "{{ password }}" }, { subject: "errors.validation" }],
    ["a tag that reads files", { kind: "reset", locale: "nl", body: "{% include 'x' %}" }, { body: "errors.validation" }],
    ["a filter that undoes escaping", { kind: "reset", locale: "nl", body: "{{ name | raw }}" }, { body: "errors.validation" }],
    ["a subject that is too long", { kind: "reset", locale: "nl", subject: "x".repeat(256) }, { subject: "errors.validation" }],
    ["a body that is too long", { kind: "reset", locale: "nl", body: "x".repeat(50_001) }, { body: "errors.validation" }],
    [
      "both wrong at once",
      { kind: "reset", locale: "nl", subject: "{{ a }}", body: "{% if %}" },
      { subject: "errors.validation", body: "errors.validation" },
    ],
  ];
  for (const [what, template, fields] of wrong)
    it(`PUT refuses ${what}, and stores nothing`, async () => {
      const { status, body } = await owner.put(PATH, {
        templates: [{ kind: "invite", locale: "en", subject: "fine" }, template],
      });
      expect([status, body.error.fields]).to.deep.equal([422, fields]);
      expect(await stored()).to.deep.equal([]);
    });

  it("PUT refuses the same kind and language twice", async () => {
    const one = { kind: "reset", locale: "nl", subject: "A" };
    const { status, body } = await owner.put(PATH, { templates: [one, { ...one, subject: "B" }] });
    expect([status, body.error.fields]).to.deep.equal([422, { kind: "errors.duplicate" }]);
  });

  it("PUT accepts all of them at once, and refuses a hundred of one kind without a rendering", async () => {
    const all = (await owner.get(PATH)).body.map(({ kind, locale }: Record<string, string>) => ({ kind, locale, subject: "S" }));
    expect((await owner.put(PATH, { templates: all })).status).to.equal(200);
    const many = Array.from({ length: 100 }, () => all[0]);
    const { status, body } = await owner.put(PATH, { templates: many });
    expect([status, body.error.fields]).to.deep.equal([422, { kind: "errors.duplicate" }]);
  });

  it("are each organisation's own", async () => {
    await owner.put(PATH, { templates: [{ kind: "reset", locale: "nl", subject: "Van ons" }] });
    const other = await service.tenant();
    await other.owner.put(PATH, { templates: [{ kind: "reset", locale: "nl", subject: "Van hen" }] });
    expect(await stored()).to.deep.equal([{ kind: "reset", locale: "nl", subject: "Van ons", body: "" }]);
  });

  it("POST test sends the stored words, in the language asked for", async () => {
    await owner.put(PATH, {
      templates: [{ kind: "invite", locale: "en", subject: "Come to {{ brand }}", body: "<p>Hi {{ name }}</p>" }],
    });
    const english = await owner.post(`${PATH}/test`, { kind: "invite", locale: "en" });
    expect([english.status, english.body]).to.deep.equal([200, { ok: true, error: null }]);
    await owner.post(`${PATH}/test`, { kind: "invite", to: "else@where.test" });
    const [own, builtIn] = mailbox.delivered;
    expect(own?.to).to.deep.equal([owner.email]);
    expect(own?.mail.subject).to.equal(`Come to ${tenant.organisation.name}`);
    expect(own?.mail.html).to.match(/<p>Hi owner \d+<\/p>/);
    expect(own?.mail.text, "the built-in wording").to.contain("Choose a password");
    expect(builtIn?.mail.subject, "the organisation's language has no own words").to.match(/^Je bent uitgenodigd voor/);
  });

  it("POST test sends words that are not stored yet, sanitised, and stores nothing", async () => {
    const draft = { kind: "reset", locale: "nl", subject: "Proef", body: "<p>Proef<script>1</script></p>" };
    expect((await owner.post(`${PATH}/test`, draft)).body).to.deep.equal({ ok: true, error: null });
    expect(mailbox.delivered[0]?.mail.subject).to.equal("Proef");
    expect(mailbox.delivered[0]?.mail.html).to.contain("<p>Proef</p>").and.not.to.contain("<script");
    expect(await stored()).to.deep.equal([]);
    const broken = await owner.post(`${PATH}/test`, { ...draft, body: "{{ x }}" });
    expect([broken.status, broken.body.error.fields]).to.deep.equal([422, { body: "errors.validation" }]);
  });
});
