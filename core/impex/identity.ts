import { createHash } from "node:crypto";
import { request } from "../request/context.ts";

/**
 * The id a record gets here that a file brings with an id of elsewhere (RFC 9562 §5.8). It follows from that id, the kind of record and
 * the running organisation, so a second import of the file finds the record again, and no other organisation's ids can be met.
 */
export function rememberedId(kind: string, given: string): string {
  const bytes = createHash("sha256").update(`${request().organisation.id} ${kind} ${given}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** A stored row with one of the ids that were asked for, and whether the caller sees it. */
export interface Identified {
  id: string;
  is_visible: boolean;
}

/** What the ids of a file mean here. */
export interface KnownIds<T extends Identified> {
  /** The visible row an id of the file means. */
  byId: Map<string, T>;
  /** Ids whose row is there, made by an import, and not visible to the caller. */
  hidden: Set<string>;
}

/** The ids to look for: those of the file, and those that rows brought by it would have got here. */
export const askedIds = (kind: string, given: readonly string[]): string[] => given.flatMap((id) => [id, rememberedId(kind, id)]);

/**
 * Reads what was found under `askedIds`. A row of another import is told from one that is not there, as its id cannot be given again; a
 * foreign row that happens to have the id of the file is not.
 */
export function knownIds<T extends Identified>(kind: string, given: readonly string[], found: readonly T[]): KnownIds<T> {
  const rows = new Map(found.map((row) => [row.id, row]));
  const known: KnownIds<T> = { byId: new Map(), hidden: new Set() };
  for (const id of given) {
    const [own, made] = [rows.get(id), rows.get(rememberedId(kind, id))];
    const row = [own, made].find((one) => one?.is_visible);
    if (row) known.byId.set(id, row);
    else if (made) known.hidden.add(id);
  }
  return known;
}
