import { shortened } from "../../../core/values/stored-text.ts";
import type { ReportProfileRow } from "../models.ts";
import { contentOf } from "../rendering/report-document.ts";
import { reportView, type SectionView, type TableView, type TotalView } from "../rendering/report-view.ts";
import { SUMMARY } from "../sections/summary.ts";
import type { Snapshot } from "../snapshot.ts";
import type { ToneTexts } from "../tones/house-tone.ts";

/** The stored facts about a report's client. */
export type ClientContext = Pick<
  ReportProfileRow,
  | "business_context"
  | "goals"
  | "seo_focus"
  | "sea_focus"
  | "key_services"
  | "priority_pages"
  | "conversion_goals"
  | "scope_notes"
  | "avoid_topics"
>;

/** The input of a model. */
export interface Material {
  /** How to write: fixed rules and the organisation's tone. */
  instructions: string;
  /** What to write about, from records. */
  data: string;
}

/** Most characters of a prompt (workspace-reporting §1.5); the AI module's frame takes the rest. */
export const MOST_CHARACTERS = 60_000;
const FRAME = 4_000;
/** Marks a shortened text, so that the model does not take it for the whole. */
const SHORTENED = "\n(shortened)";

const LABELS: Readonly<Record<keyof ClientContext, string>> = {
  business_context: "Business context",
  goals: "Goals",
  seo_focus: "Focus in search engine optimisation",
  sea_focus: "Focus in search engine advertising",
  key_services: "Key services",
  priority_pages: "Priority pages",
  conversion_goals: "Conversion goals",
  scope_notes: "Scope of the work",
  avoid_topics: "Topics to avoid",
};

const totalLine = ({ label, value, before, change }: TotalView): string =>
  `${label}: ${value}${before === null ? "" : ` (before ${before}${change ? `, change ${change.text}` : ""})`}`;

function tableLines({ columns, rows }: TableView): string[] {
  return [columns.map(({ label }) => label).join(" | "), ...rows.map((row) => row.map(({ text }) => text).join(" | "))];
}

function sectionText({ key, title, totals, chart, tables, parts, final_until: finalUntil }: SectionView): string {
  return [
    `## ${key}: ${title}`,
    ...totals.map(totalLine),
    ...(chart ? [chart.alternative] : []),
    ...tables.flatMap(tableLines),
    ...parts.flatMap((part) => [`Part: ${part.name}`, ...part.totals.map(totalLine), ...part.tables.flatMap(tableLines)]),
    ...(finalUntil ? [`Figures are final up to ${finalUntil}`] : []),
  ].join("\n");
}

/** Divides the available characters: short texts fit whole, the longest share the rest equally. */
function shares(lengths: readonly number[], whole: number): number[] {
  let [left, waiting] = [whole, lengths.length];
  const shared = new Map<number, number>();
  for (const [index, length] of [...lengths.entries()].sort(([, one], [, other]) => one - other)) {
    const share = Math.min(length, Math.floor(left / waiting));
    shared.set(index, share);
    left -= share;
    waiting -= 1;
  }
  return lengths.map((_, index) => shared.get(index) ?? 0);
}

/** Cuts a text at the end of a line, and marks it. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const room = shortened(text, Math.max(0, most - SHORTENED.length));
  const at = room.lastIndexOf("\n");
  return (at > room.length / 2 ? room.slice(0, at) : room) + SHORTENED;
}

/** A record's text without characters that could imitate the frame's markers, with the same length. */
const unmarked = (text: string): string => text.replaceAll("<", "‹");

/**
 * Builds the model's input: labels and values as printed, never field names, and the client's context. Overlong texts are cut at a line end
 * and marked.
 * @param keys of the sections to write
 */
export function proseMaterial(
  snapshot: Snapshot,
  keys: readonly string[],
  { tone, context }: { tone: ToneTexts; context: ClientContext | null },
): Material {
  const { audience, client } = snapshot;
  const look = { brand: "", logo: null, cover: null, accents: [], intro: null, footer: null };
  // A summary is about all sections, and has no figures of its own.
  const isSummed = keys.includes(SUMMARY);
  const sections = snapshot.sections.filter(({ key }) => key !== SUMMARY && (isSummed || keys.includes(key)));
  const view = reportView(contentOf({ ...snapshot, sections }, {}), look);
  const reader =
    audience === "client" ? "The agency sends it to its client." : "Colleagues at the agency read it, not the client.";
  const rules = [
    `The document is a periodic report on the results of one client. ${reader}`,
    "Write one to three short paragraphs a part, plain text without headings, lists or markdown.",
    ...(isSummed ? [`The part '${SUMMARY}' is a summary of all others, in three to five sentences.`] : []),
    "Mention only figures that are in the data, written as they are there; compute none, and name no other number, date or year.",
    "Do not write about anything listed under 'Topics to avoid'. The context of the client explains the figures and is not news to the client.",
  ].join("\n");
  const phrases = (title: string, list: readonly string[]) => (list.length === 0 ? "" : `${title}: ${list.join("; ")}`);
  const own = [
    tone.instructions.trim() === "" ? "" : `How to write:\n${tone.instructions}`,
    phrases("Use these phrases where they fit", tone.preferred_phrases),
    audience === "client" ? phrases("Never use these phrases", tone.banned_phrases) : "",
  ];
  const known = Object.entries(LABELS).map(([field, label]) => {
    const text = context?.[field as keyof ClientContext]?.trim();
    return text ? `${label}: ${text}` : "";
  });
  const head = [
    `Client: ${client}`,
    `Period: ${view.period}`,
    `Compared with: ${view.compared}`,
    ...(view.stored_from ? [view.stored_from] : []),
  ].join("\n");
  const texts = [...own, ...[head, ...known, ...view.sections.map(sectionText)].map(unmarked)];
  const most = shares(
    texts.map(({ length }) => length),
    MOST_CHARACTERS - FRAME - rules.length - texts.length * 2,
  );
  const fitted = texts.map((text, index) => cut(text, most[index] as number));
  const joined = (parts: readonly string[]) => parts.filter((part) => part !== "").join("\n\n");
  return { instructions: joined([rules, ...fitted.slice(0, own.length)]), data: joined(fitted.slice(own.length)) };
}
