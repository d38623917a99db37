import { addDays, daysBetween, type IsoDate, later } from "../../../../core/calendar/calendar.ts";
import type { Debtor } from "./rates.ts";

/** Days that a consumer has to pay after the letter that announces costs, from the day after it arrived (art. 6:96 lid 6 BW). */
export const CONSUMER_DAYS = 14;
/** Days that a letter by post is under way. */
const POST_DAYS = 2;

/** A subject and text of a notice, with `{placeholders}`. */
export interface NoticeText {
  subject: string;
  text: string;
}

/** Own texts for documents in a language. */
export interface OwnText {
  /** Two letters. */
  language: string;
  subject: string;
  body: string;
}

/** A level of dunning as the organisation set it. */
export interface DunningLevel {
  /** Days past the due date. */
  days: number;
  /** Days to pay that a notice gives. */
  pay_within: number;
  /** Own texts by language; built-in ones for the rest. */
  texts: readonly OwnText[];
  /** Own fee of a notice to a business, with 2 decimals. */
  fee: string;
  /** Whether it claims statutory interest. */
  interest: boolean;
  /** Whether it claims statutory collection costs. */
  costs: boolean;
}

/** A notice that was sent. */
export interface SentNotice {
  level: number;
  sent_on: IsoDate;
  /** The last day to pay. */
  pay_by: IsoDate;
  /** Whether it is the letter that announces costs to a consumer. */
  announces_costs: boolean;
  fee: string;
}

/** The letter that announced costs to a consumer; costs are owed from the day after its last day to pay. */
export const announcement = <T extends Pick<SentNotice, "announces_costs">>(notices: readonly T[]): T | undefined =>
  notices.find(({ announces_costs }) => announces_costs);

/** Whether a notice to this debtor announces costs instead of claiming them. */
export const announcesCosts = (level: Pick<DunningLevel, "costs">, debtor: Debtor, sent: readonly SentNotice[]): boolean =>
  level.costs && debtor === "consumer" && announcement(sent) === undefined;

/** The last day to pay of a notice. @param byPost whether it is not mailed */
export function payBy(day: IsoDate, level: Pick<DunningLevel, "pay_within">, announces: boolean, byPost: boolean): IsoDate {
  const days = announces ? Math.max(CONSUMER_DAYS, level.pay_within) : level.pay_within;
  return addDays(day, days + (byPost ? POST_DAYS : 0));
}

/** The next notice of a document, and the first day on which the daily job sends it. */
export interface NextNotice {
  level: number;
  on: IsoDate;
}

/**
 * The next level of a document and its day: that many days past the due date, and after the level before it at least as many days as lie
 * between the two; after a letter that announces costs not before its last day to pay is over. Null when no level is left.
 */
export function nextNotice(
  levels: readonly DunningLevel[],
  { due_date, reached, notices }: { due_date: IsoDate; reached: number; notices: readonly SentNotice[] },
): NextNotice | null {
  const level = levels[reached];
  if (!level) return null;
  const planned = addDays(due_date, level.days);
  const [before, last] = [levels[reached - 1], notices.at(-1)];
  if (!before || !last) return { level: reached + 1, on: planned };
  const apart = addDays(last.sent_on, level.days - before.days);
  const free = last.announces_costs ? addDays(last.pay_by, 1) : apart;
  return { level: reached + 1, on: later(later(planned, apart), free) };
}

/** Whether a document has reached the first day of dunning: from then on the schedule of reminders leaves it alone. */
export const isDunned = (levels: readonly DunningLevel[], dueDate: IsoDate, day: IsoDate): boolean =>
  levels[0] !== undefined && daysBetween(dueDate, day) >= levels[0].days;
