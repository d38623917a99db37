import { createHash } from "node:crypto";
import { request } from "../request/context.ts";

/**
 * The local id of a record whose file has a foreign id (RFC 9562 §5.8). It is derived from that id, the kind of record and the running
 * organisation. So a second import of the file finds the record again, and ids of other organisations cannot collide.
 */
export function rememberedId(kind: string, given: string): string {
  const bytes = createHash("sha256").update(`${request().organisation.id} ${kind} ${given}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** A stored row with a requested id, and whether the caller sees it. */
export interface Identified {
  id: string;
  is_visible: boolean;
}

/** The meaning of a file's ids in this organisation. */
export interface KnownIds<T extends Identified> {
  /** The visible row for an id of the file. */
  byId: Map<string, T>;
  /** Ids whose row an import created, but the caller does not see. */
  hidden: Set<string>;
}

/** The ids to look up: those of the file, and those that an import would have derived from them. */
export const askedIds = (kind: string, given: readonly string[]): string[] => given.flatMap((id) => [id, rememberedId(kind, id)]);

/**
 * Interprets the rows found for `askedIds`. A hidden row of an earlier import is reported, because its id cannot be assigned again; a
 * foreign row that happens to have the file's id is not.
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
