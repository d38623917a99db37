import { isDate, isTime } from "../../../core/calendar/calendar.ts";
import { shortened } from "../../../core/values/stored-text.ts";

/** The values a model may name: ids it was shown, and active entry types. */
export interface Ground {
  companies: ReadonlySet<string>;
  projects: ReadonlySet<string>;
  tasks: ReadonlySet<string>;
  entryTypes: ReadonlySet<string>;
}

/** A parsed time entry; null fields were not said or were unusable (platform §1.4). */
export interface ParsedEntry {
  date: string | null;
  start: string | null;
  end: string | null;
  duration_minutes: number | null;
  company_id: string | null;
  project_id: string | null;
  task_id: string | null;
  description: string | null;
  entry_type_key: string | null;
  billable: boolean | null;
  break_minutes: number | null;
}

const objectIn = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/** A non-blank text, trimmed, or null. */
export const groundedText = (value: unknown): string | null =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : null;

/** An id that the model was shown, or null. */
export const groundedId = (value: unknown, shown: ReadonlySet<string>): string | null =>
  typeof value === "string" && shown.has(value) ? value : null;

/** A wall-clock time as `HH:MM`, from `14:00`, `9:00`, `14.00`, `14h00` or `1430`; else null. */
export function groundedTime(value: unknown): string | null {
  const [, hour, minute] =
    (typeof value === "string" &&
      /^(?:(\d{1,2})[:.h]|(?=\d{4}$)(\d{2}))(\d{2})$/.exec(value.trim())?.filter((part) => part !== undefined)) ||
    [];
  if (hour === undefined || minute === undefined) return null;
  const time = `${hour.padStart(2, "0")}:${minute}`;
  return isTime(time) ? time : null;
}

/** Positive whole minutes, rounded, from a number or a text; null for anything else and above `most`. */
export function groundedMinutes(value: unknown, most = Number.MAX_SAFE_INTEGER): number | null {
  const isText = typeof value === "string" && /^\d{1,9}([.,]\d{1,9})?$/.test(value.trim());
  const number = isText ? Number(value.trim().replace(",", ".")) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) return null;
  const minutes = Math.round(number);
  return minutes > 0 && minutes <= most ? minutes : null;
}

/** Maximum break in minutes. */
const MOST_BREAK = 1440;
/** Maximum number in the response. */
const MOST_MINUTES = 2_147_483_647;

/** The valid parts of an entry that a model submitted, whatever it contains. */
export function groundedEntry(submitted: unknown, ground: Ground): ParsedEntry {
  const given = objectIn(submitted);
  const { date, billable } = given;
  return {
    date: isDate(date) ? (date as string) : null,
    start: groundedTime(given["start"]),
    end: groundedTime(given["end"]),
    duration_minutes: groundedMinutes(given["duration_minutes"], MOST_MINUTES),
    company_id: groundedId(given["company_id"], ground.companies),
    project_id: groundedId(given["project_id"], ground.projects),
    task_id: groundedId(given["task_id"], ground.tasks),
    description: groundedText(given["description"]),
    entry_type_key: groundedId(given["entry_type_key"], ground.entryTypes),
    billable: typeof billable === "boolean" ? billable : null,
    break_minutes: groundedMinutes(given["break_minutes"], MOST_BREAK),
  };
}

/** A day's planned and logged minutes. */
export interface DayFigures {
  scheduled_minutes: number;
  leave_minutes: number;
  logged_minutes: number;
}

/** Minutes that may be missing before a day counts as short. */
const TOLERATED = 15;

/** A day's unaccounted minutes. */
export const gapOf = ({ scheduled_minutes: scheduled, leave_minutes: leave, logged_minutes: logged }: DayFigures): number =>
  scheduled - leave - logged;

/** Whether a scheduled day has too few logged minutes. */
export const isShort = (day: DayFigures): boolean => day.scheduled_minutes > 0 && gapOf(day) > TOLERATED;

/** A suggestion of work a person may have done. */
export interface Suggestion {
  company_id: string | null;
  project_id: string | null;
  task_id: string | null;
  minutes: number | null;
  description: string;
  label: string;
}

const MOST_SUGGESTIONS = 6;
const cut = (value: unknown, most: number): string => shortened(groundedText(value) ?? "", most);

/**
 * The valid parts of a model's suggestions: texts cut to length, ids only from those shown. Minutes are cut in order so that their sum
 * never exceeds the gap; suggestions after that are dropped.
 */
export function groundedSuggestions(submitted: unknown, ground: Ground, gap: number): Suggestion[] {
  const given = objectIn(submitted)["suggestions"];
  const made: Suggestion[] = [];
  let left = gap;
  for (const one of Array.isArray(given) ? given : []) {
    if (left <= 0 || made.length === MOST_SUGGESTIONS) break;
    const fields = objectIn(one);
    const wanted = groundedMinutes(fields["minutes"]);
    const minutes = wanted === null ? null : Math.min(wanted, left);
    left -= minutes ?? 0;
    made.push({
      company_id: groundedId(fields["company_id"], ground.companies),
      project_id: groundedId(fields["project_id"], ground.projects),
      task_id: groundedId(fields["task_id"], ground.tasks),
      minutes,
      description: cut(fields["description"], 500),
      label: cut(fields["label"], 120),
    });
  }
  return made;
}
