import type { MirroredEvent } from "../../../core/calendar/mirrored-event.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { callGoogle, type GoogleAccess, type GoogleCall, googleAccess } from "../../../mixins/google/client.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import { type CalendarConnection, calendarConnectionOf } from "./calendar-connections.ts";
import { MIRRORED_KINDS, type MirroredKind, mirroredEventId } from "./mirror-key.ts";
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
import { isLasting } from "./pulling.ts";
import { contentHash, type WrittenEvent, writtenEvent } from "./written-event.ts";

/** The actions that answer records of a kind as events. */
const SOURCES: Readonly<Record<MirroredKind, string>> = {
  leave: "leave.mirror.requests",
  availability: "leave.mirror.exceptions",
  schedule: "tasks.mirror.blocks",
};
/** The actions that answer which records of a kind a person has from today on. */
const COMING: Readonly<Record<MirroredKind, string>> = {
  leave: "leave.mirror.coming_requests",
  availability: "leave.mirror.coming_exceptions",
  schedule: "tasks.mirror.coming_blocks",
};
/** Ids that are tried when Google has each of them deleted already, before an event counts as failed. */
const MOST_GENERATIONS = 3;

type Writing = Pick<OrganisationRun, "organisation" | "read" | "write" | "call" | "signal">;

/** One write into a calendar: by whom, and how. */
interface Writer {
  readonly run: Writing;
  readonly access: GoogleAccess;
  readonly connection: CalendarConnection;
}

const kindOf = (error: unknown): GoogleFailure["kind"] | null => (error instanceof GoogleFailure ? error.kind : null);
const isGone = (error: unknown): boolean => kindOf(error) === "not_found" || kindOf(error) === "gone";
const call = (run: Writing, operation: string): GoogleCall<"calendar"> => ({ api: "calendar", operation, signal: run.signal });
/** Whether Google may have done what it was asked for, and nobody knows. */
const isLost = (error: unknown): boolean =>
  error instanceof GoogleFailure && error.kind === "unavailable" && !error.isUnsent && (error.status ?? 500) >= 500;

/**
 * Inserts an event under an id of ours. The client does not repeat it: of a 409 it must be known whether it answers a repetition.
 * @throws GoogleFailure `conflict` for an id that is taken, also by a deleted event
 */
const insertEvent = ({ run, access }: Writer, id: string, event: WrittenEvent) =>
  callGoogle(access, call(run, "events.insert"), (client) =>
    client.events.insert({ calendarId: "primary", requestBody: { id, ...event } }),
  );

/** Replaces an event with what the service has of it, whatever was done to it at Google. @throws GoogleFailure */
const replaceEvent = ({ run, access }: Writer, eventId: string, event: WrittenEvent) =>
  callGoogle(access, call(run, "events.update"), (client) =>
    client.events.update({ calendarId: "primary", eventId, requestBody: event }),
  );

/** Deletes an event; one that is not there is deleted. @throws GoogleFailure */
async function deleteEvent({ run, access }: Writer, eventId: string): Promise<void> {
  try {
    await callGoogle(access, call(run, "events.delete"), (client) => client.events.delete({ calendarId: "primary", eventId }));
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/**
 * Inserts an event under an id that Google was asked to keep before, by this very content, and once more where an answer is lost: the 409 of
 * a repetition says that it is done.
 * @param isRepeated whether the answer of an earlier run was lost
 * @returns false where the id belongs to another content, or to a deleted event
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
 * Brings an event into the calendar, under the next id where this one belongs to a deleted event. What is asked for is stored first, so that
 * a repetition is recognised; another content under the id is replaced.
 * @param isRepeated whether the very same was asked for before, without an answer
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

/** Makes the calendar hold what a record says, or nothing. @param event null for a record that has no event in this calendar any more */
async function writeMirror(writer: Writer, row: MirrorRow, event: MirroredEvent | null): Promise<void> {
  const { run, connection } = writer;
  const { subject, account_id: owner } = connection;
  // What is in the calendar of another Google account cannot be reached.
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
  await run.write(async () => noteThere(row, held));
}

/** Replaces an event that is there; one that its owner has deleted comes back under the next id: the record is the source of what it says. */
async function replaceOrReturn(writer: Writer, row: MirrorRow, event: WrittenEvent, place: MirrorPlace): Promise<MirrorPlace> {
  try {
    await replaceEvent(writer, mirroredEventId(row.mirror_key, place.generation), event);
    return place;
  } catch (error) {
    if (!isGone(error)) throw error;
    return bringIn(writer, row, event, { ...place, generation: place.generation + 1 }, false);
  }
}

/** The events of records that wait, by kind and record, as their modules answer them now. */
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
 * Notes what became of a failed write. What a person has to mend, a limit of Google, and what was never sent is no attempt.
 * @returns whether the others of the same calendar are tried all the same: Google refused this one alone
 */
async function failed({ run }: Writer, row: MirrorRow, error: GoogleFailure): Promise<boolean> {
  const { kind, status, message, isUnsent } = error;
  const waits = kind === "rate" || isUnsent || (isLasting(error) && kind !== "forbidden");
  await run.write(async () => (waits ? noteWaiting(row, message) : noteFailed(row, message)));
  return !waits && status !== null && status >= 400 && status < 500;
}

/**
 * Writes what waits for a person's calendar, in the order in which it was queued, until nothing waits or Google does not take it
 * (workspace §2.3). What is left waits for the sweep.
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

/** What a person has from today on, by kind: a person who connects expects it in the calendar. */
export const comingRecords = (run: Pick<OrganisationRun, "call">, accountId: string): Promise<[MirroredKind, string[]][]> =>
  Promise.all(
    MIRRORED_KINDS.map(
      async (kind): Promise<[MirroredKind, string[]]> => [
        kind,
        await run.call<string[]>(COMING[kind], { body: { user_id: accountId } }),
      ],
    ),
  );
