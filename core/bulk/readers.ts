import { isDate } from "../calendar/calendar.ts";
import { query } from "../database/query.ts";
import { request } from "../request/context.ts";
import { type Statement, statement } from "../sql/statement.ts";

/** The meaning of a text in a bulk update: the value for the ordinary update, or an error key. */
export type Reading = { value: unknown } | { error: string };

/** Reads the texts of one key. */
export interface Reader {
  /** The allowed texts, for people. */
  about: string;
  /** An example, for the reference. */
  example: string;
  /** @param text not blank and without surrounding spaces */
  of(text: string): Reading | Promise<Reading>;
}

/** One of a fixed set of words. */
export const oneOf = (words: readonly string[]): Reader => ({
  about: words.join(", "),
  example: words[0] ?? "",
  of: (text) => (words.includes(text) ? { value: text } : { error: "impex.errors.invalid_option" }),
});

const TRUTH = new Map([
  ...["true", "ja", "yes", "1"].map((word) => [word, true] as const),
  ...["false", "nee", "no", "0"].map((word) => [word, false] as const),
]);

/** Yes or no, ignoring case. */
export const yesOrNo: Reader = {
  about: "true, ja, yes, 1, false, nee, no, 0",
  example: "true",
  of(text) {
    const value = TRUTH.get(text.toLowerCase());
    return value === undefined ? { error: "impex.errors.invalid_bool" } : { value };
  },
};

/** A day as `YYYY-MM-DD`. */
export const day: Reader = {
  about: "YYYY-MM-DD",
  example: "2026-03-02",
  of: (text) => (isDate(text) ? { value: text } : { error: "impex.errors.invalid_date" }),
};

/** A word of the organisation's own, which the write of each row validates. */
export const ownWord = (about: string, example: string): Reader => ({ about, example, of: (text) => ({ value: text }) });

/** A text of the record's own. @param most its longest length in characters */
export const textUpTo = (most: number, about: string, example: string): Reader => ({
  about,
  example,
  of: (text) => (text.length <= most ? { value: text } : { error: "errors.validation" }),
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * A record by its id or an exact name, ignoring case; an id takes precedence over a name. One statement.
 * @param look finds the ids of matching records: `$1` is the organisation, `$2` the id (or null), `$3` the name, `$4` the sources of the
 * caller's selection (null sees everything)
 * @param then runs with the id of the record found
 */
export const reference = (about: string, look: () => Statement, then?: (id: string) => Promise<void>): Reader => ({
  about,
  example: "Bakkerij De Korenaar",
  async of(text) {
    const { organisation, principal } = request();
    const id = UUID.test(text) ? text.toLowerCase() : null;
    const found = await query<{ id: string }>(look(), [organisation.id, id, text, principal?.selection ?? null]);
    const [only, other] = found.some((one) => one.id === id) ? [{ id }] : found;
    if (!only) return { error: "impex.errors.unresolved_reference" };
    if (other) return { error: "impex.errors.ambiguous_match" };
    await then?.(only.id as string);
    return { value: only.id };
  },
});

/**
 * The statement for `reference` over one table; it locks the rows until the call ends.
 * @param fits SQL on alias `t`: whether its name is `$3`
 * @param visible SQL on alias `t`: whether a restricted selection sees it; by default every selection does
 * @param only SQL on alias `t` for every caller
 */
export const lookup = (table: string, fits: string, visible: (slot: string) => string = () => "true", only = "true"): Statement =>
  statement(`select t.id from ${table} t where t.organisation_id = $1 and (t.id = $2::uuid or ${fits})
    and ($4::uuid[] is null or ${visible("$4::uuid[]")}) and ${only} order by t.id for key share`);

/** SQL that compares a text with `$3`, ignoring case and surrounding blanks: names keep theirs, and `$3` has none. */
export const isNamed = (text: string): string => `btrim(${text}) collate kantoor_text = $3::text`;
