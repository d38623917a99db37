import type { MirroredEvent } from "../../../../core/calendar/mirrored-event.ts";
import type { OrganisationRun } from "../../../../core/jobs/jobs.ts";
import { callGoogle, type GoogleAccess, type GoogleCall, googleAccess } from "../../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../../mixins/google/failure.ts";
import { type CalendarConnection, calendarConnectionOf } from "../calendar-connections.ts";
import { isLasting } from "../pulling.ts";
import { MIRRORED_KINDS, type MirroredKind, mirroredEventId, SOURCES } from "./mirror-key.ts";
import {
  type MirrorPlace,
  type MirrorRow,
  noteAbsent,
  noteAsked,
  noteFailed,
  noteThere,
  noteWaiting,
  waitingMirrors,
} from "./mirror-rows.ts";
import { contentHash, type WrittenEvent, writtenEvent } from "./written-event.ts";

/** The actions that return a person's records of a kind from today on. */
const COMING: Readonly<Record<MirroredKind, string>> = {
  leave: "leave.mirror.coming_requests",
  availability: "leave.mirror.coming_exceptions",
  schedule: "tasks.mirror.coming_blocks",
};
/** Event ids tried before an event fails, if Google has deleted each of them. */
const MOST_GENERATIONS = 3;

type Writing = Pick<OrganisationRun, "organisation" | "read" | "write" | "call" | "signal">;

/** The context of a write to a calendar. */
interface Writer {
  readonly run: Writing;
  readonly access: GoogleAccess;
  readonly connection: CalendarConnection;
}

const kindOf = (error: unknown): GoogleFailure["kind"] | null => (error instanceof GoogleFailure ? error.kind : null);
const isGone = (error: unknown): boolean => kindOf(error) === "not_found" || kindOf(error) === "gone";
const call = (run: Writing, operation: string): GoogleCall<"calendar"> => ({ api: "calendar", operation, signal: run.signal });
/** Whether the outcome of a call is unknown: Google may have applied it. */
const isLost = (error: unknown): boolean =>
  error instanceof GoogleFailure && error.kind === "unavailable" && !error.isUnsent && (error.status ?? 500) >= 500;

/**
 * Inserts an event under our id. The client does not retry it, because the caller must know whether a 409 is the answer to a retry.
 * @throws GoogleFailure `conflict` for an id that is taken, even by a deleted event
 */
const insertEvent = ({ run, access }: Writer, id: string, event: WrittenEvent) =>
  callGoogle(access, call(run, "events.insert"), (client) =>
    client.events.insert({ calendarId: "primary", requestBody: { id, ...event } }),
  );

/** Replaces an event with this service's version, whatever was changed at Google. @throws GoogleFailure */
const replaceEvent = ({ run, access }: Writer, eventId: string, event: WrittenEvent) =>
  callGoogle(access, call(run, "events.update"), (client) =>
    client.events.update({ calendarId: "primary", eventId, requestBody: event }),
  );

/** Deletes an event, if it exists. @throws GoogleFailure */
async function deleteEvent({ run, access }: Writer, eventId: string): Promise<void> {
  try {
    await callGoogle(access, call(run, "events.delete"), (client) => client.events.delete({ calendarId: "primary", eventId }));
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/**
 * Inserts an event that was recorded as requested, and retries once if the answer is lost; a 409 to the retry means success.
 * @param isRepeated whether an earlier run lost the answer
 * @returns false if the id belongs to other content or to a deleted event
 * @throws GoogleFailure
 */
async function inserted(writer: Writer, id: string, event: WrittenEvent, isRepeated: boolean): Promise<boolean> {
  for (let repeats = isRepeated; ; repeats = true) {
    try {
      await insertEvent(writer, id, event);
      return true;
    } catch (error) {
      if (kindOf(error) === "conflict") return repeats;
      if (repeats || !isLost(error)) throw error;
    }
  }
}

/**
 * Puts an event into the calendar; if its id belongs to a deleted event, uses the next id. Records each request first, so that a retry is
 * recognised; replaces other content under the id.
 * @param isRepeated whether the same event was requested before without an answer
 * @throws GoogleFailure
 */
async function bringIn(
  writer: Writer,
  row: MirrorRow,
  event: WrittenEvent,
  place: MirrorPlace,
  isRepeated: boolean,
): Promise<MirrorPlace> {
  for (let tries = 1, at = place; ; tries += 1, at = { ...at, generation: at.generation + 1 }) {
    const asked = at;
    const repeats = isRepeated && tries === 1;
    const id = mirroredEventId(row.mirror_key, asked.generation);
    if (!repeats) await writer.run.write(async () => noteAsked(row, asked));
    if (await inserted(writer, id, event, repeats)) return asked;
    try {
      await replaceEvent(writer, id, event);
      return asked;
    } catch (error) {
      if (!isGone(error) || tries >= MOST_GENERATIONS) throw error;
    }
  }
}

/** Brings a calendar in line with a record. @param event null if the record no longer has an event in this calendar */
async function writeMirror(writer: Writer, row: MirrorRow, event: MirroredEvent | null): Promise<void> {
  const { run, connection } = writer;
  const { subject, account_id: owner } = connection;
  // The calendar of another Google account cannot be reached.
  const isHere = row.subject === subject && row.presence !== "absent";
  if (event === null) {
    if (isHere) await deleteEvent(writer, mirroredEventId(row.mirror_key, row.generation));
    await run.write(async () => noteAbsent(row, owner, isHere));
    return;
  }
  const written = writtenEvent(event);
  const place: MirrorPlace = { generation: row.generation, subject, hash: contentHash(written) };
  const isSame = isHere && row.content_hash !== null && place.hash.equals(row.content_hash);
  let at = place;
  if (isHere && row.presence === "there") {
    if (!isSame) at = await replaceOrReturn(writer, row, written, place);
  } else at = await bringIn(writer, row, written, place, isSame);
  const held = at;
  await run.write(async () => noteThere(row, held, event.names));
}

/** Replaces an event. If its owner deleted it, recreates it under the next id, because the record is the source of truth. */
async function replaceOrReturn(writer: Writer, row: MirrorRow, event: WrittenEvent, place: MirrorPlace): Promise<MirrorPlace> {
  try {
    await replaceEvent(writer, mirroredEventId(row.mirror_key, place.generation), event);
    return place;
  } catch (error) {
    if (!isGone(error)) throw error;
    return bringIn(writer, row, event, { ...place, generation: place.generation + 1 }, false);
  }
}

/** The events of waiting records by kind and record, read from their modules now. */
async function eventsOf(run: Writing, rows: readonly MirrorRow[]): Promise<Map<string, MirroredEvent>> {
  const kinds = [...Map.groupBy(rows, ({ kind }) => kind)];
  const answers = await Promise.all(
    kinds.map(async ([kind, some]) => {
      const body = { ids: some.map(({ source_id }) => source_id) };
      const events = await run.call<MirroredEvent[]>(SOURCES[kind], { body });
      return events.map((event): [string, MirroredEvent] => [`${kind} ${event.source_id}`, event]);
    }),
  );
  return new Map(answers.flat());
}

/**
 * Records a failed write. Failures that a person must fix, rate limits and calls that were never sent do not count as attempts.
 * @returns whether to continue with the calendar's other events: Google refused only this one
 */
async function failed({ run }: Writer, row: MirrorRow, error: GoogleFailure): Promise<boolean> {
  const { kind, status, message, isUnsent } = error;
  const waits = kind === "rate" || isUnsent || (isLasting(error) && kind !== "forbidden");
  await run.write(async () => (waits ? noteWaiting(row, message) : noteFailed(row, message)));
  return !waits && status !== null && status >= 400 && status < 500;
}

/**
 * Writes a person's waiting events in queue order until none is left or Google stops accepting them (workspace §2.3). The sweep handles the
 * rest.
 */
export async function writeCalendar(run: Writing, accountId: string): Promise<void> {
  const connection = await run.read(() => calendarConnectionOf(accountId));
  if (!connection) return;
  const writer: Writer = { run, access: googleAccess({ id: connection.id }, run), connection };
  const tried: string[] = [];
  for (;;) {
    const rows = await run.read(() => waitingMirrors(accountId, tried));
    if (rows.length === 0) return;
    const events = await eventsOf(run, rows);
    for (const row of rows) {
      const event = events.get(`${row.kind} ${row.source_id}`);
      try {
        await writeMirror(writer, row, event?.user_id === accountId ? event : null);
      } catch (error) {
        if (!(error instanceof GoogleFailure)) throw error;
        tried.push(row.id);
        if (!(await failed(writer, row, error))) return;
      }
    }
  }
}

/** A person's records from today on, by kind; a person who connects expects them in the calendar. */
export const comingRecords = (run: Pick<OrganisationRun, "call">, accountId: string): Promise<[MirroredKind, string[]][]> =>
  Promise.all(
    MIRRORED_KINDS.map(
      async (kind): Promise<[MirroredKind, string[]]> => [
        kind,
        await run.call<string[]>(COMING[kind], { body: { user_id: accountId } }),
      ],
    ),
  );
