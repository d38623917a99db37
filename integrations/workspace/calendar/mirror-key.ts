/** The kinds of records that are written into calendars. */
export const MIRRORED_KINDS = ["leave", "availability", "schedule"] as const;
export type MirroredKind = (typeof MIRRORED_KINDS)[number];

/** Ids of Google's events take base32hex digits alone: 0–9 and a–v, at least 5 of them. `g` ends the key: no hexadecimal digit and no letter before it. */
const PREFIX = "kantoor";
const LETTER: Readonly<Record<MirroredKind, string>> = { leave: "l", availability: "a", schedule: "s" };
const EVENT_ID = new RegExp(`^(${PREFIX}[${Object.values(LETTER).join("")}][0-9a-f]{64})g\\d+$`);

const digits = (id: string): string => id.replaceAll("-", "").toLowerCase();

/** What the ids of all events of one record in one person's calendar begin with. */
export const mirrorKey = (kind: MirroredKind, sourceId: string, accountId: string): string =>
  `${PREFIX}${LETTER[kind]}${digits(sourceId)}${digits(accountId)}`;

/** The id of one generation of an event: a deleted id stays taken at Google, so that each return of an event has the next one. */
export const mirroredEventId = (key: string, generation: number): string => `${key}g${generation}`;

/** The mirror key of an event that carries an id of this service's; null for any other id. */
export const mirrorKeyOf = (eventId: string | null | undefined): string | null => EVENT_ID.exec(eventId ?? "")?.[1] ?? null;
