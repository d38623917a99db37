import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { decodePDFRawStream, PDFArray, PDFDict, PDFDocument, PDFName, PDFRawStream } from "@cantoo/pdf-lib";
import { expect } from "chai";
import { pagesOf } from "../../../../mixins/documents/printing/pages.ts";
import { CHROMIUM, hasChromium, printingSettings, requirePrinter } from "../../../support/chromium.ts";
import { startService, type TestService } from "../../../support/service.ts";
import { Invoicing, ok, refused } from "../documents/invoicing.ts";
import { printerReady } from "../mails/mailed-documents.ts";
import { entriesOf } from "./zip-entries.ts";

/** The one of the machine where there is one: the package's takes seconds to unpack for each service. */
const SCRIPTED = "/bin/sh";

/** Ids of the processes that descend from this one. */
function descendants(): Map<number, string> {
  const parents = new Map<number, [number, string]>();
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    try {
      const [, command = "", , parent = ""] = /^\d+ \((.*)\) (\S) (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
      parents.set(Number(name), [Number(parent), command]);
    } catch {
      // It has ended meanwhile.
    }
  }
  const ours = new Map<number, string>();
  const isOurs = (id: number): boolean => {
    const [parent] = parents.get(id) ?? [0];
    return parent === process.pid || (parent > 1 && isOurs(parent));
  };
  for (const [id, [, command]] of parents) if (isOurs(id)) ours.set(id, command);
  return ours;
}
/** A file's metadata and content. */
async function opened(bytes: Buffer) {
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  const { catalog, context } = document;
  const stream = catalog.lookup(PDFName.of("Metadata")) as PDFRawStream;
  // PDF/A wants it uncompressed.
  const metadata = Buffer.from(stream.getContents()).toString();
  return { catalog, context, metadata, attachments: document.getAttachments(), title: document.getTitle() };
}

/** The characters that a file has glyphs for, as its fonts map them to Unicode (ISO 32000-1, 9.10.3). */
async function charactersOf(bytes: Buffer): Promise<Set<string>> {
  const { context } = await PDFDocument.load(bytes);
  const characters = new Set<string>();
  for (const [, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFRawStream)) continue;
    const map = Buffer.from(decodePDFRawStream(object).decode()).toString("latin1");
    if (!map.includes("begincmap")) continue;
    const textOf = (hex: string) => Buffer.from(hex, "hex").swap16().toString("utf16le");
    for (const [, list = ""] of map.matchAll(/beginbfchar([\s\S]*?)endbfchar/g))
      for (const [, hex = ""] of list.matchAll(/<\w+> <(\w+)>/g)) for (const one of textOf(hex)) characters.add(one);
    for (const [, list = ""] of map.matchAll(/beginbfrange([\s\S]*?)endbfrange/g))
      for (const [, first = "", last = "", hex = ""] of list.matchAll(/<(\w+)> <(\w+)> <(\w+)>/g))
        for (let step = 0; step <= Number.parseInt(last, 16) - Number.parseInt(first, 16); step++)
          characters.add(String.fromCodePoint((textOf(hex).codePointAt(0) as number) + step));
  }
  return characters;
}

/** Rows of tables that continue on the last page, from the file's structure (ISO 32000-1, 14.7). */
function rowsOfLastPage(document: PDFDocument): number {
  const last = String(document.getPages().at(-1)?.ref);
  const rows = new Set<unknown>();
  const at = (element: PDFDict, key: string) => element.get(PDFName.of(key));
  for (const [, found] of document.context.enumerateIndirectObjects()) {
    if (!(found instanceof PDFDict) || String(at(found, "Pg")) !== last) continue;
    for (let one: PDFDict | undefined = found; one; one = one.lookupMaybe(PDFName.of("P"), PDFDict))
      if (String(at(one, "S")) === "/TR") rows.add(one);
  }
  return rows.size;
}

const browsers = () => [...descendants()].filter(([, command]) => /chrom|headless/i.test(command)).map(([id]) => id);

describe("documents as PDF", function () {
  this.timeout(180_000);
  let service: TestService;
  let books: Invoicing;

  const start = async (environment: Record<string, string>) => {
    service = await startService(environment);
    books = await Invoicing.open(service, await service.tenant());
  };
  const pdf = (id: string) => books.owner.get(`/invoicing/invoices/${id}/pdf`);

  describe("with a browser", () => {
    before(async function () {
      requirePrinter(this);
      await start(printingSettings());
    });
    after(async () => {
      await service?.stop();
      expect(browsers(), "no process of the browser outlives the service").to.deep.equal([]);
    });

    it("start no browser until the first", () => expect(browsers()).to.deep.equal([]));

    it("never leaves the totals alone on a page, and saves a page that would hold only how to pay", async () => {
      await ok(
        books.owner.put("/invoicing/settings", { company_details: { name: "Vela Works B.V.", iban: "NL91 ABNA 0417 1643 00" } }),
      );
      const made: number[] = [];
      // Around the length at which the totals, and then the payment text, go to a second page.
      for (let count = 19; count <= 25; count++) {
        const { id } = await books.issued(Array.from({ length: count }, (_, at) => books.line(1, 100 + at)));
        const { bytes } = await pdf(id);
        made.push(pagesOf(bytes));
        if (pagesOf(bytes) === 1) continue;
        // The heads, two lines at least, and the totals' own four rows.
        expect(rowsOfLastPage(await PDFDocument.load(bytes)), `rows on the last page of ${count}`).to.be.at.least(1 + 2 + 4);
      }
      expect(made).to.include(1).and.include(2);
      expect(made).to.deep.equal(made.toSorted());
    });

    it("print every script with embedded faces, none of the machine's", async () => {
      const texts = {
        Cyrillic: "ООО «Ромашка», Київ, Ђорђе",
        Greek: "Ελληνική Εταιρεία, Ἀθήνα",
        Polish: "Łódź, Žluťoučký kůň, Đặng Thị Thu Hường",
        Arabic: "شركة النخيل للتجارة (2026)",
        Hebrew: "חברת הדוגמה בע״מ",
        Thai: "บริษัท ตัวอย่าง จำกัด",
        Hindi: "उदाहरण प्राइवेट लिमिटेड",
        Japanese: "株式会社サンプル、東京都",
        Chinese: "上海示例有限公司",
        Korean: "주식회사 예시, 서울특별시",
        emoji: "Klaar 👍 ✅",
      };
      const company = await books.tenant.company({ name: texts.Arabic, address_line1: texts.Cyrillic, city: texts.Japanese });
      const lines = Object.entries(texts).map(([name, text]) => ({
        ...books.line(1, 100),
        description: `${name}: ${text}\n${text}`,
      }));
      const { id } = await books.issued(lines, { company_id: company.id, notes: `**${Object.values(texts).join("** / **")}**` });
      const { bytes, status, text } = await pdf(id);
      expect(status, text).to.equal(200);
      const fonts = new Set(
        [...bytes.toString("latin1").matchAll(/\/FontName \/(?:[A-Z]{6}\+)?([A-Za-z]+)/g)].map(([, name]) => name),
      );
      expect([...fonts].filter((name) => !/^(Inter|Noto)/.test(name as string))).to.deep.equal([]);
      for (const script of ["Arabic", "Hebrew", "Thai", "Devanagari", "JP", "KR", "Emoji"])
        expect([...fonts].join(), script).to.match(new RegExp(`Noto\\w*${script}`));
      const drawn = await charactersOf(bytes);
      const { Arabic: _joined, Hindi: _formed, ...others } = texts;
      // A font draws the Thai vowel U+0E33 as its two parts.
      const expected = new Set(Object.values(others).join("").replace(/\s/g, "").replaceAll("\u0e33", "\u0e32"));
      expect([...expected].filter((character) => !drawn.has(character))).to.deep.equal([]);
    });

    it("are tagged, named and dated as the document, in its language, and the same file each time for everyone", async () => {
      await printerReady();
      const { id, number } = await books.issued(undefined, { issue_date: "2026-03-02", locale: "nl" });
      const first = await pdf(id);
      expect(first.status, first.text).to.equal(200);
      expect(first.headers).to.include({
        "content-type": "application/pdf",
        "content-disposition": `inline; filename="${number}.pdf"`,
        "cache-control": "no-store",
      });
      const text = first.bytes.toString("latin1");
      expect(text).to.match(/^%PDF-1\./);
      expect(text).to.include("/MarkInfo <</Type /MarkInfo\n/Marked true").and.include("/Lang (nl)");
      expect(text).to.include(`/Title (Factuur ${number})`).and.include("/CreationDate (D:20260302000000");
      expect(text).to.include("Inter");
      expect((await pdf(id)).bytes.equals(first.bytes), "printed again").to.equal(true);
      const [{ public_token: token }] = (await service.sql.query("select public_token from invoices where id = $1", [id])).rows;
      const open = await service.call("GET", `/invoicing/public/invoices/${token}/pdf`, { host: books.tenant.host });
      expect(open.bytes.equals(first.bytes), "by the public link").to.equal(true);
      expect(open.headers).to.include({ "referrer-policy": "no-referrer", "x-robots-tag": "noindex, nofollow, noarchive" });
      expect(browsers()).not.to.deep.equal([]);
    });

    it("have the word for the document and its id as a name while it has no number", async () => {
      const { id } = await books.draft(undefined, { locale: "nl" });
      expect((await pdf(id)).headers["content-disposition"]).to.equal(`inline; filename="factuur-${id}.pdf"`);
    });

    it("have as many pages as they need", async () => {
      const long = await books.issued(Array.from({ length: 200 }, (_, index) => books.line(1, index + 1)));
      const pages = (bytes: Buffer) => bytes.toString("latin1").match(/\/Type \/Page\n/g)?.length;
      expect(pages((await pdf(long.id)).bytes)).to.be.at.least(4);
      expect(pages((await pdf((await books.issued()).id)).bytes)).to.equal(1);
    });

    it("are printed many at a time, each the right one", async () => {
      const made = [];
      for (let index = 0; index < 6; index++) made.push(await books.issued([books.line(1, 10 + index)]));
      const answers = await Promise.all([...made, ...made].map(({ id }) => pdf(id)));
      for (const [index, answer] of answers.entries()) {
        expect(answer.status).to.equal(200);
        expect(answer.bytes.toString("latin1")).to.include(`/Title (Factuur ${made[index % 6]?.number})`);
      }
    });

    it("come back after the browser was killed", async () => {
      const { id } = await books.issued();
      expect((await pdf(id)).status).to.equal(200);
      for (const process_ of browsers())
        try {
          process.kill(process_, "SIGKILL");
        } catch {
          // It went with another.
        }
      expect((await pdf(id)).status).to.equal(200);
    });

    describe("that hold the e-invoice", () => {
      const SELLER = { name: "Vela Works B.V.", country: "NL", vat_number: "NL123456789B01", iban: "NL91ABNA0417164300" };
      const hybrid = (id: string) => books.owner.get(`/invoicing/invoices/${id}/pdf?hybrid=true`);
      const complete = async () => {
        await ok(books.owner.put("/invoicing/settings", { company_details: SELLER }));
        await ok(books.owner.patch(`/companies/${books.company}`, { country: "NL" }));
      };

      it("are PDF/A-3 with the invoice as Factur-X, tagged and named as before, and the same file each time", async () => {
        await complete();
        const { id, number } = await books.issued(undefined, { issue_date: "2026-03-02", locale: "nl" });
        const first = await hybrid(id);
        expect(first.status, first.text).to.equal(200);
        expect(first.headers).to.include({
          "content-type": "application/pdf",
          "content-disposition": `inline; filename="${number}.pdf"`,
        });
        const { catalog, context, attachments, metadata, title } = await opened(first.bytes);
        expect(title).to.equal(`Factuur ${number}`);
        expect(context.trailerInfo.ID, "an identifier").not.to.equal(undefined);
        expect(catalog.lookup(PDFName.of("MarkInfo"), PDFDict).get(PDFName.of("Marked"))?.toString()).to.equal("true");
        const [intent] = catalog.lookup(PDFName.of("OutputIntents"), PDFArray).asArray();
        expect(context.lookup(intent, PDFDict).get(PDFName.of("S"))?.toString()).to.equal("/GTS_PDFA1");
        expect(metadata)
          .to.match(/<pdfaid:part>3</)
          .and.match(/<pdfaid:conformance>B</);
        expect(metadata)
          .to.match(/<fx:ConformanceLevel>EN 16931</)
          .and.match(/<fx:DocumentFileName>factur-x\.xml</);
        for (const [, object] of context.enumerateIndirectObjects())
          if (object instanceof PDFDict && object.get(PDFName.of("Type"))?.toString() === "/FontDescriptor")
            expect(
              object.keys().some((key) => /^\/FontFile/.test(key.toString())),
              "an embedded font",
            ).to.equal(true);
        const [{ name, data, afRelationship }, ...more] = attachments as [(typeof attachments)[number]];
        expect([name, `${afRelationship}`, more]).to.deep.equal(["factur-x.xml", "Alternative", []]);
        const xml = Buffer.from(data).toString();
        expect(xml).to.include("<rsm:CrossIndustryInvoice").and.include(`<ram:ID>${number}</ram:ID>`);
        expect(xml).to.include("<ram:GrandTotalAmount>1028.44</ram:GrandTotalAmount>").and.include(SELLER.vat_number);
        expect((await hybrid(id)).bytes.equals(first.bytes), "printed again").to.equal(true);
        expect((await pdf(id)).bytes.toString("latin1")).not.to.include("OutputIntent");
      });

      it("need the e-invoice's data, and first of all an issued invoice that the caller sees", async () => {
        await complete();
        const { id } = await books.draft();
        expect(refused(await hybrid(id))).to.deep.equal([409, "errors.invoicing.wrong_status"]);
        const other = await books.tenant.company({ name: "Bramble" });
        const lacking = await books.issued([books.line(1, 9, "reverse")], { company_id: other.id });
        const { status, body } = await hybrid(lacking.id);
        expect([status, body.error.code, body.error.fields]).to.deep.equal([
          409,
          "conflict",
          { vat_number: "errors.invoicing.customer_incomplete" },
        ]);
        expect((await pdf(lacking.id)).status).to.equal(200);
        const stranger = await service.tenant();
        expect((await stranger.owner.get(`/invoicing/invoices/${lacking.id}/pdf?hybrid=true`)).status).to.equal(404);
        expect((await books.owner.get(`/invoicing/invoices/${lacking.id}/pdf?hybrid=perhaps`)).status).to.equal(422);
      });
    });

    describe("in an archive", () => {
      const archive = (ids: readonly string[]) =>
        books.owner.get(`/invoicing/invoices/pdf?${ids.map((id) => `ids=${id}`).join("&")}`);

      it("are in the requested order, once each, without those the caller cannot read", async () => {
        const [one, two] = [await books.issued(), await books.issued()];
        const stranger = await Invoicing.open(service, await service.tenant());
        const theirs = await stranger.issued();
        const { status, headers, bytes } = await archive([two.id, theirs.id, one.id, two.id, one.id.toUpperCase()]);
        expect(status).to.equal(200);
        expect(headers["content-type"]).to.equal("application/zip");
        const entries = entriesOf(bytes);
        expect(entries.map(({ name }) => name)).to.deep.equal([`${two.number}.pdf`, `${one.number}.pdf`]);
        expect(entries[1]?.bytes.equals((await pdf(one.id)).bytes)).to.equal(true);
      });

      it("are 50 at most, repeats included, and one at least", async () => {
        const { id } = await books.issued();
        expect(refused(await archive(Array.from({ length: 51 }, () => id)))).to.deep.equal([
          422,
          "errors.validation",
          { ids: "errors.validation" },
        ]);
        expect((await archive(Array.from({ length: 50 }, () => id))).status).to.equal(200);
        expect((await books.owner.get("/invoicing/invoices/pdf")).status).to.equal(422);
        const stranger = await service.tenant();
        expect((await stranger.owner.get(`/invoicing/invoices/pdf?ids=${id}`)).status).to.equal(404);
      });
    });
  });

  describe("without one", () => {
    const unavailable = async (id: string) => {
      const answer = await pdf(id);
      expect([answer.status, answer.body.error.code]).to.deep.equal([503, "unavailable"]);
      expect(Number(answer.headers["retry-after"])).to.be.at.least(1);
    };
    afterEach(() => service?.stop());

    it("are 503 with Retry-After while everything else works", async () => {
      await start({ SERVICE_CHROMIUM_PATH: "/no/such/browser" });
      const { id } = await books.issued();
      await unavailable(id);
      expect((await books.owner.get(`/invoicing/invoices/${id}/preview`)).status).to.equal(200);
      expect((await ok(books.owner.get(`/invoicing/invoices/${id}`))).id).to.equal(id);
    });

    it("are 503 where it starts and fails", async () => {
      await start({ SERVICE_CHROMIUM_PATH: SCRIPTED });
      await unavailable((await books.issued()).id);
    });
  });

  it("are made by turns, so that a batch of one organisation does not hold the documents of another", async function () {
    requirePrinter(this);
    this.timeout(300_000);
    await start(printingSettings());
    try {
      await printerReady();
      const neighbour = await Invoicing.open(service, await service.tenant());
      const theirs = await neighbour.issued();
      const ids: string[] = [];
      for (let made = 0; made < 16; made += 1) ids.push((await books.issued()).id);
      const order: string[] = [];
      const batch = ids.map(async (id) => {
        expect((await pdf(id)).status).to.equal(200);
        order.push("batch");
      });
      while (order.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      expect((await neighbour.owner.get(`/invoicing/invoices/${theirs.id}/pdf`)).status).to.equal(200);
      order.push("neighbour");
      await Promise.all(batch);
      expect(order.indexOf("neighbour"), order.join()).to.be.lessThan(10);
    } finally {
      await service.stop();
    }
  });

  it("are made where the browser starts late, on a machine whose operator gives a PDF more time than that", async function () {
    if (!hasChromium()) this.skip();
    const folder = await mkdtemp(path.join(tmpdir(), "kantoor-late-browser-"));
    const program = path.join(folder, "browser");
    await writeFile(program, `#!/bin/sh\nsleep 26\nexec ${CHROMIUM} "$@"\n`, { mode: 0o755 });
    await start({ SERVICE_CHROMIUM_PATH: program, SERVICE_PDF_TIMEOUT_MS: "120000" });
    try {
      expect((await pdf((await books.issued()).id)).status).to.equal(200);
    } finally {
      await service.stop();
      await rm(folder, { recursive: true });
    }
  });

  it("are 503 where a document takes too long, and the browser goes", async function () {
    if (!hasChromium()) this.skip();
    await start({ SERVICE_CHROMIUM_PATH: CHROMIUM, SERVICE_PDF_TIMEOUT_MS: "100" });
    try {
      const lines = Array.from({ length: 200 }, (_, index) => books.line(1, index + 1));
      const answer = await pdf((await books.issued(lines)).id);
      expect(answer.status).to.equal(503);
      expect(answer.headers["retry-after"]).to.equal("5");
      for (let look = 0; browsers().length > 0 && look < 1200; look++) await new Promise((resolve) => setTimeout(resolve, 25));
      expect(browsers()).to.deep.equal([]);
    } finally {
      await service.stop();
    }
  });
});
