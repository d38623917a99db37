/** The kinds of records that are written to calendars. */
export const MIRRORED_KINDS = ["leave", "availability", "schedule"] as const;
export type MirroredKind = (typeof MIRRORED_KINDS)[number];
/** The actions that return records of a kind as events. */
export const SOURCES: Readonly<Record<MirroredKind, string>> = {
  leave: "leave.mirror.requests",
  availability: "leave.mirror.exceptions",
  schedule: "tasks.mirror.blocks",
};

/**
 * Google's event ids allow only base32hex digits (0–9 and a–v), at least 5. `g` ends the key, because it is neither a hexadecimal digit nor
 * one of the letters before it.
 */
const PREFIX = "kantoor";
const LETTER: Readonly<Record<MirroredKind, string>> = { leave: "l", availability: "a", schedule: "s" };
const EVENT_ID = new RegExp(`^(${PREFIX}[${Object.values(LETTER).join("")}][0-9a-f]{64})g\\d+$`);

const digits = (id: string): string => id.replaceAll("-", "").toLowerCase();

/** The common prefix of the event ids of one record in one person's calendar. */
export const mirrorKey = (kind: MirroredKind, sourceId: string, accountId: string): string =>
  `${PREFIX}${LETTER[kind]}${digits(sourceId)}${digits(accountId)}`;

/** The id of one generation of an event. Google never frees a deleted id, so a recreated event needs the next generation. */
export const mirroredEventId = (key: string, generation: number): string => `${key}g${generation}`;

/** The mirror key in an event id of this service; null for any other id. */
export const mirrorKeyOf = (eventId: string | null | undefined): string | null => EVENT_ID.exec(eventId ?? "")?.[1] ?? null;
