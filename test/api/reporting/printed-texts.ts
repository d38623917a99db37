import {
  decodePDFRawStream,
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFName,
  type PDFPage,
  PDFRawStream,
  PDFString,
} from "@cantoo/pdf-lib";

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

/** The content stream of a page. */
function contentOf(document: PDFDocument, page: PDFPage): string {
  const contents = page.node.Contents();
  const streams = contents instanceof PDFArray ? contents.asArray().map((ref) => document.context.lookup(ref)) : [contents];
  return streams.map((stream) => (stream instanceof PDFRawStream ? sourceOf(stream) : "")).join("\n");
}

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
        characters.set(glyph.toString(16).toUpperCase().padStart(first.length, "0"), String.fromCodePoint(code));
      }
  return characters;
}

/** Operators that choose a font, and that show glyphs (ISO 32000-1, 9.4.3): of one byte in a font of drawings, else of two. */
const OPERATORS = /\/(\S+) [\d.]+ Tf|(\[[^\]]*\]) TJ|(<[0-9a-fA-F]*>) Tj|\b(ET)\b/g;

/** The texts that a PDF prints, one for each text object, page by page. */
export async function textsOfPdf(bytes: Buffer): Promise<string[]> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  const texts: string[] = [];
  for (const page of document.getPages()) {
    const fonts = page.node.Resources()?.lookup(PDFName.of("Font"), PDFDict);
    const source = contentOf(document, page);
    let characters = new Map<string, string>();
    let digits = /.{4}/g;
    let open = "";
    for (const [, font, shown, alone, isEnd] of source.matchAll(OPERATORS)) {
      if (font) {
        const dict = fonts?.lookup(PDFName.of(font), PDFDict) as PDFDict;
        characters = charactersOf(dict);
        digits = dict.get(PDFName.of("Subtype")) === PDFName.of("Type3") ? /.{2}/g : /.{4}/g;
      }
      for (const [, glyphs = ""] of (shown ?? alone ?? "").matchAll(/<([0-9a-fA-F]*)>/g))
        open += (glyphs.toUpperCase().match(digits) ?? []).map((glyph) => characters.get(glyph) ?? "").join("");
      if (!isEnd) continue;
      if (open.trim() !== "") texts.push(open.trim());
      open = "";
    }
  }
  return texts;
}

/** The texts of glyphs that are not characters of their own, such as letters composed of strokes and dots. */
export async function actualTexts(bytes: Buffer): Promise<string[]> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  return document
    .getPages()
    .flatMap((page) => [...contentOf(document, page).matchAll(/\/ActualText <FEFF([0-9A-Fa-f]*)>/g)])
    .map(([, hex = ""]) => textOf(hex));
}

type Matrix = readonly [number, number, number, number, number, number];
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
/** The product of two transformations, the first applied first (ISO 32000-1, 8.3.3). */
const times = ([a, b, c, d, e, f]: Matrix, [k, l, m, n, o, p]: Matrix): Matrix => [
  a * k + b * m,
  a * l + b * n,
  c * k + d * m,
  c * l + d * n,
  e * k + f * m + o,
  e * l + f * n + p,
];
/** Operators that change where text goes: the graphics state, its transformation, and the position of the text. */
const PLACES = /(?<![^\s])(?:(q|Q)|((?:-?[\d.]+\s+){6})(cm|Tm))(?![^\s])/g;
/** The margin of the page's footer, in points. */
const FOOTER = (20 / 25.4) * 72;

/** How far down the text of each page goes, from 0 at its upper edge to 1 at its lower one. The footer does not count. */
export async function fullnessOf(bytes: Buffer): Promise<number[]> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  return document.getPages().map((page) => {
    const height = page.getHeight();
    const saved: Matrix[] = [];
    let current = IDENTITY;
    let lowest = height;
    for (const [, state, numbers = "", operator] of contentOf(document, page).matchAll(PLACES)) {
      const matrix = numbers.trim().split(/\s+/).map(Number) as unknown as Matrix;
      if (state === "q") saved.push(current);
      else if (state === "Q") current = saved.pop() ?? IDENTITY;
      else if (operator === "cm") current = times(matrix, current);
      else {
        const y = times(matrix, current)[5];
        if (y > FOOTER) lowest = Math.min(lowest, y);
      }
    }
    return 1 - lowest / height;
  });
}

/** Title and language of a PDF; null without one. */
export async function namedAs(bytes: Buffer): Promise<{ title: string | null; language: string | null }> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  const language = document.catalog.get(PDFName.of("Lang"));
  return { title: document.getTitle() ?? null, language: language instanceof PDFString ? language.asString() : null };
}

/** The numbers in texts, as they are printed, such as `1.234,5`. */
export const numbersIn = (texts: readonly string[]): Set<string> =>
  new Set(texts.flatMap((text) => text.match(/\d+(?:[.,:]\d+)*/g) ?? []));
