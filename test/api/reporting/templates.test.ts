import { expect } from "chai";
import type { Answer } from "../../support/http.ts";
import { png } from "../../support/pictures.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { printerReady } from "../money/mails/mailed-documents.ts";
import { attach } from "../platform/files-support.ts";
import { NOT_FOUND, ok, type Row, refused } from "./reporting-world.ts";

const TOO_LARGE = "errors.reporting.template_too_large";
const UNRENDERABLE = "errors.reporting.template_render";
const ENDLESS = "{% for a in (1..100000) %}{% for b in (1..100000) %}x{% endfor %}{% endfor %}";

describe("templates of reports (workspace-reporting §1.2)", function () {
  this.timeout(60_000);
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const list = async (query = "", caller: Caller = tenant.owner) =>
    (await ok(caller.get(`/reporting/templates${query}`))) as unknown as Row[];
  const post = (body: object) => tenant.owner.post("/reporting/templates", body);
  const create = (body: object) => ok(post(body));
  const put = (id: string, body: object) => tenant.owner.put(`/reporting/templates/${id}`, body);
  const attachPicture = async ({ owner }: Tenant) => attach(owner, "entity_type=branding", png(), "image/png", "cover.png");
  const preview = (body: object = {}) => tenant.owner.post("/reporting/templates/preview", body);
  const names = (rows: Row[]) => rows.map(({ name }) => name);
  const defaults = async () => names((await list()).filter(({ is_default }) => is_default));

  describe("stored", () => {
    it("have their defaults, the first of an audience being its default even when posted with false", async () => {
      const first = await create({ name: " First ", is_default: false });
      expect(first).to.deep.equal({
        id: first["id"],
        name: "First",
        audience: "client",
        design: "standard",
        layout: { sections: [] },
        custom_html: null,
        custom_css: null,
        accent_color: null,
        cover_image_file_id: null,
        intro_text: null,
        is_default: true,
      });
      expect(await create({ name: "Second" })).to.include({ is_default: false });
      expect(await create({ name: "Inside", audience: "internal" })).to.include({ is_default: true });
    });

    it("are listed by name, of one audience on request", async () => {
      for (const [name, audience] of [
        ["b", "client"],
        ["a", "internal"],
        ["c", "client"],
      ])
        await create({ name, audience });
      expect(names(await list())).to.deep.equal(["a", "b", "c"]);
      expect(names(await list("?audience=client"))).to.deep.equal(["b", "c"]);
      expect(names(await list("?audience=internal"))).to.deep.equal(["a"]);
      expect((await tenant.owner.get("/reporting/templates?audience=public")).status).to.equal(422);
      expect(names(await list("?updated_since=2999-01-01T00:00:00Z"))).to.deep.equal([]);
    });

    it("are replaced whole by PUT, the layout completed", async () => {
      const { id } = await create({ name: "A", intro_text: "Hi", accent_color: "#123456" });
      const layout = { sections: [{ key: "marketing.social" }, { key: "x", enabled: false, label_i18n: { nl: "X" } }] };
      expect(await ok(put(id, { name: "B", layout, audience: "internal" }))).to.deep.include({
        name: "B",
        audience: "internal",
        intro_text: null,
        accent_color: null,
        is_default: false,
        layout: {
          sections: [
            { key: "marketing.social", enabled: true, label_i18n: {} },
            { key: "x", enabled: false, label_i18n: { nl: "X" } },
          ],
        },
      });
    });

    it("lose every field that a PUT omits", async () => {
      const { id } = await create({ name: "Plain" });
      const plain = await ok(put(id, { name: "Plain" }));
      const full = {
        name: "Plain",
        audience: "internal",
        design: "custom",
        layout: { sections: [{ key: "marketing.social" }] },
        custom_html: "<p>x</p>",
        custom_css: "p { color: red }",
        accent_color: "#123456",
        cover_image_file_id: (await ok(attachPicture(tenant)))["id"],
        intro_text: "Hi",
        is_default: true,
      };
      expect(await ok(put(id, full))).to.include({ custom_css: full.custom_css, cover_image_file_id: full.cover_image_file_id });
      expect(await ok(put(id, { name: "Plain" }))).to.deep.equal(plain);
      expect(plain).to.deep.include({ audience: "client", design: "standard", custom_html: null, is_default: false });
    });

    it("have one default per audience: setting it clears the other of that audience alone, also at the same time", async () => {
      const inside = await create({ name: "inside", audience: "internal" });
      const made = await Promise.all(["a", "b", "c"].map((name) => create({ name })));
      expect(await defaults()).to.have.length(2);
      const set = ({ id, name }: Row) => ok(put(id, { name, is_default: true }));
      await Promise.all(made.map(set));
      expect(await defaults()).to.have.length(2);
      await set(made[0] as Row);
      expect(await defaults()).to.deep.equal(["a", "inside"]);
      // A default that moves to another audience takes that one's place.
      await ok(put((made[0] as Row)["id"], { name: "a", audience: "internal", is_default: true }));
      expect(await defaults()).to.deep.equal(["a"]);
      expect(names(await list("?audience=internal"))).to.deep.equal(["a", inside["name"]]);
    });

    it("are gone after DELETE, and unknown ids are 404", async () => {
      const { id } = await create({ name: "A" });
      expect((await tenant.owner.delete(`/reporting/templates/${id}`)).status).to.equal(204);
      for (const answer of [await put(id, { name: "x" }), await tenant.owner.delete(`/reporting/templates/${id}`)])
        expect(refused(answer)).to.deep.equal(NOT_FOUND);
    });

    it("show a picture of the brand, and no missing one or one of another owner", async () => {
      const file = await ok(attachPicture(tenant));
      const template = await create({ name: "A", cover_image_file_id: file["id"] });
      expect(template["cover_image_file_id"]).to.equal(file["id"]);
      const page = await preview({ cover_image_file_id: file["id"] });
      expect(page.text).to.match(/<img class="cover" src="data:image\/png;base64,/);
      const foreign = await ok(attachPicture(await service.tenant()));
      for (const id of [foreign["id"], "0196a000-0000-7000-8000-000000000000"])
        for (const answer of [await post({ name: "B", cover_image_file_id: id }), await preview({ cover_image_file_id: id })])
          expect(refused(answer)).to.deep.equal(NOT_FOUND);
    });
  });

  describe("refused", () => {
    const bodies = () => [
      (look: object) => post({ name: "x", ...look }),
      preview,
      async (look: object) => put((await create({ name: "y" }))["id"], { name: "y", ...look }),
    ];

    it("for HTML beyond 200,000 and CSS beyond 100,000 characters, under the request's own names", async () => {
      for (const send of bodies()) {
        expect(refused(await send({ custom_html: "x".repeat(200_001), custom_css: "y".repeat(100_001) }))).to.deep.equal([
          422,
          "validation",
          TOO_LARGE,
          { custom_html: TOO_LARGE, custom_css: TOO_LARGE },
        ]);
        expect(refused(await send({ custom_css: "y".repeat(100_001) }))).to.deep.equal([
          422,
          "validation",
          TOO_LARGE,
          { custom_css: TOO_LARGE },
        ]);
      }
    });

    it("but not at the limits themselves", async () => {
      const largest = {
        name: "n".repeat(160),
        design: "d".repeat(32),
        custom_html: "h".repeat(200_000),
        custom_css: "c".repeat(100_000),
        accent_color: "a".repeat(16),
        intro_text: "i".repeat(4000),
        layout: {
          sections: Array.from({ length: 100 }, (_, at) => ({ key: `${at}`.padEnd(120, "k"), enabled: true, label_i18n: {} })),
        },
      };
      expect(await create(largest)).to.deep.include(largest);
    });

    it("with null for a blank body or style sheet", async () => {
      const blank = { custom_html: " \n ", custom_css: "" };
      expect(await create({ name: "x", ...blank })).to.include({ custom_html: null, custom_css: null });
    });

    it("by characters, not by the units in which JavaScript counts them", async () => {
      const [html, css] = ["😀".repeat(100_001), "😀".repeat(50_001)];
      expect(await create({ name: "x", custom_html: html, custom_css: css })).to.include({ custom_html: html, custom_css: css });
      expect(refused(await post({ name: "x", custom_css: "é".repeat(100_001) }))[2]).to.equal(TOO_LARGE);
      // The explanation is cut between characters as well.
      const { body } = await post({ name: "x", design: "custom", custom_html: `{% ${"😀".repeat(600)} %}` });
      expect(body.error.details.reason.isWellFormed(), body.error.details.reason).to.equal(true);
    });

    it("for HTML that does not parse in another design as well: it would fail once the design is custom", async () => {
      for (const send of bodies())
        for (const look of [{}, { design: "standard" }, { audience: "internal" }])
          expect(refused(await send({ ...look, custom_html: "{% if %}" })), JSON.stringify(look)).to.deep.equal([
            422,
            "validation",
            UNRENDERABLE,
            { custom_html: UNRENDERABLE },
          ]);
    });

    it("for HTML that does not parse, or does not end, with the engine's explanation", async () => {
      const rows: [html: string, reason: RegExp][] = [
        ["<p>{% if %}</p>", /invalid|expect|if/i],
        ["{% include 'secrets' %}", /tag "include" not found/],
        ["{% render 'x' %}", /tag "render" not found/],
        ["{{ title | nonsense }}", /undefined filter: nonsense/],
        [ENDLESS, /too many steps|more than 2 seconds/],
        [`{% ${"x".repeat(2000)} %}`, /^tag "xxx/],
      ];
      for (const send of bodies())
        for (const [html, reason] of rows) {
          const answer = await send({ design: "custom", custom_html: html });
          expect(refused(answer), html.slice(0, 40)).to.deep.equal([
            422,
            "validation",
            UNRENDERABLE,
            { custom_html: UNRENDERABLE },
          ]);
          expect(answer.body.error.details.reason).to.match(reason);
          expect(answer.body.error.details.reason.length).to.be.at.most(500);
        }
    });

    it("for a body or style that makes a report of more than 600 pages", async function () {
      this.timeout(180_000);
      await printerReady();
      const [send] = bodies();
      for (const look of [
        { custom_html: '<div style="height: 30000000px">x</div>' },
        { custom_html: "<p>x</p>", custom_css: "p { height: 30000000px }" },
      ]) {
        const answer = await (send as (look: object) => Promise<Answer>)(look);
        expect(refused(answer)).to.deep.equal([422, "validation", UNRENDERABLE, { custom_html: UNRENDERABLE }]);
        expect(answer.body.error.details.reason).to.equal("the document is longer than 600 pages");
      }
    });

    it("for values against the field rules", async () => {
      const rows: [body: object, field: string][] = [
        [{}, "name"],
        [{ name: " " }, "name"],
        [{ name: "x".repeat(161) }, "name"],
        [{ name: "x", audience: "public" }, "audience"],
        [{ name: "x", design: "x".repeat(33) }, "design"],
        [{ name: "x", accent_color: "x".repeat(17) }, "accent_color"],
        [{ name: "x", intro_text: "x".repeat(4001) }, "intro_text"],
        [{ name: "x", layout: { sections: [{ key: "x".repeat(121) }] } }, "key"],
        [{ name: "x", layout: { sections: Array.from({ length: 101 }, () => ({ key: "x" })) } }, "sections"],
      ];
      for (const [body, field] of rows) {
        const { status, body: answered } = await post(body);
        expect([status, Object.keys(answered.error.fields)], JSON.stringify(body).slice(0, 60)).to.deep.equal([422, [field]]);
      }
    });
  });

  describe("POST preview", () => {
    it("draws an invented report for a placeholder client, in the default locale, and stores nothing", async () => {
      const count = async () =>
        (await service.sql.query("select 1 from report_templates where organisation_id = $1", [tenant.organisation.id])).rows
          .length;
      const dutch = await preview();
      expect([dutch.status, dutch.headers["content-type"]]).to.deep.equal([200, "text/html; charset=utf-8"]);
      expect(dutch.text).to.include('<html lang="nl">').and.include("Atelier Zonneveld").and.include("4.285");
      await ok(tenant.owner.put("/reporting/settings", { default_locale: "en", footer_text: "Till next month" }));
      const english = await preview({ intro_text: "Dear client,\n\nAll is well." });
      expect(english.text).to.include('<html lang="en">').and.include("Sunfield Studio").and.include("4,285");
      expect(english.text).to.include("<p>Dear client,</p><p>All is well.</p>").and.include("<p>Till next month</p>");
      expect((await preview({ audience: "internal" })).text).to.include("Internal report");
      expect(await count()).to.equal(0);
    });

    it("prints a change of 1000 % or more as a factor, and marks directions without colour", async () => {
      const { text } = await preview();
      expect(text).to.include("11,4×").and.include("▲").and.include("▼").and.include("+18,6%");
    });

    it("draws every chart with a size of its own, a title and a text alternative (S29)", async () => {
      const { text } = await preview();
      const charts = [...text.matchAll(/<svg [^>]*>/g)].map(([tag]) => tag);
      expect(charts).to.have.length(2);
      for (const tag of charts)
        expect(tag)
          .to.match(/ width="\d+" height="\d+" /)
          .and.not.include("%");
      expect(text.match(/<title id="chart-/g)).to.have.length(2);
      expect(text.match(/<desc id="chart-/g)).to.have.length(2);
    });

    it("forbids a browser everything but pictures and styles that are in the page", async () => {
      const { headers } = await preview();
      expect(headers).to.deep.include({
        "content-security-policy": "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'",
        "cache-control": "no-store",
      });
    });

    it("takes nothing of name, layout and default", async () => {
      expect((await preview({ name: 7, layout: "x", is_default: "perhaps" })).status).to.equal(200);
    });

    it("is the standard design for an unknown one, and for a custom one with an empty body", async () => {
      const { text } = await preview();
      expect((await preview({ design: "brochure" })).text).to.equal(text);
      for (const custom_html of ["", " \n", null]) expect((await preview({ design: "custom", custom_html })).text).to.equal(text);
    });

    it("puts the values of the report into a custom body, escaped, charts as pictures", async () => {
      const { text } = await preview({
        design: "custom",
        custom_html:
          "<h1>{{ client }}</h1><p class='i'>{{ intro[0] }}</p>{% for section in sections %}<h2>{{ section.title }}</h2>{{ section.chart | markup }}{% endfor %}",
        intro_text: "<script>alert(1)</script>",
      });
      expect(text).to.include("<h1>Atelier Zonneveld</h1>").and.include("&lt;script&gt;alert(1)").and.not.include("<script");
      expect(text).to.match(/<img src="data:image\/svg\+xml;base64,[^"]+" width="656" height="210" alt="1-2: 412/);
    });

    it("lets nothing of a body run, load, submit or reach outside the report", async () => {
      const { text } = await preview({
        design: "custom",
        custom_html: `<script>x</script><img src="https://evil.example/a.png"><img src="file:///etc/passwd"><iframe src="//evil.example"></iframe>
          <form action="https://evil.example"><input></form><link rel="stylesheet" href="https://evil.example/x.css">
          <a href="javascript:x">j</a><p onclick="x">p</p>{{ constructor }}{{ sections.constructor.name }}{{ words.__proto__ }}{{ process.env }}`,
      });
      for (const gone of [
        "<script",
        "evil.example",
        "file:",
        "<iframe",
        "<form",
        "<link",
        "javascript:",
        "onclick",
        "Array",
        "Function",
      ])
        expect(text, gone).not.to.include(gone);
    });

    it("neutralises a closing style tag in the CSS", async () => {
      const { text } = await preview({ custom_css: "p { color: red }</style><script>x</script>" });
      expect(text.match(/<\/style>/g)).to.have.length(1);
      expect(text).to.include("p { color: red }<\\/style>");
    });
  });

  it("GET designs/{design}/source gives a shipped design, the standard one for an unknown name", async () => {
    const source = (design: string) => ok(tenant.owner.get(`/reporting/templates/designs/${design}/source`));
    const standard = await source("standard");
    expect(Object.keys(standard)).to.have.members(["html", "css"]);
    expect(await source("nonsense")).to.deep.equal(standard);
    expect(await source("constructor")).to.deep.equal(standard);
    // A start for one's own: it renders as a custom body.
    const own = await preview({ design: "custom", custom_html: standard["html"], custom_css: standard["css"] });
    expect(own.text).to.include("Atelier Zonneveld").and.include("data:image/svg+xml;base64,");
  });
});
