import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { LRUCache } from "lru-cache";
import { IDEOGRAPHS, TYPEFACE } from "../typefaces.ts";

/** A typeface of a package: the style sheets that list its files, and the scripts it covers. */
interface Typeface {
  family: string;
  package: string;
  sheets: readonly string[];
  /** Matches the file names after the typeface's own name; other files repeat another typeface's characters. */
  scripts: RegExp;
  /** A range if one file has all weights; null for one file per weight. */
  weight: string | null;
}

/** One file of a typeface: the code points it covers, as pairs of first and last. */
interface Face {
  family: string;
  weight: string;
  file: string;
  /** `ranges` as written in the style sheet. */
  stated: string;
  ranges: readonly (readonly [number, number])[];
}

const STATIC = ["400.css", "600.css", "700.css"];
const inWeights = (name: string, scripts: RegExp): Typeface => ({
  family: TYPEFACE,
  package: `@fontsource/${name}`,
  sheets: STATIC,
  scripts,
  weight: null,
});
/** One file for all weights: one file per weight would take 200 MB. */
const variable = (name: string): Typeface => ({
  family: IDEOGRAPHS,
  package: `@fontsource-variable/${name}`,
  sheets: ["wght.css"],
  scripts: /^(\[?\d|chinese|japanese|korean|emoji)/,
  weight: "100 900",
});

const ALPHABETS = [
  inWeights("inter", /^(latin|cyrillic|greek|vietnamese)/),
  ...["hebrew", "arabic", "thai", "devanagari"].map((script) => inWeights(`noto-sans-${script}`, new RegExp(`^${script}-`))),
];
const [JAPANESE, CHINESE, KOREAN, EMOJI] = ["noto-sans-jp", "noto-sans-sc", "noto-sans-kr", "noto-emoji"].map(variable) as [
  Typeface,
  Typeface,
  Typeface,
  Typeface,
];

const { resolve } = createRequire(import.meta.url);
const RULE = /@font-face\s*\{[^}]*?font-weight:\s*([^;]+);[^}]*?url\(\.\/files\/([^)]+\.woff2)\)[^}]*?unicode-range:\s*([^;}]+)/g;

const rangesOf = (text: string): Face["ranges"] =>
  text.split(",").map((part) => {
    const [first = "", last = first] = part.trim().slice(2).split("-");
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const;
  });

/** The files of a typeface, as its style sheets list them. */
async function facesOf({ family, package: name, sheets, scripts, weight }: Typeface): Promise<Face[]> {
  const folder = path.dirname(resolve(`${name}/package.json`));
  const own = `${path.basename(name)}-`;
  const texts = await Promise.all(sheets.map((sheet) => readFile(path.join(folder, sheet), "utf8")));
  return texts
    .flatMap((text) => [...text.matchAll(RULE)])
    .filter(([, , file = ""]) => scripts.test(file.slice(own.length)))
    .map(([, stated = "", file = "", ranges = ""]) => ({
      family,
      weight: weight ?? stated.trim(),
      file: path.join(folder, "files", file),
      stated: ranges.trim(),
      ranges: rangesOf(ranges),
    }));
}

const read = new Map<Typeface, Promise<Face[]>>();
/** The files of the typefaces, in their order of precedence. Reads each style sheet once. */
const listed = async (typefaces: readonly Typeface[]): Promise<Face[][]> =>
  Promise.all(
    typefaces.map((typeface) => {
      const faces = read.get(typeface) ?? facesOf(typeface);
      read.set(typeface, faces);
      return faces;
    }),
  );

const files = new LRUCache<string, string>({ max: 100 });
async function base64Of(file: string): Promise<string> {
  const known = files.get(file);
  if (known !== undefined) return known;
  const text = (await readFile(file)).toString("base64");
  files.set(file, text);
  return text;
}

/** Characters beyond ASCII: literal, as HTML references and as CSS escapes. */
const BEYOND = /\P{ASCII}|&#(\d{2,7});|&#x([\da-f]{2,6});|\\([\da-f]{2,6})/giu;

/** The code points that a document may print, sorted. */
function pointsOf(html: string): number[] {
  const points = new Set<number>();
  // The browser may draw a letter and its marks as one character.
  const composed = html.normalize("NFC");
  const texts = composed === html ? [html] : [html, composed];
  for (const [character, decimal, reference, escaped] of texts.flatMap((text) => [...text.matchAll(BEYOND)])) {
    const hex = reference ?? escaped;
    if (decimal) points.add(Number(decimal));
    else if (hex) points.add(Number.parseInt(hex, 16));
    else points.add(character.codePointAt(0) as number);
  }
  for (let ascii = 0x20; ascii < 0x7f; ascii++) points.add(ascii);
  return [...points].sort((one, other) => one - other);
}

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HANGUL = /\p{Script=Hangul}/u;

/**
 * The order in which typefaces draw ideographs. It follows the document's language: with kana Japanese, with hangul Korean, otherwise
 * Chinese. Emoji come first: the style sheets of the other three list some that their files lack.
 */
function ideographsOf(html: string): Typeface[] {
  if (KANA.test(html)) return [EMOJI, JAPANESE, CHINESE, KOREAN];
  return HANGUL.test(html) ? [EMOJI, KOREAN, CHINESE, JAPANESE] : [EMOJI, CHINESE, JAPANESE, KOREAN];
}

const covers = ({ ranges }: Face, point: number): boolean => ranges.some(([first, last]) => point >= first && point <= last);

/**
 * The style rules that embed a document's fonts, so that its PDF is the same on every machine, even one without fonts. They include only
 * files with a character of the document. Typefaces overlap, and the first with a character draws it. CSS prefers the later of two rules of
 * a family, so the first typeface comes last. A file of an alphabet applies to its whole range, because shaping replaces characters (Thai,
 * Devanagari); a file of ideographs only to the characters it was chosen for.
 * @param html the document
 */
export async function fontFaces(html: string): Promise<string> {
  const points = pointsOf(html);
  const typefaces = await listed([...ALPHABETS, ...ideographsOf(html)]);
  const chosen = new Map<Face, number[]>();
  for (const point of points) {
    const typeface = typefaces.find((faces) => faces.some((face) => covers(face, point))) ?? [];
    for (const face of typeface.filter((one) => covers(one, point))) chosen.set(face, [...(chosen.get(face) ?? []), point]);
  }
  const order = new Map(typefaces.flat().map((face, place) => [face, place]));
  const sorted = [...chosen].sort(([one], [other]) => (order.get(other) as number) - (order.get(one) as number));
  const rules = sorted.map(async ([{ family, weight, file, stated }, own]) => {
    const range = family === TYPEFACE ? stated : own.map((point) => `U+${point.toString(16)}`).join();
    return `@font-face{font-family:"${family}";font-weight:${weight};font-style:normal;unicode-range:${range};src:url(data:font/woff2;base64,${await base64Of(file)}) format("woff2")}`;
  });
  return (await Promise.all(rules)).join("");
}
