import type { IsoDate } from "../../../../core/calendar/calendar.ts";
import { billedHours } from "../../calculation/hours.ts";
import type { SentLine } from "../lines/line-schemas.ts";

export type HoursGrouping = "entry" | "day" | "project";

/** A time entry to bill. */
export interface BilledEntry {
  readonly id: string;
  /** The day it counts on. */
  readonly work_date: IsoDate;
  readonly minutes: number;
  readonly project_id: string | null;
  readonly project: string | null;
  readonly description: string | null;
  /** Its hourly rate, as text with 2 decimals. */
  readonly rate: string;
}

/** Maximum length of a line's description. */
const LONGEST = 512;
const WORDS: Readonly<Record<string, { hour: string; hours: string }>> = {
  nl: { hour: "uur", hours: "Uren" },
  en: { hour: "hour", hours: "Hours" },
  de: { hour: "Stunde", hours: "Stunden" },
  fr: { hour: "heure", hours: "Heures" },
  es: { hour: "hora", hours: "Horas" },
  it: { hour: "ora", hours: "Ore" },
};

/** `dd-mm-yyyy` */
const readable = (date: IsoDate): string => date.split("-").toReversed().join("-");
/** A multi-line text on one line. */
const oneLine = (text: string | null): string => (text ?? "").replace(/[\s\p{Cc}\u2028\u2029]+/gu, " ").trim();

/** The entries of one line. */
interface Bucket {
  readonly entries: BilledEntry[];
  readonly date: IsoDate;
}

/**
 * The lines that bill hours, in the order of their first entries (money §8 "from-time"): one per project and rate, per day, project and
 * rate, or per entry. Minutes are rounded to hours once after summing.
 * @param entries oldest first
 * @param locale the organisation's, for unit and words; English for untranslated locales
 */
export function hourLines(
  entries: readonly BilledEntry[],
  { group_by, locale }: { group_by: HoursGrouping; locale: string },
): SentLine[] {
  const words = WORDS[locale.slice(0, 2).toLowerCase()] ?? (WORDS["en"] as { hour: string; hours: string });
  const buckets = new Map<string, Bucket>();
  for (const entry of entries) {
    const date = entry.work_date;
    const parts = { entry: [entry.id], day: [date, entry.project_id, entry.rate], project: [entry.project_id, entry.rate] };
    const key = JSON.stringify(parts[group_by]);
    const bucket = buckets.get(key) ?? { entries: [], date };
    bucket.entries.push(entry);
    buckets.set(key, bucket);
  }
  return [...buckets.values()].map(({ entries: some, date }) => {
    const [first] = some as [BilledEntry];
    const project = oneLine(first.project);
    const descriptions = {
      entry: `${readable(date)} · ${oneLine(first.description) || project || words.hours}`,
      day: project ? `${project} · ${readable(date)}` : readable(date),
      project: project || words.hours,
    };
    return {
      description: [...descriptions[group_by]].slice(0, LONGEST).join(""),
      line_kind: "hours",
      quantity: billedHours(some.map(({ minutes }) => minutes)),
      unit: words.hour,
      unit_price: first.rate,
      time_entry_ids: some.map(({ id }) => id),
    };
  });
}
