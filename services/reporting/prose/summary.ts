import type { ReportTotal } from "../../../core/declare/report-sections.ts";
import { changeOf, printedTotals, valueText } from "../../../mixins/drawing/numbers.ts";
import { spanInWords } from "../rendering/report-title.ts";
import { SUMMARY } from "../sections/summary.ts";
import type { GatheredSection, Snapshot } from "../snapshot.ts";
import { addressOf } from "../tones/address.ts";
import type { ToneTexts } from "../tones/house-tone.ts";
import { bannedPhrasesIn, withoutInvented } from "./checked-prose.ts";
import { type StandingNumbers, standingNumbers } from "./standing-numbers.ts";
import { SUMMARY_WORDS } from "./summary-words.ts";

/** A total with its section. */
type Placed = ReportTotal & { section: GatheredSection };

/** Counts below this, now and before, change by chance: they lead only if nothing else compares. */
const LEAST_COUNT = 10;
const MOST_LEVELS = 3;
const MOST_NAMES = 3;
const MOST_TITLES = 5;
/** Fewest and most sentences of a summary. */
const FEWEST = 3;
const MOST = 5;
/** A task's name that reads well in a sentence: short, and without digits or marks that end a sentence. */
const PLAIN_NAME = /^[^\p{N}.!?:;‘’\n]{1,80}$/u;

const filled = (sentence: string, values: Readonly<Record<string, string>>): string =>
  sentence.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");

/** A label within a sentence: `Bezoeken` becomes `bezoeken`, `CTR` stays. */
const inSentence = (label: string): string =>
  /^\p{Lu}(?!\p{Lu})/u.test(label) ? `${label.slice(0, 1).toLowerCase()}${label.slice(1)}` : label;

class Summary {
  readonly #snapshot: Snapshot;
  readonly #tone: Pick<ToneTexts, "instructions" | "banned_phrases">;
  readonly #standing: StandingNumbers;
  readonly #sections: readonly GatheredSection[];
  readonly #totals: readonly Placed[];

  constructor(snapshot: Snapshot, tone: Pick<ToneTexts, "instructions" | "banned_phrases">) {
    this.#snapshot = snapshot;
    this.#tone = tone;
    this.#standing = standingNumbers(snapshot);
    this.#sections = snapshot.sections.filter(({ key }) => key !== SUMMARY);
    this.#totals = this.#sections.flatMap((section) =>
      printedTotals(section.data.totals).map((total) => ({ ...total, section })),
    );
  }

  get #words() {
    return SUMMARY_WORDS[this.#snapshot.locale];
  }

  #list = (parts: readonly string[]): string => new Intl.ListFormat(this.#snapshot.locale).format(parts);

  /** The label of a total; with its section where several have the same. */
  #label({ label, section }: Placed): string {
    const text = label[this.#snapshot.locale];
    const isShared = this.#totals.some((other) => other.section !== section && other.label[this.#snapshot.locale] === text);
    return isShared ? `${inSentence(text)} (‘${section.title}’)` : inSentence(text);
  }

  #value = (value: number | null, { kind, section }: Placed): string =>
    valueText(value, kind, { locale: this.#snapshot.locale, currency: section.data.currency });

  /** The total with the largest change in a direction; undefined if none moved that way. */
  #moved(direction: "up" | "down"): Placed | undefined {
    const moved = this.#totals.filter((total) => changeOf(total, this.#snapshot.locale)?.direction === direction);
    const size = ({ value, before }: Placed) => Math.abs(((value as number) - (before as number)) / (before as number));
    const isLarge = ({ kind, value, before }: Placed) =>
      kind !== "count" || Math.max(value as number, before as number) >= LEAST_COUNT;
    const large = moved.filter(isLarge);
    return (large.length > 0 ? large : moved).toSorted((one, other) => size(other) - size(one))[0];
  }

  #change(direction: "up" | "down"): string {
    const total = this.#moved(direction);
    const change = total && changeOf(total, this.#snapshot.locale);
    if (!total || !change) return "";
    return filled(this.#words[direction === "up" ? "rose" : "fell"], {
      label: this.#label(total),
      value: this.#value(total.value, total),
      before: this.#value(total.before, total),
      change: `${change.text}${total.lowerIsBetter ? this.#words.lower_is_better : ""}`,
    });
  }

  #about(): string {
    const { locale, span, compared } = this.#snapshot;
    const hasComparison = this.#totals.some((total) => changeOf(total, locale) !== null);
    const { about, compared: comparedWith } = this.#words;
    const values = { span: spanInWords(locale, span), compared: spanInWords(locale, compared) };
    return filled(about[addressOf(this.#tone.instructions)] + (hasComparison ? comparedWith : ""), values);
  }

  #origin(): string {
    const table = this.#sections.find(({ data }) => data.role === "origin")?.data.table;
    const at = table?.columns.findIndex(({ adds }) => adds) ?? -1;
    if (!table || at < 0) return "";
    const sized = table.rows.flatMap((row) =>
      typeof row[at] === "number" && row[at] > 0 ? [{ name: row[0], value: row[at] }] : [],
    );
    const [largest, next] = sized.toSorted((one, other) => other.value - one.value);
    if (typeof largest?.name !== "string" || largest.value === next?.value) return "";
    const value = valueText(largest.value, table.columns[at]?.kind ?? "count", { locale: this.#snapshot.locale });
    return filled(this.#words.origin, { name: largest.name, value });
  }

  #done(): string {
    const section = this.#sections.find(({ data }) => data.role === "done");
    const [total] = section?.data.totals ?? [];
    if (!section || !total?.value) return "";
    const names = (section.data.table?.rows ?? [])
      .flatMap(([name]) => (typeof name === "string" && PLAIN_NAME.test(name) && this.#isSayable(name) ? [name] : []))
      .slice(0, MOST_NAMES);
    const { done, done_one, including } = this.#words;
    return filled(total.value === 1 ? done_one : done, {
      value: this.#value(total.value, { ...total, section }),
      including: names.length === 0 ? "" : filled(including, { list: this.#list(names.map((name) => `‘${name}’`)) }),
    });
  }

  #levels(): string {
    const said = this.#totals.filter(({ value }) => value !== 0).slice(0, MOST_LEVELS);
    const list = said.map((total) => `${this.#label(total)} (${this.#value(total.value, total)})`);
    return list.length === 0 ? "" : filled(this.#words.levels, { list: this.#list(list) });
  }

  #covered(): string {
    const titles = this.#sections.slice(0, MOST_TITLES).map(({ title }) => `‘${title}’`);
    return titles.length === 0 ? "" : filled(this.#words.covered, { list: this.#list(titles) });
  }

  /** Whether a text has neither a number that the figures do not give nor, in a client's report, a banned phrase. */
  #isSayable(text: string): boolean {
    const { locale, audience } = this.#snapshot;
    if (withoutInvented(text, locale, this.#standing).invented.length > 0) return false;
    return audience === "internal" || bannedPhrasesIn(text, this.#tone.banned_phrases).length === 0;
  }

  #sentences(candidates: readonly string[]): string[] {
    return candidates
      .filter((text) => text !== "")
      .map((text) => `${text}.`)
      .filter((sentence) => this.#isSayable(sentence));
  }

  text(): string {
    const [about, moved, others] = [
      this.#sentences([this.#about()]),
      this.#sentences([this.#change("up"), this.#change("down")]),
      this.#sentences([this.#origin(), this.#done()]),
    ];
    const { below } = this.#words;
    const levels = moved.length + others.length < FEWEST - 1 ? this.#sentences([this.#levels()]) : [];
    const sentences = [...about, ...levels, ...moved, ...others];
    const more = this.#sentences([this.#covered(), below[addressOf(this.#tone.instructions)]]);
    return [...sentences, ...more.slice(0, Math.max(0, FEWEST - sentences.length))].slice(0, MOST).join(" ");
  }
}

/**
 * A summary of a report in three to five sentences, made by rules from the frozen figures: what it covers, the largest rise and fall among the
 * totals that compare, where most visits came from, and what was done. It says nothing of a missing comparison, and has no number that the
 * guard of the model's texts would take out (workspace-reporting §1.5).
 * @param tone its form of address, and the phrases that a client's report must not have
 */
export const ruledSummary = (snapshot: Snapshot, tone: Pick<ToneTexts, "instructions" | "banned_phrases">): string =>
  new Summary(snapshot, tone).text();
