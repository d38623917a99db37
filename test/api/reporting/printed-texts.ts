import { decodePDFRawStream, PDFArray, PDFDict, PDFDocument, PDFName, PDFRawStream } from "@cantoo/pdf-lib";

/** The texts of an HTML page, one for each piece between tags; styles and text alternatives are left out, references resolved. */
export const textsOfPage = (html: string): string[] =>
  html
    .replace(/<head>.*?<\/head>|<desc.*?<\/desc>/gs, "")
    .split(/<[^>]*>/)
    .map((text) =>
      text
        .replace(/&lt;/g, "<")
        .replace(/&gt;/g, ">")
        .replace(/&quot;/g, '"')
        .replace(/&#39;/g, "'")
        .replace(/&amp;/g, "&")
        .trim(),
    )
    .filter((text) => text !== "");

const sourceOf = (stream: PDFRawStream): string => Buffer.from(decodePDFRawStream(stream).decode()).toString("latin1");
const textOf = (hex: string): string => Buffer.from(hex, "hex").swap16().toString("utf16le");

/** The characters of a font's glyphs (ISO 32000-1, 9.10.3). */
function charactersOf(font: PDFDict): Map<string, string> {
  const characters = new Map<string, string>();
  const stream = font.lookup(PDFName.of("ToUnicode"));
  if (!(stream instanceof PDFRawStream)) return characters;
  const map = sourceOf(stream);
  for (const [, list = ""] of map.matchAll(/beginbfchar([\s\S]*?)endbfchar/g))
    for (const [, glyph = "", hex = ""] of list.matchAll(/<(\w+)> <(\w+)>/g)) characters.set(glyph.toUpperCase(), textOf(hex));
  for (const [, list = ""] of map.matchAll(/beginbfrange([\s\S]*?)endbfrange/g))
    for (const [, first = "", last = "", hex = ""] of list.matchAll(/<(\w+)> <(\w+)> <(\w+)>/g))
      for (let glyph = Number.parseInt(first, 16); glyph <= Number.parseInt(last, 16); glyph++) {
        const code = (textOf(hex).codePointAt(0) as number) + glyph - Number.parseInt(first, 16);
        characters.set(glyph.toString(16).toUpperCase().padStart(4, "0"), String.fromCodePoint(code));
      }
  return characters;
}

/** Operators that choose a font, and that show glyphs of two bytes (ISO 32000-1, 9.4.3). */
const OPERATORS = /\/(\S+) [\d.]+ Tf|(\[[^\]]*\]) TJ|(<[0-9a-fA-F]*>) Tj|\b(ET)\b/g;

/** The texts that a PDF prints, one for each text object, page by page. */
export async function textsOfPdf(bytes: Buffer): Promise<string[]> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  const texts: string[] = [];
  for (const { node } of document.getPages()) {
    const fonts = node.Resources()?.lookup(PDFName.of("Font"), PDFDict);
    const contents = node.Contents();
    const streams = contents instanceof PDFArray ? contents.asArray().map((ref) => document.context.lookup(ref)) : [contents];
    const source = streams.map((stream) => (stream instanceof PDFRawStream ? sourceOf(stream) : "")).join("\n");
    let characters = new Map<string, string>();
    let open = "";
    for (const [, font, shown, alone, isEnd] of source.matchAll(OPERATORS)) {
      if (font) characters = charactersOf(fonts?.lookup(PDFName.of(font), PDFDict) as PDFDict);
      for (const [, glyphs = ""] of (shown ?? alone ?? "").matchAll(/<([0-9a-fA-F]*)>/g))
        open += (glyphs.toUpperCase().match(/.{4}/g) ?? []).map((glyph) => characters.get(glyph) ?? "").join("");
      if (!isEnd) continue;
      if (open.trim() !== "") texts.push(open.trim());
      open = "";
    }
  }
  return texts;
}

/** The numbers in texts, as they are printed, such as `1.234,5`. */
export const numbersIn = (texts: readonly string[]): Set<string> =>
  new Set(texts.flatMap((text) => text.match(/\d+(?:[.,:]\d+)*/g) ?? []));
