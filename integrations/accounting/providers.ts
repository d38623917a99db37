import type { Config } from "../../core/config/config.ts";
import { s3Store } from "../../core/providers/storage/s3.ts";
import { eInvoices, journal } from "./journal/journal.ts";
import { type JournalStore, journalBucket, journalFolder } from "./journal/journal-stores.ts";
import type { AccountingProvider } from "./provider.ts";

type Configured = Pick<
  Config,
  "accountingJournalFolder" | "accountingJournalBucket" | "storageApiUrl" | "filesRegion" | "filesKeyId" | "filesKeySecret"
>;

function made(config: Configured): AccountingProvider[] {
  const { accountingJournalFolder: folder, accountingJournalBucket: bucket } = config;
  if (bucket !== undefined) return inFiles(journalBucket(s3Store(bucket, config)));
  return folder === undefined ? [] : inFiles(journalFolder(folder));
}

/** A journal and the e-invoices, both as files. */
const inFiles = (store: JournalStore): AccountingProvider[] => [journal(store), eInvoices(store)];

const known = new WeakMap<Configured, readonly AccountingProvider[]>();

/** The accounting providers the operator configured, none by default (money §15). */
export function accountingProviders(config: Configured): readonly AccountingProvider[] {
  let providers = known.get(config);
  if (!providers) known.set(config, (providers = made(config)));
  return providers;
}
