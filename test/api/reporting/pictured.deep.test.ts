import { expect } from "chai";
import type { ReportColumn } from "../../../core/declare/report-sections.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { pagesOf } from "../../../mixins/documents/printing/pages.ts";
import { pdfOf, printing } from "../../../mixins/documents/printing/pdf.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { type DrawnReport, reportHtml } from "../../../services/reporting/rendering/report-document.ts";
import type { Snapshot } from "../../../services/reporting/snapshot.ts";
import { printingSettings, requirePrinter } from "../../support/chromium.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { LOOK, seededSnapshot } from "../../unit/reporting/seeded-snapshot.ts";
import { printerReady } from "../money/mails/mailed-documents.ts";
import { PICTURED } from "./pictured-reports.ts";
import { actualTexts, fullnessOf, namedAs, textsOfPage, textsOfPdf } from "./printed-texts.ts";

/** Letters of every script, digits, and what joins them; pieces of a broken address end with what it breaks after. */
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Characters that a line may begin with, wherever the one before it ended. */
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;

/** A report of sections with short tables only, as many rows each as given. */
function ofShortTables(rows: readonly number[], locale: "nl" | "en" = "nl"): DrawnReport {
  const text = (label: string): ReportColumn => ({ key: label, label: { nl: label, en: label }, kind: "text" });
  const columns = [text("Pagina"), { ...text("Bezoeken"), kind: "count" as const }];
  const sections: Snapshot["sections"] = rows.map((count, at) => ({
    key: `short.${at}`,
    title: `Onderdeel ${at}`,
    data: { totals: [], table: { columns, rows: Array.from({ length: count }, (_, row) => [`pagina ${row}`, 100 - row]) } },
  }));
  const { span, compared } = seededSnapshot({ seed: 1, locale });
  return { data_snapshot: { locale, audience: "internal", client: "Vela", span, compared, sections }, look: LOOK, narrative: {} };
}

describe("reports as they are printed (workspace-reporting §1.6)", function () {
  this.timeout(300_000);
  let service: TestService;
  let tenant: Tenant;
  const pages = new Map<string, { html: string; pdf: Buffer }>();

  /** A report's page and PDF, made once. */
  async function printed(name: string, report: DrawnReport): Promise<{ html: string; pdf: Buffer }> {
    const known = pages.get(name);
    if (known) return known;
    const html = await inTenancy(
      () => systemRequest("test", tenant.organisation, "read"),
      () => reportHtml(report),
    );
    const made = { html, pdf: await pdfOf(html, tenant.organisation.id) };
    pages.set(name, made);
    return made;
  }
  const pictured = (name: string) => printed(name, PICTURED[name] as DrawnReport);
  const sectionsOf = (name: string) => ((PICTURED[name] as DrawnReport).data_snapshot as Snapshot).sections;

  before(async function () {
    requirePrinter(this);
    const printer = actor("proof.pictured", { mixins: [printing], actions: {} });
    service = await startService(printingSettings(), [printer]);
    tenant = await service.tenant();
    expect(await printerReady()).to.equal(true);
  });
  after(() => service?.stop());

  it("are twelve of each kind", () => {
    expect(Object.keys(PICTURED)).to.have.length(12);
  });

  it("fill half of each page but the last, also with short tables alone", async () => {
    const short = [
      [4, 4, 4, 4, 4, 4, 4, 4],
      [3, 2, 4, 1, 3, 4, 2, 4, 4, 3, 1, 2],
      [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
      [4, 40, 4, 4, 4, 4],
    ];
    let many = 0;
    for (const [name, report] of [
      ...Object.entries(PICTURED),
      ...short.map((rows) => [`short ${rows}`, ofShortTables(rows)] as const),
    ]) {
      const { pdf } = await printed(name, report);
      const fullness = await fullnessOf(pdf);
      expect(fullness, name).to.have.length(pagesOf(pdf));
      many += fullness.length - 1;
      for (const [at, full] of fullness.slice(0, -1).entries()) expect(full, `${name}, page ${at + 1}`).to.be.greaterThan(0.5);
    }
    expect(many).to.be.greaterThan(25);
  });

  it("have no decimals in counts", async () => {
    for (const name of Object.keys(PICTURED)) {
      const { html } = await pictured(name);
      const { locale } = (PICTURED[name] as DrawnReport).data_snapshot as Snapshot;
      const mark = locale === "nl" ? "," : ".";
      const counted = sectionsOf(name).flatMap(({ data }) =>
        data.totals.filter(({ kind }) => kind === "count").map(({ label }) => label[locale]),
      );
      const texts = textsOfPage(html);
      for (const label of counted) {
        const at = texts.findIndex((text) => text === label || text === `${label}:`);
        expect(texts[at + 1], `${name}: ${label}`)
          .to.be.a("string")
          .and.not.include(mark);
      }
      // The ticks of the axes: all of these charts count.
      for (const [, tick = ""] of html.matchAll(/<text x="56"[^>]*>([^<]*)<\/text>/g))
        expect(tick, `${name}: a tick of the axis`).not.to.include(mark);
    }
  });

  it("break lines between words, never inside", async () => {
    for (const name of Object.keys(PICTURED)) {
      const { html, pdf } = await pictured(name);
      const charts = [...html.matchAll(/data:image\/svg\+xml;base64,([^"]+)/g)].map(([, svg = ""]) =>
        Buffer.from(svg, "base64").toString(),
      );
      const words = new Set([...textsOfPage(html + charts.join("")), "Pagina", "Page"].flatMap((text) => text.match(WORD) ?? []));
      const footer = (PICTURED[name] as DrawnReport).look as { brand: string };
      for (const line of await textsOfPdf(pdf)) {
        if (line.startsWith(footer.brand) || IDEOGRAPH.test(line) || /\p{Script=Arabic}/u.test(line)) continue;
        for (const word of line.match(WORD) ?? [])
          if (!/^\p{N}+$/u.test(word)) expect(words.has(word), `${name}: ‘${word}’ of ‘${line}’`).to.equal(true);
      }
    }
  });

  it("say how many rows a table has that was cut", async () => {
    for (const [name, texts] of [
      ["230 keywords in three groups", ["25 van 230", "8 van 21"]],
      ["in English, for a client", ["25 of 230", "8 of 21"]],
      ["in English, internal", ["25 of 230", "8 of 21"]],
      ["an own template", ["25 van 60", "8 van 21"]],
      ["in Dutch, for a client", ["8 van 21"]],
    ] as const) {
      const { html, pdf } = await pictured(name);
      const found = (some: readonly string[]) => some.filter((text) => /^\d+ (van|of) \d+$/.test(text));
      expect(found(textsOfPage(html)), name).to.deep.equal(texts);
      expect(found(await textsOfPdf(pdf)), name).to.deep.equal(texts);
    }
  });

  it("name one date for a period of one day, on the page and in the title", async () => {
    const { html, pdf } = await pictured("one day");
    const texts = textsOfPage(html);
    expect(texts).to.include.members(["15 oktober 2026", "Vergeleken met 15 oktober 2025"]);
    expect(await namedAs(pdf)).to.deep.equal({ title: "Rapportage 15 oktober 2026 – Atelier Zonneveld", language: "nl" });
  });

  it("say once in each section that nothing is compared, and have no column for it", async () => {
    const { html } = await pictured("no comparison");
    const said = "Er is geen eerdere periode om mee te vergelijken.";
    const sections = html.split('<section class="section">').slice(1);
    expect(sections.map((section) => section.split(said).length - 1)).to.deep.equal([1, 1, 1, 1, 1]);
    expect(html).not.to.include("Vorige periode").and.not.include("Vergeleken met");
    expect((await pictured("in Dutch, for a client")).html).not.to.include(said);
  });

  it("have client, period and language as their document's own", async () => {
    for (const [name, title, language] of [
      ["in English, internal", "Internal report October 2026 – Atelier Zonneveld", "en"],
      ["in Dutch, for a client", "Rapportage oktober 2026 – Atelier Zonneveld", "nl"],
      ["names in Japanese", "Report October 2026 – 東京フォトスタジオ株式会社", "en"],
    ] as const)
      expect(await namedAs((await pictured(name)).pdf), name).to.deep.equal({ title, language });
  });

  it("print Arabic and Japanese names with glyphs, in their own direction", async () => {
    for (const name of ["names in Arabic", "names in Japanese"]) {
      const { html, pdf } = await pictured(name);
      const { client } = (PICTURED[name] as DrawnReport).data_snapshot as Snapshot;
      expect(html).to.include(`<h1 dir="auto">${client}</h1>`);
      const letters = new Set([...(await textsOfPdf(pdf)), ...(await actualTexts(pdf))].join("").normalize("NFKC"));
      const missing = [...client.normalize("NFKC")].filter((letter) => letter.trim() !== "" && !letters.has(letter));
      expect(missing, name).to.deep.equal([]);
    }
  });
});
