/** A row as far as a cursor has to know it: `at` is when it became visible, ISO 8601 in UTC with microseconds, so that texts compare. */
interface Row {
  id: string;
  at: string;
}

/**
 * How far a stream has come: everything that became visible before `at` has been sent, and of what became visible since then the rows of
 * `sent`, each with its instant. Transactions commit in another order than they stamp, so an instant alone would lose rows.
 */
export interface Cursor {
  at: string;
  sent: ReadonlyMap<string, string>;
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const ID = /^[0-9a-f]{32}$/;
/** Ids a text names at most; a reader that comes again with more behind it gets the others a second time. */
const MOST_IDS = 64;
/** How long ago a reader may have left, in ms: what is older is in the list. */
const LONGEST = 30 * 86_400_000;
/** How far an instant may be ahead of this node's clock, in ms. */
const AHEAD = 60_000;

const instantText = (ms: number): string => new Date(ms).toISOString().replace("Z", "000Z");

/** The first of some instants, which are texts of one form. */
export const earliest = (instants: readonly [string, ...string[]]): string => instants.toSorted()[0] as string;

/** A cursor as the id of an event. */
export function cursorText({ at, sent }: Cursor): string {
  const ids = [...sent].filter(([, moment]) => moment >= at).slice(-MOST_IDS);
  return [at, ...ids.map(([id]) => id.replaceAll("-", ""))].join("~");
}

/** What a `Last-Event-ID` says, or null for a text that is none of ours. @param now in ms */
export function readCursor(text: string | undefined, now: number): Cursor | null {
  const [at = "", ...ids] = (text ?? "").split("~");
  const moment = INSTANT.test(at) ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(moment) || moment > now + AHEAD || ids.length > MOST_IDS || !ids.every((id) => ID.test(id))) return null;
  const dashed = ids.map((id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"));
  // When they became visible is known once they are met again.
  return { at: moment < now - LONGEST ? instantText(now - LONGEST) : at, sent: new Map(dashed.map((id) => [id, at])) };
}

/** One row to be sent, and how far its reader then is. */
export interface Step<R> {
  row: R;
  cursor: Cursor;
}

/**
 * What is new to a stream among the rows of a look, and how far it then is.
 * @param rows all that are visible and became so at or after the cursor, by instant and id
 * @param until the instant before which no row can become visible any more that the look did not see; read before the look
 */
export function advance<R extends Row>(before: Cursor, rows: readonly R[], until: string): { steps: Step<R>[]; cursor: Cursor } {
  const end = until > before.at ? until : before.at;
  const sent = new Map(before.sent);
  const news = rows.filter(({ id, at }) => at >= before.at && !sent.has(id));
  for (const { id, at } of rows) if (sent.has(id)) sent.set(id, at);
  const steps = news.map((row) => {
    sent.set(row.id, row.at);
    return { row, cursor: since(earliest([row.at, end]), sent) };
  });
  return { steps, cursor: since(end, sent) };
}

const since = (at: string, sent: ReadonlyMap<string, string>): Cursor => ({
  at,
  sent: new Map([...sent].filter(([, moment]) => moment >= at)),
});
