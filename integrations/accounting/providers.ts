import type { Config } from "../../core/config/config.ts";
import { s3Store } from "../storage/s3.ts";
import { journal } from "./journal.ts";
import { journalBucket, journalFolder } from "./journal-stores.ts";
import type { AccountingProvider } from "./provider.ts";

type Configured = Pick<
  Config,
  "accountingJournalFolder" | "accountingJournalBucket" | "storageApiUrl" | "filesRegion" | "filesKeyId" | "filesKeySecret"
>;

function made(config: Configured): AccountingProvider[] {
  const { accountingJournalFolder: folder, accountingJournalBucket: bucket } = config;
  if (bucket !== undefined) return [journal(journalBucket(s3Store(bucket, config)))];
  return folder === undefined ? [] : [journal(journalFolder(folder))];
}

const known = new WeakMap<Configured, readonly AccountingProvider[]>();

/** The accounting providers that the operator configured, none by default (money §15). */
export function accountingProviders(config: Configured): readonly AccountingProvider[] {
  let providers = known.get(config);
  if (!providers) known.set(config, (providers = made(config)));
  return providers;
}
