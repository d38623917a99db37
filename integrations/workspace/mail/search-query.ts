import { addDaysWithin, type IsoDate } from "../../../core/calendar/calendar.ts";

/** What a search of a mailbox asks for; a field that is left out asks for nothing. */
export interface MailSearch {
  participant?: string | undefined;
  subject?: string | undefined;
  after?: IsoDate | undefined;
  /** The last day, inclusive. */
  before?: IsoDate | undefined;
}

/** Characters of a field that are searched for. */
const LONGEST = 200;

/** A field without what has a meaning in the provider's query. */
const plain = (text: string | undefined): string =>
  (text ?? "")
    .replace(/[":()\s]+/g, " ")
    .trim()
    .slice(0, LONGEST)
    .trim();

/**
 * The query of the provider for a search (workspace §2.6, "search"). A participant of several words is quoted: without that only the first
 * word would belong to the field.
 * @returns null where nothing is left to search for
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
