import { type Runtime, runtime } from "../config/runtime.ts";
import { decrypt, encrypt, type SealingKey, sealingKey } from "../security/crypto.ts";
import type { Model, RowOf } from "./model.ts";

/** Where a sealed text belongs; anywhere else it does not decrypt. */
export interface Place {
  table: string;
  column: string;
  /** Null in a table that belongs to no organisation. */
  organisation: string | null;
  /** The row's primary key; its parts in the key's order and joined by `/` where it has several, `organisation_id` left out. */
  row: string;
}

const placeText = ({ table, column, organisation, row }: Place): string => JSON.stringify([table, column, organisation, row]);

/** The keys of an installation: the first seals, all of them open. */
export type KeyRing = readonly [SealingKey, ...SealingKey[]];

/** The keys that belong to a configuration whose main secret is known. */
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

/** Seals a secret with the current key for one place. For statements written by hand: a model's `sealed` column needs no call. */
export const seal = (plain: string, place: Place, [current] = ring()): string => encrypt(plain, current, placeText(place));

/** Opens a sealed text, or gives null: nothing stored, moved here from elsewhere, damaged, or under a key that is no longer configured. */
export const unseal = (text: string | null | undefined, place: Place, keys: KeyRing = ring()): string | null =>
  text ? decrypt(text, keys, placeText(place)) : null;

/**
 * The secret in a `sealed` column of a row of a tenant table, or null when it counts as not configured.
 * @param row holds `id`, `organisation_id` and the column, as `lock` gives it
 */
export const unsealed = <M extends Model>(
  { table }: M,
  row: Partial<RowOf<M>> & { id: string; organisation_id: string },
  column: keyof RowOf<M> & string,
): string | null => unseal(row[column] as string | null, { table, column, organisation: row.organisation_id, row: row.id });

/** What a caller sent for a write-only secret: absent, null and `""` all keep the stored one (conventions §9), so they are undefined. */
export const givenSecret = (value: string | null | undefined): string | undefined => value || undefined;
