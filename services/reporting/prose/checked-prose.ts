import type { Locale } from "../../../core/config/defaults.ts";
import { inventedNumber } from "./invented-numbers.ts";
import type { StandingNumbers } from "./standing-numbers.ts";

/** Abbreviations that do not end a sentence, even before a capital. */
const ABBREVIATION =
  /(?:^|[\s(])(?:bijv|bv|ca|nr|nrs|incl|excl|resp|gem|evt|o\.a|t\.o\.v|i\.p\.v|m\.b\.t|d\.w\.z|e\.g|i\.e|vs|approx|no|nos)\.\s*$/i;
const SEGMENTERS = {
  nl: new Intl.Segmenter("nl", { granularity: "sentence" }),
  en: new Intl.Segmenter("en", { granularity: "sentence" }),
} satisfies Record<Locale, Intl.Segmenter>;

/** Splits a paragraph into sentences. */
export function sentencesOf(paragraph: string, locale: Locale): string[] {
  const sentences: string[] = [];
  let open = "";
  for (const { segment } of SEGMENTERS[locale].segment(paragraph)) {
    open += segment;
    if (ABBREVIATION.test(open)) continue;
    sentences.push(open);
    open = "";
  }
  return open === "" ? sentences : [...sentences, open];
}

/** Text as printed: without control characters and markdown, with blank lines between paragraphs. */
export function tidyProse(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/[\p{Cc}\ufffe\uffff]/gu, (character) => (character === "\n" ? character : " "))
    .split("\n")
    .map((line) =>
      line
        .replace(/^\s*(?:#{1,6}|>)\s+/, "")
        .replace(/^\s*[-*]\s+/, "• ")
        .replace(/(\*\*|__|`)(?=\S)(.+?)\1/g, "$2")
        .trim(),
    )
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** Prose with only known numbers, and the invented numbers whose sentences were removed. */
export interface CheckedProse {
  text: string;
  invented: string[];
}

/** Removes every sentence with a number that is not in the snapshot (workspace-reporting §1.5). */
export function withoutInvented(text: string, locale: Locale, standing: StandingNumbers): CheckedProse {
  const invented: string[] = [];
  const kept = text.split("\n\n").map((paragraph) =>
    sentencesOf(paragraph, locale)
      .filter((sentence) => {
        const number = inventedNumber(sentence, standing);
        if (number !== null) invented.push(number);
        return number === null;
      })
      .join("")
      .trim(),
  );
  return { text: kept.filter((paragraph) => paragraph !== "").join("\n\n"), invented };
}

const WORDS: Readonly<Record<Locale, ReadonlySet<string>>> = {
  nl: new Set("de het een van en dat niet voor met zijn op aan door ook uit bij naar wordt werd meer dan deze uw wij".split(" ")),
  en: new Set("the a of and that not for with are on to by also from at is was more than this your we it".split(" ")),
};
/** Fewest indicator words of the other language before a text is judged, and how many times those of its own. */
const TELLING = { least: 6, times: 3 };

/** Whether a text is clearly in the other language than the report's. Short texts are not judged. */
export function isInOtherLanguage(text: string, locale: Locale): boolean {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const count = (of: Locale) => words.filter((word) => WORDS[of].has(word)).length;
  const [own, other] = [count(locale), count(locale === "nl" ? "en" : "nl")];
  return other >= TELLING.least && other > own * TELLING.times;
}

/** The banned phrases in a text, as whole words in any case. */
export function bannedPhrasesIn(text: string, phrases: readonly string[]): string[] {
  const plain = (one: string) => one.normalize("NFKC").replace(/[‘’]/g, "'");
  const searched = plain(text);
  return phrases.filter((phrase) => {
    const words = plain(phrase)
      .trim()
      .split(/\s+/)
      .filter(Boolean)
      .map((word) => RegExp.escape(word));
    return words.length > 0 && new RegExp(`(?<![\\p{L}\\p{N}_])${words.join("\\s+")}(?![\\p{L}\\p{N}_])`, "iu").test(searched);
  });
}
