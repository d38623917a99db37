import { addDaysWithin, type IsoDate } from "../../../core/calendar/calendar.ts";
import { shortened } from "../../../core/values/stored-text.ts";

/** The criteria of a mailbox search; missing ones match everything. */
export interface MailSearch {
  participant?: string | undefined;
  subject?: string | undefined;
  after?: IsoDate | undefined;
  /** The last day, inclusive. */
  before?: IsoDate | undefined;
}

/** Most characters of a field; further ones are ignored. */
const LONGEST = 200;

/** Removes the characters with a special meaning in the provider's query. */
const plain = (text: string | undefined): string => shortened((text ?? "").replace(/[":()\s]+/g, " ").trim(), LONGEST).trim();

/**
 * The provider's query for a search (workspace §2.6, "search"). Quotes a participant of several words; otherwise the field would apply to
 * the first word only.
 * @returns null without usable terms
 */
export function searchQuery({ participant, subject, after, before }: MailSearch): string | null {
  const [person, words] = [plain(participant), plain(subject)];
  const who = person.includes(" ") ? `"${person}"` : person;
  const parts = [
    ...(who === "" ? [] : [`(from:${who} OR to:${who} OR cc:${who})`]),
    ...(words === "" ? [] : [`subject:"${words}"`]),
    ...(after === undefined ? [] : [`after:${after}`]),
    ...(before === undefined ? [] : [`before:${addDaysWithin(before, 1)}`]),
  ];
  return parts.length === 0 ? null : [...parts, "-in:spam -in:trash"].join(" ");
}
