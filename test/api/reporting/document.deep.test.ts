import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { columns } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import type { ReportTable } from "../../../core/declare/report-sections.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { input, Type } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { pagesOf } from "../../../mixins/documents/printing/pages.ts";
import { pdfOf, printing } from "../../../mixins/documents/printing/pdf.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { ReportTemplate, type ReportTemplateRow } from "../../../services/reporting/models.ts";
import { inventedNumber } from "../../../services/reporting/prose/invented-numbers.ts";
import { standingNumbers } from "../../../services/reporting/prose/standing-numbers.ts";
import { type DrawnReport, lookOf, reportHtml } from "../../../services/reporting/rendering/report-document.ts";
import { sampleReport } from "../../../services/reporting/rendering/sample.ts";
import { printingSettings, requirePrinter } from "../../support/chromium.ts";
import { png } from "../../support/pictures.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { seededSnapshot } from "../../unit/reporting/seeded-snapshot.ts";
import { printerReady } from "../money/mails/mailed-documents.ts";
import { attach } from "../platform/files-support.ts";
import { printedContent } from "./printed-pages.ts";
import { numbersIn, textsOfPage, textsOfPdf } from "./printed-texts.ts";
import { ok, type Row } from "./reporting-world.ts";

const TEMPLATE = statement(`select ${columns(ReportTemplate)} from report_templates where organisation_id = $1 and id = $2`);

/** Freezes looks and draws reports as the runs of reports do. */
const proof = actor("proof.documents", {
  mixins: [printing],
  actions: {
    freeze: action({
      rest: "POST /proof/look",
      summary: "Freezes the look of a report",
      permission: "reporting.report.write",
      body: input("ProofLook", { template_id: Type.Union([Type.String(), Type.Null()]) }),
      returns: Type.Unknown(),
      status: 200,
      async prepare(ctx) {
        const { organisation } = request();
        const template = await queryOne<ReportTemplateRow>(TEMPLATE, [organisation.id, ctx.params.body.template_id]);
        return lookOf(organisation, template ?? null);
      },
      handler: () => prepared(),
    }),
    draw: action({
      rest: "POST /proof/document",
      summary: "Draws a report",
      permission: "reporting.report.write",
      body: input("ProofDocument", { report: Type.Unknown(), prints: Type.Boolean() }),
      returns: Type.Unknown(),
      status: 200,
      async prepare(ctx) {
        const { report, prints } = ctx.params.body;
        const html = await reportHtml(report as DrawnReport);
        return { html, pdf: prints ? (await pdfOf(html, request().organisation.id)).toString("base64") : null };
      },
      handler: () => prepared(),
    }),
  },
});

describe("the document of a report, frozen and printed (workspace-reporting §1.5)", function () {
  this.timeout(180_000);
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({ ...printingSettings(), SERVICE_BODY_LIMIT: "8000000" }, [proof]);
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const look = (template_id: string | null = null) => ok(tenant.owner.post("/proof/look", { template_id }));
  const draw = async (report: Partial<DrawnReport>, prints = false): Promise<{ html: string; pdf: Buffer }> => {
    const body = { report: { data_snapshot: sampleReport("nl", "client"), narrative: {}, ...report }, prints };
    const { html, pdf } = await ok(tenant.owner.post("/proof/document", body));
    return { html, pdf: Buffer.from(pdf ?? "", "base64") };
  };
  const template = (values: object) => ok(tenant.owner.post("/reporting/templates", { name: "Own", ...values }));

  it("stays as it was made when template, brand, settings and pictures change", async () => {
    const cover = await ok(attach(tenant.owner, "entity_type=branding", png(), "image/png", "cover.png"));
    const values = {
      accent_color: "#aa0000",
      intro_text: "Before",
      cover_image_file_id: cover["id"],
      custom_css: "h1 { color: red }",
    };
    const { id, ...stored } = (await template(values)) as Row;
    await ok(tenant.owner.put("/reporting/settings", { footer_text: "Footer before" }));
    const frozen = await look(id);
    expect(frozen).to.deep.include({
      template: { id, version: 1 },
      tone: null,
      intro: "Before",
      footer: "Footer before",
      is_own: false,
    });
    expect(frozen["cover"]).to.match(/^data:image\/png;base64,/);
    expect(frozen["made_on"]).to.match(/^\d{4}-\d{2}-\d{2}$/);
    const before = await draw({ look: frozen });
    expect(before.html)
      .to.include("<p>Before</p>")
      .and.include("<p>Footer before</p>")
      .and.include("h1 { color: red }")
      .and.include("#aa0000");
    await ok(
      tenant.owner.put(`/reporting/templates/${id}`, {
        ...stored,
        custom_css: "",
        intro_text: "After",
        accent_color: "#00aa00",
        cover_image_file_id: null,
      }),
    );
    await ok(tenant.owner.put("/reporting/settings", { footer_text: "Footer after" }));
    expect((await tenant.owner.delete(`/files/${cover["id"]}`)).status).to.be.lessThan(300);
    expect((await draw({ look: frozen })).html).to.equal(before.html);
    expect(await look(id)).to.deep.include({ intro: "After", footer: "Footer after", cover: null });
  });

  it("is the plain design without a template", async () => {
    expect(await look()).to.deep.include({ template: null, intro: null, cover: null, is_own: false });
    expect((await draw({ look: await look() })).html).to.include('<header class="masthead">');
  });

  it("runs the organisation's own body in its sandbox", async () => {
    const { id } = await template({
      design: "custom",
      custom_html: "<script>x</script><h1>{{ client }}</h1>{{ sections[0].chart | markup }}",
    });
    const { html } = await draw({ look: await look(id) });
    expect(html)
      .to.include("<h1>Atelier Zonneveld</h1>")
      .and.match(/<img src="data:image\/svg\+xml/)
      .and.not.include("<script");
  });

  describe("as PDF", () => {
    before(async function () {
      requirePrinter(this);
      expect(await printerReady()).to.equal(true);
    });

    it("is the same bytes each time", async () => {
      const frozen = await look();
      const [first, second] = [await draw({ look: frozen }, true), await draw({ look: frozen }, true)];
      expect(first.pdf.equals(second.pdf)).to.equal(true);
      expect(first.pdf.toString("latin1")).to.include(`(D:${String(frozen["made_on"]).replaceAll("-", "")}000000`);
    });

    it("prints pictures that are in the page, and loads none from a network or a file", async () => {
      const asked: string[] = [];
      const server = createServer((request, response) => {
        asked.push(request.url ?? "");
        response.end();
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      try {
        const { port } = server.address() as AddressInfo;
        const outside = `http://127.0.0.1:${port}`;
        const picture = `data:image/png;base64,${png().toString("base64")}`;
        const { id } = await template({
          design: "custom",
          custom_html: `<h1>{{ client }}</h1><p style="background: url(${outside}/inline.png)">a</p><img src="${outside}/picture.png"><img src="${picture}">`,
          custom_css: `@import url(${outside}/sheet.css); @font-face { font-family: F; src: url(${outside}/font.woff2) }
            h1 { font-family: F; background-image: url(${outside}/css.png) } p { list-style: url(file:///etc/hostname) inside; display: list-item }`,
        });
        const { html, pdf } = await draw({ look: await look(id) }, true);
        expect(html).to.include(`${outside}/css.png`).and.include(picture);
        expect(pdf.toString("latin1").match(/\/Subtype\s*\/Image/g)).to.have.length(1);
        expect(asked).to.deep.equal([]);
      } finally {
        server.close();
      }
    });

    it("prints the numbers of the page and no other, and the page those of the snapshot", async () => {
      const frozen = { ...(await look()), brand: "Bureau Noord" } as DrawnReport["look"];
      let numbers = 0;
      for (let seed = 1; seed <= 4; seed++) {
        const audience = seed % 2 === 0 ? "internal" : "client";
        const snapshot = seededSnapshot({ seed, locale: seed % 3 === 0 ? "en" : "nl", audience, sections: 5, rows: 25 });
        const standing = standingNumbers(snapshot);
        const { html, pdf } = await draw({ data_snapshot: snapshot, look: frozen }, true);
        // The ticks of a chart's axis are a scale, not figures.
        for (const text of textsOfPage(html.replace(/<text x="56"[^>]*>[^<]*<\/text>/g, "")))
          expect(inventedNumber(text, standing), `seed ${seed}: ${text}`).to.equal(null);
        const printed = numbersIn(await textsOfPdf(pdf));
        expect([...printed], `seed ${seed}`).to.have.members([...numbersIn(textsOfPage(html))]);
        numbers += printed.size;
      }
      expect(numbers).to.be.greaterThan(300);
    });

    it("leaves no heading alone at the end of a page, with hostile names and 200 search terms too", async () => {
      const frozen = await look();
      const prose = "Het bezoek steeg, en dat komt door de zoekmachines.\n\nWij gaan door.";
      let pages = 0;
      for (let seed = 1; seed <= 8; seed++) {
        const hostile = seed % 2 === 0;
        const snapshot = seededSnapshot({
          seed,
          locale: seed % 3 === 0 ? "en" : "nl",
          rows: hostile ? 200 : 25,
          hostile,
          audience: hostile ? "internal" : "client",
        });
        const narrative = Object.fromEntries(snapshot.sections.slice(1).map(({ key }) => [key, prose]));
        const { pdf } = await draw({ data_snapshot: snapshot, narrative, look: frozen }, true);
        pages += pagesOf(pdf);
        const content = await printedContent(pdf);
        const isHeading = ({ kinds }: { kinds: string[] }) => kinds.some((kind) => /^H[23]$/.test(kind));
        const headings = content.flatMap((piece, index) => (isHeading(piece) ? [[piece, content[index + 1]] as const] : []));
        expect(headings.length, `seed ${seed}`).to.be.at.least(snapshot.sections.length);
        for (const [heading, next] of headings)
          if (next && !isHeading(next))
            expect(next.page, `seed ${seed}: a heading of page ${heading.page}`).to.equal(heading.page);
      }
      expect(pages).to.be.greaterThan(30);
    });

    it("leaves no row of a table alone on a page", async () => {
      const frozen = await look();
      let broken = 0;
      const alone: number[] = [];
      for (const rows of [9, 10, 11, 12, 13, 40, 44]) {
        const table: ReportTable = {
          columns: [
            { key: "query", label: { nl: "Zoekwoord", en: "Keyword" }, kind: "text" },
            { key: "clicks", label: { nl: "Klikken", en: "Clicks" }, kind: "count" },
          ],
          rows: Array.from({ length: rows }, (_, at) => [`zoekwoord ${at}`, 100 - at]),
        };
        const sample = sampleReport("nl", "internal");
        const sections = sample.sections.map((section) => ({ ...section, data: { ...section.data, table } }));
        const { pdf } = await draw({ data_snapshot: { ...sample, sections }, look: frozen }, true);
        const cells = (await printedContent(pdf)).map(({ kinds, page }) => (kinds.includes("TD") ? page : null));
        // The header repeats on each page, so a run of cells is the part of a table on one page.
        const parts: number[] = [];
        for (const [at, page] of cells.entries()) {
          if (page === null) continue;
          const isSame = cells[at - 1] === page;
          parts.push(isSame ? (parts.pop() ?? 0) + 1 : 1);
        }
        broken += parts.length - sections.length;
        if (parts.some((part) => part < 2 * table.columns.length)) alone.push(rows);
      }
      expect(broken).to.be.greaterThan(2);
      expect(alone).to.deep.equal([]);
    });
  });
});
