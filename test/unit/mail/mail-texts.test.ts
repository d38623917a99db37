import { expect } from "chai";
import { LOCALES, localeOf } from "../../../core/config/defaults.ts";
import type { MailKindName } from "../../../core/declare/messages.ts";
import { mailKinds, overridableKinds, variablesOf } from "../../../core/mail/mail-kinds.ts";
import type { Sender } from "../../../core/mail/mail-sender.ts";
import { builtInHtml, compose, type MailParts } from "../../../integrations/mail/compose.ts";
import { brandColor, brandLogo, readableOn } from "../../../integrations/mail/layout.ts";
import { sanitised, sanitisedTemplate } from "../../../integrations/mail/sanitise.ts";
import { isTemplate, oneLine, render } from "../../../integrations/mail/template.ts";

const DUTCH = { id: "0198f5a0-0000-7000-8000-000000000000", locale: "nl" };

const kinds = Object.keys(mailKinds()) as MailKindName[];
const sender = (branding: Partial<Sender["branding"]> = {}): Sender => ({
  branding: { name: "Atelier Noord", logoUrl: null, color: null, ...branding },
  address: "https://noord.kantoor.test",
  settings: undefined,
  hasSecret: false,
  transport: null,
  instanceAvailable: false,
});
const parts = (more: Partial<MailParts> = {}): MailParts => ({
  kind: "reset",
  name: "Eva de Wit",
  locale: "nl",
  link: "/reset-password?token={token}",
  token: "T0K3N",
  variables: {},
  ...more,
});

describe("texts of mails", () => {
  for (const kind of kinds)
    for (const locale of LOCALES) {
      const builtIn = mailKinds()[kind].texts[locale];
      it(`${kind} in ${locale}: uses only the kind's variables`, async () => {
        const whole = [builtIn.subject, builtInHtml(builtIn), ...builtIn.body.filter((part) => typeof part === "string")];
        for (const text of whole) expect(await isTemplate(text, variablesOf(kind)), text).to.equal(true);
        expect(await sanitised(builtInHtml(builtIn)), "markup that sanitising keeps").to.equal(builtInHtml(builtIn));
      });

      it(`${kind} in ${locale}: the plain text is complete alone`, async () => {
        const needs = builtIn.body.some((part) => typeof part !== "string" && "button" in part);
        const made = await compose(
          parts({
            kind,
            locale,
            link: needs ? "/way?token={token}" : null,
            variables: Object.fromEntries(mailKinds()[kind].variables.map((name) => [name, "Bakkerij"])),
          }),
          sender(),
          DUTCH,
          undefined,
        );
        expect(made.text).to.contain("Eva de Wit").and.to.contain("Atelier Noord");
        expect(made.text).not.to.match(/[<>{}]|&#|undefined|null/);
        expect(made.text.includes("https://noord.kantoor.test/way?token=T0K3N")).to.equal(needs);
        expect(made.html.includes('href="https://noord.kantoor.test/way?token=T0K3N"')).to.equal(needs);
        expect(made.subject).to.be.a("string").with.length.within(5, 120);
      });
    }

  it("lists several things one to a line, in both parts", async () => {
    const variables = { title: "3 meldingen", lines: ["Eén & <b>twee</b>", "Drie", "Vier"] };
    const made = await compose(
      parts({ kind: "notification", link: "/notifications", token: "", variables }),
      sender(),
      DUTCH,
      undefined,
    );
    expect(made.text.split("\n").filter((line) => line.startsWith("- "))).to.deep.equal([
      "- Eén & <b>twee</b>",
      "- Drie",
      "- Vier",
    ]);
    expect(made.html).to.contain("<ul><li>Eén &amp; &lt;b&gt;twee&lt;/b&gt;</li><li>Drie</li><li>Vier</li></ul>");
  });

  it("says the same in both languages: a button here is a button there", () => {
    for (const kind of kinds) {
      const [nl, en] = [mailKinds()[kind].texts.nl.body, mailKinds()[kind].texts.en.body].map((body) =>
        body.map((part) => (typeof part === "string" ? "text" : Object.keys(part).join())),
      );
      expect(nl, kind).to.deep.equal(en);
    }
  });

  it("speaks the recipient's language, else the organisation's, else the instance's", async () => {
    expect(localeOf("en", "nl")).to.equal("en");
    expect(localeOf(null, "en")).to.equal("en");
    expect(localeOf("fr", "en"), "a language the service does not write").to.equal("en");
    expect(localeOf("fr", "de")).to.equal("nl");
    const subjects = await Promise.all(
      [parts({ locale: "en" }), parts({ locale: null }), parts({ locale: "fr" })].map(
        async (one) => (await compose(one, sender(), DUTCH, undefined)).subject,
      ),
    );
    expect(subjects).to.deep.equal([
      "Choose a new password for Atelier Noord",
      "Stel een nieuw wachtwoord in voor Atelier Noord",
      "Stel een nieuw wachtwoord in voor Atelier Noord",
    ]);
  });

  it("greets a person without a name without a gap", async () => {
    const { text } = await compose(parts({ name: null, locale: "en" }), sender(), DUTCH, undefined);
    expect(text.split("\n")[0]).to.equal("Hello,");
  });

  it("offers for rewording reset, invite, and the kinds of enabled modules", () => {
    expect(overridableKinds([])).to.deep.equal(["reset", "invite"]);
    expect(variablesOf("invite")).to.deep.equal(["brand", "name", "link"]);
  });

  it("uses an organisation's own subject and HTML, and the built-in plain text", async () => {
    const own = { subject: "Sleutel kwijt, {{ name }}?", body: '<p>Beste {{ name }}, <a href="{{ link }}">hier</a>.</p>' };
    const made = await compose(parts(), sender(), DUTCH, own);
    expect(made.subject).to.equal("Sleutel kwijt, Eva de Wit?");
    expect(made.html).to.contain(
      '<p>Beste Eva de Wit, <a href="https://noord.kantoor.test/reset-password?token=T0K3N">hier</a>.</p>',
    );
    expect(made.text).to.equal((await compose(parts(), sender(), DUTCH, undefined)).text);
  });

  it("puts the secret of a link only into the link: not into an image, nor an address of the template's own", async () => {
    const body =
      '<p><img src="https://evil.test/a?{{ link }}" /><a href="https://evil.test/b?{{ link }}">b</a>' +
      '<a href="{{ link }}&x=1">d</a><a title="{{ link }}" href="{{ link }}">e</a> {{ link }}</p>';
    const { html } = await compose(parts(), sender(), DUTCH, { subject: "", body });
    const link = "https://noord.kantoor.test/reset-password?token=T0K3N";
    expect(html).to.contain(`href="${link}">e</a> ${link}</p>`);
    expect(html.match(/T0K3N/g)).to.have.length(2);
  });

  it("replaces a blank subject or body by the built-in one, each separately", async () => {
    const builtIn = await compose(parts(), sender(), DUTCH, undefined);
    const onlyBody = await compose(parts(), sender(), DUTCH, { subject: "  ", body: "<p>Eigen tekst</p>" });
    expect(onlyBody.subject).to.equal(builtIn.subject);
    expect(onlyBody.html).to.contain("<p>Eigen tekst</p>");
    expect(await compose(parts(), sender(), DUTCH, { subject: "", body: "" })).to.deep.equal(builtIn);
  });

  it("falls back to the built-in text when the custom one fails, and reports it", async () => {
    const reported: string[] = [];
    const broken = { subject: "", body: "{% for i in (1..100000000) %}x{% endfor %}" };
    const made = await compose(parts(), sender(), DUTCH, broken, ({ message }) => reported.push(message));
    expect(made).to.deep.equal(await compose(parts(), sender(), DUTCH, undefined));
    expect(reported).to.have.length(1);
  });
});

describe("allowed content of a mail", () => {
  const NAMES = [
    "<b>Eva</b>",
    "<script>alert(1)</script>Eva",
    'Eva"><img src=x onerror=alert(1)>',
    "<style>*{display:none}</style>Eva",
    "<a href='https://evil.test'>Eva</a>",
    "<<b>b>Eva</b>",
    "Eva<!-- -->",
    "{{ link }}Eva{% for i in (1..9) %}x{% endfor %}",
  ];
  for (const name of NAMES)
    it(`no markup in a name survives: ${name}`, async () => {
      for (const override of [
        undefined,
        { subject: "", body: "<p>{{ name }}</p>" },
        { subject: "", body: '<p title="x">{{ name }}</p>' },
      ]) {
        const { html, text, subject } = await compose(parts({ name }), sender({ name }), DUTCH, override);
        expect(html).not.to.match(/<script|<img|onerror|evil\.test'|<b>|<!-- -->/i);
        expect(html.match(/<style>/g), "our own style alone").to.have.length(1);
        expect(html).to.contain("Eva");
        expect(text).not.to.match(/<\/?[a-z!]/i);
        expect(subject).not.to.match(/<\/?[a-z!]/i);
        expect(text, "Liquid in a value is text").not.to.contain("xxxxxxxxx");
      }
    });

  it("a value is text: what looks like markup in it is shown, not obeyed", async () => {
    const variables = { key_name: '<b>R&D</b> <a href="https://evil.test">x</a>', expires_on: "31-12-2026" };
    const { html, text, subject } = await compose(
      parts({ kind: "key-expiry", link: null, variables }),
      sender(),
      { ...DUTCH, locale: "en" },
      undefined,
    );
    expect(html)
      .to.contain("&lt;b&gt;R&amp;D&lt;/b&gt;")
      .and.not.to.match(/<b>|<a href="https:\/\/evil/);
    expect(text, "plain text is left as it is").to.contain(variables.key_name);
    expect(subject).to.contain(variables.key_name);
  });

  const HTML: [string, string, string][] = [
    ["scripts go with their contents", "<p>a<script>alert(1)</script>b</p>", "<p>ab</p>"],
    ["styles go with their contents", "<style>p{}</style><p>a</p>", "<p>a</p>"],
    ["handlers go", '<p onclick="x()">a</p>', "<p>a</p>"],
    ["links that run go", '<a href="javascript:alert(1)">a</a>', "<a>a</a>"],
    ["links that run go, however they are spelled", '<a href="jAva&#x0A;script:alert(1)">a</a>', "<a>a</a>"],
    ["data addresses go", '<img src="data:image/png;base64,AA" alt="x">', '<img alt="x" />'],
    ["addresses without a scheme go", '<a href="//evil.test">a</a>', "<a>a</a>"],
    ["images over http(s) stay", '<img src="https://a.test/b.png" alt="x">', '<img src="https://a.test/b.png" alt="x" />'],
    ["frames and forms go", '<iframe src="https://a.test">x</iframe><form><input>y</form>', "y"],
    ["pictures that are programs go", "<svg><script>1</script><a>x</a></svg>z", "z"],
    ["colours are hex", '<p style="color:red;background-color:#ff0000">a</p>', '<p style="background-color:#ff0000">a</p>'],
    ["styles that reach out go", '<p style="background:url(https://a.test);position:fixed">a</p>', "<p>a</p>"],
    [
      "mail and telephone links stay",
      '<a href="mailto:a@b.nl">a</a><a href="tel:+31">b</a>',
      '<a href="mailto:a@b.nl">a</a><a href="tel:+31">b</a>',
    ],
    ["broken markup is closed", "<p><b>a", "<p><b>a</b></p>"],
    ["other classes go", '<a class="button evil" href="https://a.test">a</a>', '<a class="button" href="https://a.test">a</a>'],
  ];
  for (const [what, given, wanted] of HTML)
    it(`sanitised: ${what}`, async () => {
      expect(await sanitised(given)).to.equal(wanted);
      expect(await sanitisedTemplate(given), "on write too").to.equal(wanted);
      expect(await sanitised(wanted), "twice changes nothing").to.equal(wanted);
    });

  it("Liquid stays as it was written while its surroundings are sanitised", async () => {
    const source = '<p>{% if name == "a<b>" %}{{ name | default: "x > y" }}{% endif %}</p><a href="{{ link }}">z</a>';
    expect(await sanitisedTemplate(source)).to.equal(source);
    expect(await sanitisedTemplate(`<p onclick="{{ name }}">${source}</p>`)).not.to.contain("onclick");
    expect(await sanitisedTemplate("\uE0000\uE001{{ name }}"), "nobody writes our placeholders").to.equal("0{{ name }}");
  });

  it("is sanitised again after values are put in: what only then becomes dangerous goes", async () => {
    const cases: [string, RegExp][] = [
      ['<a href="java{{ name }}">x</a>', /javascript/i],
      ['<a href="{{ name }}">x</a>', /href="javascript/i],
      ['<img src="{{ name }}">', /<img src/i],
    ];
    for (const [body, danger] of cases)
      for (const name of ["script:alert(1)", "javascript:alert(1)", "data:text/html,x"]) {
        const clean = await sanitisedTemplate(body);
        const { html } = await compose(parts({ name }), sender(), DUTCH, { subject: "", body: clean });
        expect(html, `${body} with ${name}`).not.to.match(danger);
      }
  });

  it("templates read no files, include nothing, call nothing and undo no escaping", async () => {
    const refused = [
      "{% include 'x' %}",
      "{% render 'x' %}",
      "{% layout 'x' %}",
      "{% block a %}{% endblock %}",
      "{% raw %}{{ x }}{% endraw %}",
      "{% liquid assign a = 1 %}",
      "{% tablerow i in (1..3) %}{% endtablerow %}",
      "{{ name | raw }}",
      "{{ name | url_decode }}",
      "{{ name | nothing }}",
      "{{ other }}",
      "{% for i in other %}{% endfor %}",
      "{{ name",
      "{% if name %}",
    ];
    for (const source of refused) expect(await isTemplate(source, ["brand", "name", "link"]), source).to.equal(false);
    const taken = [
      "",
      "plain",
      "{{ name | default: 'you' | upcase }}",
      "{% if name %}a{% else %}b{% endif %}",
      "{% assign x = name %}{{ x }}",
    ];
    for (const source of taken) expect(await isTemplate(source, ["brand", "name", "link"]), source).to.equal(true);
    expect(await render("{{ name.constructor }}{{ name.__proto__ }}", "text", { name: { a: 1 } })).to.equal("");
  });

  it("templates end: time, memory and size are bounded", async () => {
    const loops = [
      "{% for i in (1..100000000) %}x{% endfor %}",
      "{% for i in (1..900) %}{% for j in (1..900) %}{% for k in (1..900) %}x{% endfor %}{% endfor %}{% endfor %}",
      "{% assign a = 'xxxxxxxxxx' %}{% for i in (1..30) %}{% assign a = a | append: a %}{% endfor %}{{ a }}",
      `{% for i in (1..1000) %}${"x".repeat(400)}{% endfor %}`,
    ];
    for (const source of loops) {
      const error = await render(source, "html", {}).then(
        () => null,
        (thrown: Error) => thrown,
      );
      expect(error, source.slice(0, 60)).to.be.an("error");
    }
  });

  it("reads a template whose marks are not closed", async () => {
    expect(await sanitisedTemplate("<p>{{ a }}{% if b %}<x>c {{ d</x></p>")).to.equal("<p>{{ a }}{% if b %}c {{ d</p>");
  });

  it("an own text that takes too long runs in a thread, and the built-in one is sent", async () => {
    // It prints nothing and keeps little, so that it is time that runs out first, however fast the machine is.
    const body = `{% for a in (1..9000) %}${"{% if a == 0 %}x{% endif %}".repeat(400)}{% endfor %}`;
    const reported: string[] = [];
    const made = await compose(parts(), sender(), DUTCH, { subject: "", body }, ({ message }) => reported.push(message));
    expect(made).to.deep.equal(await compose(parts(), sender(), DUTCH, undefined));
    expect(reported).to.have.length(1);
    expect(reported[0]).to.match(/^template render limit exceeded/);
  });

  it("header values are one line: no CR, LF or other control character stays", async () => {
    const lines = [
      "a\r\nBcc: b@c.test",
      "a\nBcc: b@c.test",
      "a\u2028Bcc: b@c.test",
      "a\u0000\u0085Bcc: b@c.test",
      "a\u202EBcc: b@c.test",
    ];
    for (const line of lines) {
      expect(oneLine(line)).to.equal("a Bcc: b@c.test");
      const { subject } = await compose(parts({ name: line }), sender({ name: line }), DUTCH, {
        subject: "{{ name }}\r\nX: y {{ brand }}",
        body: "",
      });
      expect(subject).to.equal("a Bcc: b@c.test X: y a Bcc: b@c.test");
    }
  });
});

describe("branding of mails", () => {
  it("takes hex colours only", () => {
    for (const color of ["#abc", "#AABBCC"]) expect(brandColor(color)).to.equal(color.toLowerCase());
    for (const color of ["red", "rgb(1,2,3)", "#abcd", "#ab", "abc", "#xyz", "#fff;}body{display:none", "", null])
      expect(brandColor(color)).to.equal("#1f4e79");
  });

  it("shows a logo over http(s) only, else the brand's name", async () => {
    expect(brandLogo("https://a.test/l.png")).to.equal("https://a.test/l.png");
    for (const url of [
      "data:image/png;base64,AA",
      "javascript:alert(1)",
      "file:///etc/passwd",
      "ftp://a.test/l.png",
      "logo.png",
      "",
      null,
    ])
      expect(brandLogo(url), String(url)).to.equal(null);
    const withLogo = await compose(parts(), sender({ logoUrl: 'https://a.test/l.png?"><script>' }), DUTCH, undefined);
    expect(withLogo.html).to.match(/<img src="https:\/\/a\.test\/l\.png\?[^"<>]*" alt="Atelier Noord" height="40">/);
    expect((await compose(parts(), sender({ logoUrl: "javascript:1" }), DUTCH, undefined)).html).to.contain(
      "<strong>Atelier Noord</strong>",
    );
  });

  it("writes on a colour in the more readable of black and white", () => {
    expect(readableOn("#ffffff")).to.equal("#000000");
    expect(readableOn("#ffcc00")).to.equal("#000000");
    expect(readableOn("#000")).to.equal("#ffffff");
    expect(readableOn("#1f4e79")).to.equal("#ffffff");
  });

  it("carries the organisation's colour and language", async () => {
    const { html } = await compose(parts({ locale: "en" }), sender({ color: "#ab12CD" }), DUTCH, undefined);
    expect(html).to.contain('<html lang="en">').and.to.contain("border-top: 4px solid #ab12cd");
  });
});
