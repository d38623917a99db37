import { createHash } from "node:crypto";
import { actOutside } from "../../core/outbound/acts.ts";
import type { SalesEntry } from "../../mixins/sales-entry.ts";
import type { AccountingProvider, BookedEntry, Books } from "./provider.ts";

/** An entry as stored for a provider. */
export interface RememberedEntry {
  readonly external_id: string;
  readonly payload: EntryFacts;
}
/** The stored facts of an entry, next to the provider's id. */
export type EntryFacts = {
  /** SHA-256 of the contents when last sent or matched, in hexadecimal. */
  readonly hash?: string;
  /** True for an entry that existed before this service wrote one: this service never overwrites it. */
  readonly adopted?: boolean;
};

interface PushParts {
  known: RememberedEntry | null;
  eInvoice: () => Promise<string>;
  leave: () => Promise<unknown>;
}

/** Runs a write and returns the provider's entry; after an error, that entry shows whether the write succeeded. */
async function made(write: () => Promise<void>, find: () => Promise<BookedEntry | null>, hash: string): Promise<BookedEntry> {
  try {
    await write();
  } catch (error) {
    const found = await find();
    if (found?.hash !== hash) throw error;
    return found;
  }
  const found = await find();
  if (!found) throw new Error("the provider did not store what was sent");
  return found;
}

/**
 * Stores one entry in a provider's books exactly once (money §15). Looks it up by number before creating it, and again when the outcome of
 * a write is unknown. Adopts an existing entry of that number and never overwrites it; sends no unchanged entry.
 * @param known the stored entry, or null
 * @param eInvoice returns the document as UBL
 * @param leave records that the document leaves, before the first request
 * @throws LedgerUnknown and errors of `eInvoice`, before the first request; errors of the provider when the write certainly failed or its
 * outcome stays unknown
 */
export async function pushEntry(
  provider: AccountingProvider,
  books: Books,
  entry: SalesEntry,
  { known, eInvoice, leave }: PushParts,
): Promise<RememberedEntry> {
  const contents = await provider.contents(entry, eInvoice);
  const hash = createHash("sha256").update(contents).digest("hex");
  await leave();
  await actOutside("accounting");
  const find = () => provider.find(books, entry.number);
  const found = await find();
  if (!found) {
    const { external_id, hash: held } = await made(() => provider.create(books, entry.number, contents), find, hash);
    return { external_id, payload: { hash: held, adopted: held !== hash } };
  }
  const isOwn = known !== null && known.payload.adopted !== true && known.payload.hash === found.hash;
  if (found.hash === hash && known?.payload.adopted !== true)
    return { external_id: found.external_id, payload: { hash, adopted: false } };
  if (!isOwn) return { external_id: found.external_id, payload: { hash: found.hash, adopted: true } };
  const replaced = await made(() => provider.replace(books, entry.number, contents), find, hash);
  return { external_id: replaced.external_id, payload: { hash: replaced.hash, adopted: false } };
}
