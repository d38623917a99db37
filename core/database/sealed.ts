import { type Runtime, runtime } from "../config/runtime.ts";
import { decrypt, encrypt, type SealingKey, sealingKey } from "../security/crypto.ts";
import type { Model, RowOf } from "./model.ts";

/** The location a sealed text is bound to; it decrypts nowhere else. */
export interface SealLocation {
  table: string;
  column: string;
  /** Null in a table without organisations. */
  organisation: string | null;
  /** The row's primary key; for several columns their values in key order, joined by `/`, without `organisation_id`. */
  row: string;
}

const placeText = ({ table, column, organisation, row }: SealLocation): string =>
  JSON.stringify([table, column, organisation, row]);

/** The keys of an installation: the first seals, all of them open. */
export type KeyRing = readonly [SealingKey, ...SealingKey[]];

/** The keys of a configuration and its main secret. */
export function keyRing({
  config: { encryptionKey, encryptionOtherKeys = [] },
  secret,
}: Pick<Runtime, "config" | "secret">): KeyRing {
  const [current = secret, ...others] = new Set([encryptionKey ?? secret, secret, ...encryptionOtherKeys]);
  return [sealingKey(current), ...others.map(sealingKey)];
}

const rings = new WeakMap<Runtime, KeyRing>();

function ring(): KeyRing {
  const now = runtime();
  const known = rings.get(now) ?? keyRing(now);
  rings.set(now, known);
  return known;
}

/** Seals a secret with the current key for one location. For handwritten statements; `insert` and `update` seal a model's columns. */
export const seal = (plain: string, place: SealLocation, [current] = ring()): string => encrypt(plain, current, placeText(place));

/** Opens a sealed text. Returns null if nothing is stored, or if it was moved, is damaged, or is under a key no longer configured. */
export const unseal = (text: string | null | undefined, place: SealLocation, keys: KeyRing = ring()): string | null =>
  text ? decrypt(text, keys, placeText(place)) : null;

/**
 * The secret in a `sealed` column of a tenant table's row, or null when it counts as not configured.
 * @param row has `id`, `organisation_id` and the column, as returned by `lock`
 */
export const unsealed = <M extends Model>(
  { table }: M,
  row: Partial<RowOf<M>> & { id: string; organisation_id: string },
  column: keyof RowOf<M> & string,
): string | null => unseal(row[column] as string | null, { table, column, organisation: row.organisation_id, row: row.id });

/** The secret that a caller sent. Absent, null and `""` all keep the stored secret (conventions §9), so they become undefined. */
export const givenSecret = (value: string | null | undefined): string | undefined => value || undefined;
