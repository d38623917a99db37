import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Answer } from "../../../support/http.ts";
import type { Caller, Tenant } from "../../../support/service.ts";
import { sharedService, type TestService } from "../../../support/service.ts";
import { attach } from "../../platform/files-support.ts";
import { Invoicing, ok, refused } from "../documents/invoicing.ts";
import { printerReady } from "../mails/mailed-documents.ts";

const HTML = "<h1>{{ heading }}</h1>{% for block in body %}<p>{{ block.key }}</p>{% endfor %}";

const ENDLESS = "{% for a in (1..100000) %}{% for b in (1..100000) %}x{% endfor %}{% endfor %}";
/** Checks the refusal of a design without end; which of its two limits ends it depends on the machine. */
function expectEndless(answer: Answer): void {
  const { status, body } = answer;
  expect([status, body.error?.message]).to.deep.equal([422, "errors.invoicing.template_render"]);
  expect(body.error.fields).to.have.all.keys("html");
  expect(body.error.fields.html).to.match(/^the template needs too many steps, line:1, col:27$|^it took more than 2 seconds/);
}

describe("templates of documents", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const list = async (caller: Caller = tenant.owner, query = "") => ok(caller.get(`/invoicing/templates${query}`));
  const create = (body: object, caller: Caller = tenant.owner) => caller.post("/invoicing/templates", body);
  const change = (id: string, body: object, caller: Caller = tenant.owner) => caller.patch(`/invoicing/templates/${id}`, body);
  const count = async () =>
    Number(
      (await service.sql.query("select count(*) from invoice_templates where organisation_id = $1", [tenant.organisation.id]))
        .rows[0].count,
    );
  /** One who manages templates but writes no bodies. */
  const manager = () => tenant.member("member", { grants: ["invoicing.settings.manage", "invoicing.invoice.read:any"] });

  it("start with one empty default, created by the first listing of a manager", async () => {
    const reader = await tenant.member("member", { grants: ["invoicing.invoice.read:any"] });
    expect(await list(reader)).to.deep.equal([]);
    expect(await count()).to.equal(0);
    const both = await Promise.all([list(), list(), list()]);
    expect(await count()).to.equal(1);
    const [[template]] = both;
    expect(template).to.include({ name: "Standaard", is_default: true, active: true, position: 0 });
    expect(template.config).to.deep.include({ design: "classic", show_logo: true, layout: [], html: null });
    expect(await list(reader)).to.deep.equal([template]);
  });

  it("are listed by position and name, inactive ones only when asked for", async () => {
    for (const [name, position, active] of [
      ["b", 1, true],
      ["a", 1, true],
      ["z", 0, true],
      ["gone", 0, false],
    ] as const)
      await ok(create({ name, position, active }));
    const names = (rows: { name: string }[]) => rows.map(({ name }) => name);
    expect(names(await list())).to.deep.equal(["z", "a", "b"]);
    expect(names(await list(tenant.owner, "?include_inactive=true"))).to.deep.equal(["gone", "z", "a", "b"]);
  });

  it("have one default at most: choosing one takes it from the other", async () => {
    const first = await ok(create({ name: "first", is_default: true }));
    const second = await ok(create({ name: "second", is_default: true }));
    const defaults = async () =>
      (await list()).flatMap((one: { name: string; is_default: boolean }) => (one.is_default ? one.name : []));
    expect(await defaults()).to.deep.equal(["second"]);
    await Promise.all([change(first.id, { is_default: true }), change(second.id, { is_default: true })].map(ok));
    expect(await defaults()).to.have.length(1);
    await ok(change(first.id, { is_default: true }));
    expect(await defaults()).to.deep.equal(["first"]);
  });

  it("store a configuration whole, for any part of it sent", async () => {
    const { id, config } = await ok(
      create({ name: "T", config: { design: "letterhead", background: { enabled: true }, layout: [{ key: "notes" }] } }),
    );
    expect(config).to.deep.include({
      design: "letterhead",
      columns: { quantity: true, unit: false, unit_price: true, tax: true },
    });
    expect(config.background).to.include({ enabled: true, opacity: 0.04, file_id: null });
    expect(config.layout).to.deep.equal([{ key: "notes", enabled: true, fields: [] }]);
    const changed = await ok(change(id, { config: { accent_color: "#123456" } }));
    expect(changed.config).to.include({ accent_color: "#123456", design: "classic" });
  });

  it("refuse unknown keys, and invalid shapes", async () => {
    for (const [body, field] of [
      [{ name: "" }, "name"],
      [{ name: "T", config: { dezign: "classic" } }, "dezign"],
      [{ name: "T", config: { design: "fancy" } }, "design"],
      [{ name: "T", config: { background: { opacity: 2 } } }, "opacity"],
      [{ name: "T", config: { layout: Array.from({ length: 41 }, () => ({ key: "notes" })) } }, "layout"],
    ] as const) {
      const { status, body: answer } = await create(body);
      expect([status, Object.keys(answer.error.fields)], JSON.stringify(body)).to.deep.equal([422, [field]]);
    }
  });

  it("take bodies that are templates, of some size, and need one for a custom design", async () => {
    const custom = (html: string | null, css: string | null = null) =>
      create({ name: "T", config: { design: "custom", html, css } });
    expect(refused(await custom(null))).to.deep.equal([
      422,
      "errors.validation",
      { html: "errors.invoicing.template_body_required" },
    ]);
    const large = "errors.invoicing.template_too_large";
    expect(refused(await custom("x".repeat(200_001)))).to.deep.equal([422, large, { html: large }]);
    expect(refused(await custom("x", "y".repeat(100_001)))).to.deep.equal([422, large, { css: large }]);
    expect((await custom("x".repeat(200_000))).status).to.equal(201);
    expect((await custom("😀".repeat(200_000))).status).to.equal(201);
    for (const html of [
      "{% if %}",
      "{% include 'x' %}",
      "{{ a | nofilter }}",
      "{% render 'x' %}",
      "{% for x in y %}",
      "{{ a | markup: ",
    ]) {
      const [status, message, fields] = refused(await custom(html));
      expect([status, message], html).to.deep.equal([422, "errors.invoicing.template_render"]);
      expect((fields as { html: string }).html)
        .to.be.a("string")
        .and.not.match(/node_modules|services\//);
    }
    expect(await count()).to.equal(2);
  });

  it("let only authors write a body, but every manager of templates send it back", async () => {
    const caller = await manager();
    const forbidden = [403, "errors.forbidden"];
    expect(refused(await create({ name: "T", config: { html: HTML } }, caller))).to.deep.equal(forbidden);
    expect(refused(await create({ name: "T", config: { css: "p{}" } }, caller))).to.deep.equal(forbidden);
    const { id, config } = await ok(create({ name: "T", config: { design: "custom", html: HTML, css: "p{}" } }));
    expect((await change(id, { config: { ...config, accent_color: "#000" } }, caller)).status).to.equal(200);
    expect(refused(await change(id, { config: { ...config, css: "p{color:red}" } }, caller))).to.deep.equal(forbidden);
    expect((await change(id, { config: { design: "classic", html: null, css: null } }, caller)).status).to.equal(200);
    expect(refused(await change(id, { config }, caller)), "what is gone is new").to.deep.equal(forbidden);
  });

  it("name pictures of the organisation's branding, and may be sent back after one has gone", async () => {
    const company = await tenant.company();
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';
    const file = async (query: string) => (await ok(attach(tenant.owner, query, svg, "image/svg+xml", "a.svg"))).id;
    const stranger = await service.tenant();
    const theirs = (await ok(attach(stranger.owner, "entity_type=branding", svg, "image/svg+xml", "a.svg"))).id;
    for (const id of [randomUUID(), theirs, await file(`entity_type=company&entity_id=${company.id}`)]) {
      const none = [400, "errors.validation", { qr_logo_file_id: "errors.not_found" }];
      expect(refused(await create({ name: "T", config: { qr_logo_file_id: id } }))).to.deep.equal(none);
      const behind = [400, "errors.validation", { file_id: "errors.not_found" }];
      expect(refused(await create({ name: "T", config: { background: { file_id: id } } }))).to.deep.equal(behind);
    }
    const own = await file("entity_type=branding");
    const { id, config } = await ok(create({ name: "T", config: { qr_logo_file_id: own } }));
    await ok(tenant.owner.delete(`/files/${own}`));
    expect((await change(id, { config: { ...config, accent_color: "#000000" } })).status).to.equal(200);
  });

  describe("previews", () => {
    const preview = (config: object, more: object = {}, caller: Caller = tenant.owner) =>
      caller.post("/invoicing/templates/preview", { config, ...more });

    it("draw an invented invoice with the organisation's seller and brand, and store nothing", async () => {
      await ok(tenant.owner.put("/invoicing/settings", { company_details: { name: "Vela Works B.V." } }));
      await ok(tenant.owner.patch("/meta/tenant", { primary_color: "#0b6e4f" }));
      const { status, text, headers } = await preview({ design: "letterhead" });
      expect(status, text).to.equal(200);
      expect(text).to.include("Vela Works B.V.").and.include("--accent: #0b6e4f").and.include("€ 1.028,44");
      expect(headers["content-security-policy"]).to.include("default-src 'none'");
      expect((await preview({ design: "letterhead" })).text).to.equal(text);
      expect(await count()).to.equal(0);
    });

    it("validate a body like its storing, a stored template counting as known", async () => {
      const caller = await manager();
      expect(refused(await preview({ design: "custom", html: HTML }, {}, caller))).to.deep.equal([403, "errors.forbidden"]);
      const { id, config } = await ok(create({ name: "T", config: { design: "custom", html: HTML } }));
      expect((await preview(config, { template_id: id }, caller)).status).to.equal(200);
      expect((await preview(config, { template_id: randomUUID() })).status).to.equal(404);
      const stranger = await service.tenant();
      expect((await preview(config, { template_id: id }, stranger.owner)).status).to.equal(404);
    });

    it("run bodies without internals, files, scripts or a way out of the page", async () => {
      const html = `<p onclick="x()">{{ constructor }}{{ heading.constructor }}{{ body[0].html.constructor }}</p><script>x()</script>
        <img src="https://x.test/a.png"><img src="data:image/png;base64,AAAA"><iframe src="//x"></iframe><form action="//x"><input></form>
        <meta http-equiv="refresh" content="0;url=//x"><link rel="stylesheet" href="//x"><a href="javascript:x()">a</a>{{ "<b>" }}{{ "<i>" | markup }}`;
      const css = "p{color:red}</style><script>y()</script>";
      const { status, text } = await preview({ design: "custom", html, css });
      expect(status, text).to.equal(200);
      expect(text).not.to.match(/<script>x|onclick|x\.test|<iframe|<form|<input|refresh|<link|javascript:|function|<b>|<i>/);
      expect(text).to.include("data:image/png;base64,AAAA").and.include("<\\/style><script>y()");
      expect(text.match(/<\/style>/gi)).to.have.length(1);
    });

    it("end a body that takes too long, as one that cannot be rendered", async () => {
      expectEndless(await preview({ design: "custom", html: ENDLESS }));
    });

    it("hold up no neighbour while a body runs", async () => {
      const neighbour = await service.tenant();
      const order: string[] = [];
      const previews = [1, 2, 3].map(async () => {
        await preview({ design: "custom", html: ENDLESS });
        order.push("preview");
      });
      for (let read = 0; read < 5; read++) {
        await ok(neighbour.owner.get("/companies?limit=1"));
        order.push("read");
      }
      await Promise.all(previews);
      expect(order).to.deep.equal([...Array(5).fill("read"), ...Array(3).fill("preview")]);
    });

    it("print a reverse charge's notice and markdown in a body of its own", async () => {
      const html = "{% for block in body %}{{ block.html | markup }}{% endfor %}{{ seller[0].value }}";
      const { text } = await preview({ design: "custom", html, footer_i18n: { nl: "**Dank** <script>x</script>" } });
      expect(text).to.include("<strong>Dank</strong>").and.not.include("<script>");
    });
  });

  describe("that cannot be rendered", () => {
    const LONG = "{% for a in (1..100000) %}{% for b in (1..100000) %}{% endfor %}{% endfor %}";
    const GROWING = "{% assign s = 'xx' %}{% for a in (1..60) %}{% capture s %}{{ s }}{{ s }}{% endcapture %}{% endfor %}";

    it("are not stored: saving renders a new body once, for any design", async () => {
      for (const html of [
        ENDLESS,
        LONG,
        GROWING,
        "{{ heading | slice }}{{ body | join: body }}{% for a in (1..999999999) %}{% endfor %}",
      ])
        for (const design of ["custom", "classic"])
          expect(refused(await create({ name: "T", config: { design, html } })).slice(0, 2), html).to.deep.equal([
            422,
            "errors.invoicing.template_render",
          ]);
      expect(await count()).to.equal(0);
      const { id, updated_at } = await ok(create({ name: "T", config: { design: "custom", html: HTML } }));
      expectEndless(await change(id, { config: { design: "custom", html: ENDLESS } }));
      const [kept] = await list();
      expect([kept.updated_at, kept.config.html]).to.deep.equal([updated_at, HTML]);
    });

    it("are not stored where a new body or style makes a document of more than 600 pages", async function () {
      this.timeout(180_000);
      await printerReady();
      const high = '<div class="high">x</div>';
      const { id } = await ok(create({ name: "T", config: { design: "custom", html: high } }));
      for (const config of [
        { design: "custom", html: '<div style="height: 30000000px">x</div>' },
        { design: "custom", html: high, css: ".high { height: 30000000px }" },
      ]) {
        const answer = await change(id, { config });
        expect(refused(answer)).to.deep.equal([
          422,
          "errors.invoicing.template_render",
          { html: "the document is longer than 600 pages" },
        ]);
      }
      const [kept] = await list();
      expect([kept.config.html, kept.config.css]).to.deep.equal([high, null]);
      await ok(change(id, { config: { design: "custom", html: high, css: ".high { height: 3000px }" } }));
    });

    it("are a conflict for staff where they are stored, and the classic design for everyone else", async function () {
      this.timeout(120_000);
      await printerReady();
      const books = await Invoicing.open(service, tenant);
      const { id: templateId } = await ok(create({ name: "T", config: { design: "custom", html: "<h1>OWN</h1>" } }));
      const { id, number } = await books.issued(books.mixed(), { template_id: templateId });
      const quote = await ok(
        books.owner.post("/invoicing/quotes", { company_id: books.company, lines: books.mixed(), template_id: templateId }),
      );
      const read = (path: string) => books.owner.get(`/invoicing/${path}`);
      expect((await read(`invoices/${id}/preview`)).text).to.include("<h1>OWN</h1>");
      await service.sql.query(
        "update invoice_templates set config = jsonb_set(config, '{html}', to_jsonb($2::text)) where organisation_id = $1",
        [tenant.organisation.id, ENDLESS],
      );
      // An issued document prints the design it was issued with.
      await service.sql.query(
        "update issued_looks set template = jsonb_set(template, '{html}', to_jsonb($2::text)) where organisation_id = $1 and template is not null",
        [tenant.organisation.id, ENDLESS],
      );
      for (const path of [
        `invoices/${id}/preview`,
        `invoices/${id}/pdf`,
        `quotes/${quote.id}/preview`,
        `quotes/${quote.id}/pdf`,
      ]) {
        const { status, body } = await read(path);
        expect([status, body.error?.message], path).to.deep.equal([409, "errors.invoicing.template_render"]);
        expect(body.error.details.reason).to.match(/too many steps|more than 2 seconds/);
      }
      const { rows } = await service.sql.query("select public_token from invoices where id = $1", [id]);
      const open = (path: string) =>
        service.call("GET", `/invoicing/public/invoices/${rows[0].public_token}${path}`, { host: tenant.host });
      const { status, text } = await open("/preview");
      expect(status).to.equal(200);
      expect(text).to.include('<table class="totals">').and.include(number);
      expect((await open("/pdf")).status).to.equal(200);
      expect((await read(`invoices/pdf?ids=${id}`)).status).to.equal(200);
    });

    it("are the same where a stored one makes a document that is too long", async function () {
      this.timeout(180_000);
      await printerReady();
      const books = await Invoicing.open(service, tenant);
      const { id: templateId } = await ok(create({ name: "T", config: { design: "custom", html: "<h1>OWN</h1>" } }));
      const { id } = await books.issued(books.mixed(), { template_id: templateId });
      await service.sql.query(
        `update issued_looks set template = jsonb_set(template, '{html}', '"<div style=\\"height: 30000000px\\">x</div>"')
          where organisation_id = $1 and template is not null`,
        [tenant.organisation.id],
      );
      const { status, body } = await books.owner.get(`/invoicing/invoices/${id}/pdf`);
      expect([status, body.error?.message]).to.deep.equal([409, "errors.invoicing.template_render"]);
      expect(body.error.details.reason).to.equal("the document is longer than 600 pages");
      expect((await books.owner.get(`/invoicing/invoices/pdf?ids=${id}`)).status).to.equal(200);
    });
  });

  describe("codes", () => {
    const code = async (config: object) => ok(tenant.owner.post("/invoicing/templates/qr-preview", { config }));

    it("are in the accent, in black, or in colours of their own", async () => {
      expect(await code({ accent_color: "#0b6e4f" })).to.include({ dark: "#0b6e4f", light: "#ffffff", replaced: false });
      expect(await code({ qr_style: "plain", accent_color: "#0b6e4f" })).to.include({ dark: "#000000", light: "#ffffff" });
      const own = { qr_style: "custom", qr_color: "#113355", qr_background: "#ffeecc" };
      const { svg, ...colours } = await code(own);
      expect(colours).to.deep.equal({ dark: "#113355", light: "#ffeecc", replaced: false });
      expect(svg).to.include('fill="#113355"').and.include('fill="#ffeecc"').and.not.include("<image");
    });

    it("replace both colours if a scanner could not distinguish them", async () => {
      const replaced = { dark: "#171717", light: "#ffffff", replaced: true };
      for (const colours of [
        { qr_color: "#ffffff", qr_background: "#111111" },
        { qr_color: "#999999", qr_background: "#ffffff" },
        { qr_color: "#000000", qr_background: "#808080" },
        { qr_color: "red", qr_background: "#ffffff" },
      ])
        expect(await code({ qr_style: "custom", ...colours }), JSON.stringify(colours)).to.include(replaced);
    });
  });

  it("can arrange the catalogue's blocks", async () => {
    const { blocks, designs, can_author } = await ok(tenant.owner.get("/invoicing/template-blocks"));
    expect(designs).to.deep.equal(["classic", "letterhead", "custom"]);
    expect(can_author).to.equal(true);
    expect((await ok((await manager()).get("/invoicing/template-blocks"))).can_author).to.equal(false);
    expect(blocks.map(({ key }: { key: string }) => key).join(" ")).to.equal(
      "logo heading seller bill_to meta payment_box payment_qr payment_link intro lines tax_summary transfer_qr totals reverse_charge notes payment footer",
    );
    const movable = blocks.filter((one: { movable: boolean }) => one.movable);
    expect(movable[0].key).to.equal("payment_box");
    expect(blocks.find((one: { key: string }) => one.key === "lines")).to.deep.include({
      region: "body",
      locked: true,
      default: true,
    });
  });

  it("may begin with the body of a shipped design, which renders as its own", async () => {
    const source = async (design: string) => ok(tenant.owner.get(`/invoicing/template-blocks/${design}/source`));
    const classic = await source("classic");
    expect(await source("no-such-design")).to.deep.equal(classic);
    const letterhead = await source("letterhead");
    expect(letterhead.html).not.to.equal(classic.html);
    const { text } = await tenant.owner.post("/invoicing/templates/preview", { config: { design: "custom", ...letterhead } });
    expect(text).to.include('class="letterhead"').and.include('<table class="totals">').and.include("€ 1.028,44");
    expect((await (await manager()).get("/invoicing/template-blocks/classic/source")).status).to.equal(403);
  });
});
