import { createHash } from "node:crypto";

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Changes the ids in a text. */
export type Renaming = (text: string) => string;

/** Another id for each id: the same time and order to the millisecond, other random digits. Two ids never become one. */
export function renamed(id: string, seed: string): string {
  const mask = createHash("sha256").update(seed).digest().readUIntBE(0, 6) || 1;
  const [high, low] = [Math.floor(mask / 2 ** 24), mask % 2 ** 24];
  const part = (from: number, bits: number) =>
    ((Number.parseInt(id.slice(from, from + 6), 16) ^ bits) >>> 0).toString(16).padStart(6, "0");
  return id.slice(0, 24) + part(24, high) + part(30, low);
}

/**
 * Renames the ids in texts: the organisation's own ids by a seed, and some ids to given ones. Other ids stay, such as those of other systems.
 * @param own ids of the organisation and its rows; empty if they stay
 */
export function renaming(own: ReadonlySet<string>, seed: string, given: ReadonlyMap<string, string>): Renaming {
  if (own.size === 0 && given.size === 0) return (text) => text;
  return (text) => text.replace(UUID, (id) => given.get(id) ?? (own.has(id) ? renamed(id, seed) : id));
}
