import { addDays, type IsoDate, isDate } from "../../../core/calendar/calendar.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { withoutHtml } from "../../../core/values/text.ts";
import { withoutMarkers } from "../comments/comment-text.ts";
import { safeUrl, withoutForeignLinks } from "./generated-links.ts";
import { withoutSignatures } from "./signature.ts";

/** A model's suggested additions to a task. */
export interface Suggested {
  readonly description: string | null;
  readonly due_date: string | null;
  readonly requires_interaction: boolean;
  readonly checklist: { readonly title: string | null; readonly items: readonly SuggestedItem[] };
  readonly links: readonly SuggestedLink[];
  readonly comment: string | null;
}
export interface SuggestedItem {
  readonly title: string;
  readonly description: string | null;
}
export interface SuggestedLink {
  readonly url: string;
  readonly title: string | null;
}

/** The fields of a task before its fill-in. */
export interface Unfilled {
  readonly title: string;
  readonly description: string | null;
  readonly due_date: IsoDate | null;
  readonly requires_interaction: boolean;
  readonly links: readonly string[];
}

/** The additions that a fill-in writes; null and an empty list add nothing. */
export interface Additions {
  /** The full new description, including the old text. */
  readonly description: string | null;
  readonly due_date: IsoDate | null;
  readonly requires_interaction: true | null;
  readonly checklist: { readonly title: string; readonly items: readonly SuggestedItem[] } | null;
  readonly links: readonly SuggestedLink[];
  readonly comment: string | null;
}

/** The allowed range of a due date, in days from today. */
const DUE = { earliest: -3, latest: 730 };
const MOST = { items: 20, links: 10, text: 10_000, itemTitle: 512, title: 255 };

const PICTURE = /!+(?=\[)/g;
/** Strips until nothing changes, because a removal can join the rest into new markup. The text shrinks each round, so this ends. */
function plain(text: string, message: string): string {
  // Trim first: an indented line is code, which keeps its HTML; without the indent it is not.
  const next = withoutForeignLinks(withoutMarkers(withoutHtml(text.trim())).replace(PICTURE, ""), message);
  return next === text ? text : plain(next, message);
}

/**
 * Generated markdown without HTML, pictures, mentions and links to what is not in the message (work chapter §3.11), or null if nothing is left.
 * @param message the text that it was generated from
 */
export const generatedText = (text: string | null, message: string): string | null =>
  plain(shortened(text ?? "", MOST.text), message) || null;

/** The same on one line. */
const generatedLine = (text: string | null, most: number, message: string): string | null =>
  shortened(generatedText((text ?? "").replace(/[\s\p{Cc}]+/gu, " "), message) ?? "", most).trim() || null;

function addedLinks(suggested: Suggested["links"], { links: present }: Unfilled, message: string): SuggestedLink[] {
  const added = new Map<string, SuggestedLink>();
  for (const { url, title } of suggested) {
    const safe = safeUrl(url, message);
    if (safe && !present.includes(safe) && !added.has(safe))
      added.set(safe, { url: safe, title: generatedLine(title, MOST.title, message) });
  }
  return [...added.values()].slice(0, MOST.links);
}

function addedChecklist({ title, items }: Suggested["checklist"], task: Unfilled, message: string): Additions["checklist"] {
  const kept = items.flatMap((item) => {
    const line = generatedLine(item.title, MOST.itemTitle, message);
    return line === null ? [] : [{ title: line, description: generatedText(item.description, message) }];
  });
  if (kept.length === 0) return null;
  const named = generatedLine(title, MOST.title, message) ?? [...task.title].slice(0, MOST.title).join("");
  return { title: named, items: kept.slice(0, MOST.items) };
}

function addedDueDate(suggested: string | null, task: Unfilled, today: IsoDate): IsoDate | null {
  if (task.due_date !== null || !isDate(suggested)) return null;
  const date = suggested as IsoDate;
  return date >= addDays(today, DUE.earliest) && date <= addDays(today, DUE.latest) ? date : null;
}

/**
 * The additions of a suggestion that a task accepts (work chapter §3.11): more description, below a rule; a due date if there is none; a
 * required contact moment; one checklist; ten links that occur in the message outside of its signatures; one comment.
 * @param message the text that the suggestion was made from
 * @param today the organisation's date
 */
export function additionsTo(
  task: Unfilled,
  suggested: Suggested,
  { message: whole, today }: { message: string; today: IsoDate },
): Additions {
  const message = withoutSignatures(whole);
  const text = generatedText(suggested.description, message);
  const before = task.description?.trimEnd() ?? "";
  return {
    description: text === null ? null : before === "" ? text : `${before}\n\n---\n\n${text}`,
    due_date: addedDueDate(suggested.due_date, task, today),
    requires_interaction: suggested.requires_interaction && !task.requires_interaction ? true : null,
    checklist: addedChecklist(suggested.checklist, task, message),
    links: addedLinks(suggested.links, task, message),
    comment: generatedText(suggested.comment, message),
  };
}

export const addsNothing = ({ links, ...others }: Additions): boolean =>
  links.length === 0 && Object.values(others).every((value) => value === null);
