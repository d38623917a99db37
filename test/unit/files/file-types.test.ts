import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { cleanName, contentDisposition } from "../../../core/files/file-name.ts";
import { FILE_TYPES, isInline } from "../../../core/files/file-types.ts";
import { typeOf } from "../../../core/files/sniffing.ts";
import { png } from "../../support/pictures.ts";
import { officeFile, zip } from "../../support/zip.ts";

const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]), Buffer.from("JFIF\0"), Buffer.alloc(64)]);
const WEBP = Buffer.concat([Buffer.from("RIFF\u001a\0\0\0WEBPVP8L", "latin1"), Buffer.alloc(40)]);
const ICO = Buffer.concat([Buffer.from([0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0]), Buffer.alloc(100)]);
const PDF = "%PDF-1.7\n%\u00e2\u00e3\n1 0 obj";
const CFB = Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(600)]);
const EXE = Buffer.concat([Buffer.from("MZ\u0090\0", "latin1"), Buffer.alloc(200)]);
const HTML = "<!doctype html><html><script>alert(1)</script></html>";
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const UTF16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("naam", "utf16le")]);

/** The declared type, the bytes, and the detected type; null is refused. */
const table: [what: string, declared: string, bytes: Buffer | string, wanted: string | null, name?: string][] = [
  ["PNG", "image/png", png(), "image/png"],
  ["JPEG", "image/jpeg", JPEG, "image/jpeg"],
  ["WebP", "image/webp", WEBP, "image/webp"],
  ["GIF", "image/gif", GIF, "image/gif"],
  ["SVG", "image/svg+xml", SVG, "image/svg+xml"],
  [
    "SVG behind a declaration, a comment and a document type",
    "image/svg+xml",
    `\ufeff<?xml version="1.0"?>\n<!-- x -->\n<!DOCTYPE svg [<!ENTITY a "b>">]>\n${SVG}`,
    "image/svg+xml",
  ],
  ["ICO under its registered name", "image/vnd.microsoft.icon", ICO, "image/x-icon"],
  ["PDF", "application/pdf", PDF, "application/pdf"],
  ["plain text", "text/plain; charset=utf-8", "Zo\u00eb\r\n", "text/plain"],
  ["text in Windows-1252", "text/plain", Buffer.from("Zo\u00eb", "latin1"), "text/plain"],
  ["text in UTF-16", "text/csv", UTF16, "text/csv"],
  ["an empty text", "text/plain", "", "text/plain"],
  ["CSV", "TEXT/CSV", "naam;plaats\r\n", "text/csv"],
  ["CSV that Windows calls a workbook", "application/vnd.ms-excel", "naam;plaats\r\n", "text/csv", "Klanten.CSV"],
  ["text that begins like a bitmap", "text/plain", "BM is a word", "text/plain"],
  ["ZIP", "application/zip", zip({ "a.txt": "x" }), "application/zip"],
  ["ZIP as Windows calls it", "application/x-zip-compressed", zip({ "a.txt": "x" }), "application/zip"],
  ["Word", WORD, officeFile.word(), WORD],
  ["Excel", EXCEL, officeFile.excel(), EXCEL],
  ["Word before 2007", "application/msword", CFB, "application/msword"],
  ["Excel before 2007", "application/vnd.ms-excel", CFB, "application/vnd.ms-excel", "a.xls"],
  ["a JPEG said to be a PNG is a JPEG", "image/png", JPEG, "image/jpeg"],
  ["a workbook said to be an archive is a workbook", "application/zip", officeFile.excel(), EXCEL],
  ["HTML", "text/html", HTML, null],
  ["HTML said to be a picture", "image/png", HTML, null],
  ["HTML said to be SVG", "image/svg+xml", HTML, null],
  ["HTML that mentions svg", "image/svg+xml", `<html>${SVG}</html>`, null],
  ["SVG said to be a PNG", "image/png", SVG, null],
  ["a program", "application/x-msdownload", EXE, null],
  ["a program said to be a PDF", "application/pdf", EXE, null],
  ["a program said to be text", "text/plain", EXE, null],
  ["bytes of no kind", "application/octet-stream", png(), null],
  ["no type at all", "", png(), null],
  ["an archive of code", "application/zip", zip({ "META-INF/MANIFEST.MF": "x", "A.class": "x" }), null],
  ["a document with macros", WORD, officeFile.macros(), null],
  ["a damaged workbook", EXCEL, Buffer.alloc(30, "x"), null],
  ["an empty picture", "image/png", "", null],
  ["a comment that never ends", "image/svg+xml", "<!-- <svg>", null],
  ["a document type that never ends", "image/svg+xml", `<!DOCTYPE svg [${"<!ENTITY a 'b'>".repeat(2000)}`, null],
];

describe("the type of an uploaded file", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), "kantoor-types-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const [what, declared, bytes, wanted, name = "sample"] of table)
    it(`${what}: ${wanted ?? "refused"}`, async () => {
      const file = path.join(folder, "sample");
      writeFileSync(file, bytes);
      expect(await typeOf(file, declared, name)).to.equal(wanted);
    });

  it("is shown in place only for PNG, JPEG, WebP, GIF and PDF", () => {
    expect(FILE_TYPES.filter(isInline)).to.deep.equal(["image/png", "image/jpeg", "image/webp", "image/gif", "application/pdf"]);
  });
});

describe("the name of a file", () => {
  const names: [string, string][] = [
    ["offerte.pdf", "offerte.pdf"],
    ["C:\\Users\\me\\offerte.pdf", "offerte.pdf"],
    ["../../etc/passwd", "passwd"],
    ['a"b".txt', "ab.txt"],
    ["a\r\nSet-Cookie: x", "aSet-Cookie: x"],
    ["\u202egnp.exe", "gnp.exe"],
    ["  ", "file"],
    ["/", "file"],
    ["\ud800x", "x"],
  ];
  for (const [given, wanted] of names)
    it(`${JSON.stringify(given)} becomes ${wanted}`, () => {
      expect(cleanName(given)).to.equal(wanted);
    });

  it("is cut at 255 characters, never inside one", () => {
    expect(cleanName("\ud83d\ude00".repeat(300))).to.equal("\ud83d\ude00".repeat(255));
  });

  it("is in a header in ASCII, and in UTF-8 if that says more", () => {
    expect(contentDisposition("inline", "offerte 1.pdf")).to.equal('inline; filename="offerte 1.pdf"');
    expect(contentDisposition("attachment", "Zo\u00eb's (2).pdf")).to.equal(
      "attachment; filename=\"Zo_'s (2).pdf\"; filename*=UTF-8''Zo%C3%AB%27s%20%282%29.pdf",
    );
    expect(contentDisposition("attachment", "100%.txt")).to.equal(
      "attachment; filename=\"100_.txt\"; filename*=UTF-8''100%25.txt",
    );
    expect(contentDisposition("attachment", 'a"\r\nX: 1.txt')).to.equal('attachment; filename="aX: 1.txt"');
  });
});
