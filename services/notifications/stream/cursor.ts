/** The fields of a row that a cursor needs: `at` is when it became visible, ISO 8601 in UTC with microseconds, so that texts compare. */
interface Row {
  id: string;
  at: string;
}

/**
 * A stream's position: everything visible before `at` has been sent, plus the rows in `sent`, each with its instant. Transactions commit in
 * a different order than they stamp, so an instant alone would lose rows.
 */
export interface Cursor {
  at: string;
  sent: ReadonlyMap<string, string>;
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const ID = /^[0-9a-f]{32}$/;
/** Most ids in a cursor's text; a reader that resumes with more receives the others again. */
const MOST_IDS = 64;
/** Longest absence of a resuming reader, in ms; older rows are in the list. */
const LONGEST = 30 * 86_400_000;
/** How far an instant can be ahead of this node's clock, in ms. */
const AHEAD = 60_000;

const instantText = (ms: number): string => new Date(ms).toISOString().replace("Z", "000Z");

/** The earliest of several instants in the same text format. */
export const earliest = (instants: readonly [string, ...string[]]): string => instants.toSorted()[0] as string;

/** Encodes a cursor as an event id. */
export function cursorText({ at, sent }: Cursor): string {
  const ids = [...sent].filter(([, moment]) => moment >= at).slice(-MOST_IDS);
  return [at, ...ids.map(([id]) => id.replaceAll("-", ""))].join("~");
}

/** Decodes a `Last-Event-ID`; null if it is not ours. @param now in ms */
export function readCursor(text: string | undefined, now: number): Cursor | null {
  const [at = "", ...ids] = (text ?? "").split("~");
  const moment = INSTANT.test(at) ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(moment) || moment > now + AHEAD || ids.length > MOST_IDS || !ids.every((id) => ID.test(id))) return null;
  const dashed = ids.map((id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"));
  // Their real instants are known once a poll finds the rows again.
  return { at: moment < now - LONGEST ? instantText(now - LONGEST) : at, sent: new Map(dashed.map((id) => [id, at])) };
}

/** One row to send, and the reader's position after it. */
export interface Step<R> {
  row: R;
  cursor: Cursor;
}

/**
 * The rows of a poll that are new to a stream, and its position after them.
 * @param rows all visible rows that became visible at or after the cursor, by instant and id
 * @param until the instant before which no row can become visible that the poll missed; read before the poll
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
