import { createHash } from "node:crypto";
import { actOutside } from "../../../core/request/acts.ts";
import type { AccountingProvider, Books, Held, SalesEntry } from "../../../integrations/accounting/provider.ts";

/** What is remembered of an entry at a provider. */
export interface RememberedEntry {
  readonly external_id: string;
  readonly payload: EntryFacts;
}
/** The facts beside the provider's name of an entry. */
export type EntryFacts = {
  /** SHA-256 of the contents when they were last sent or met, in hexadecimal. */
  readonly hash?: string;
  /** True for an entry that was there before this service wrote one: it is never overwritten. */
  readonly adopted?: boolean;
};

/** Runs a write; where its outcome is unknown, what the provider holds tells it. */
async function made(write: () => Promise<void>, find: () => Promise<Held | null>, hash: string): Promise<Held> {
  try {
    await write();
  } catch (error) {
    const found = await find();
    if (found?.hash !== hash) throw error;
    return found;
  }
  const found = await find();
  if (!found) throw new Error("the provider does not hold what it was sent");
  return found;
}

/**
 * Brings one entry into the books of a provider, once (money §15): looked up by number before it is made; where the outcome of a write is
 * unknown, looked up again. What another made under that number is adopted and never overwritten; what did not change is not sent.
 * @param known what was remembered of the entry, null for nothing
 * @param eInvoice gives the document as UBL
 * @throws LedgerUnknown, and what `eInvoice` throws, before anything is asked; whatever the provider throws where it is certain that nothing was done, or remains unknown
 */
export async function pushEntry(
  provider: AccountingProvider,
  books: Books,
  entry: SalesEntry,
  { known, eInvoice }: { known: RememberedEntry | null; eInvoice: () => Promise<string> },
): Promise<RememberedEntry> {
  const contents = await provider.contents(entry, eInvoice);
  const hash = createHash("sha256").update(contents).digest("hex");
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
