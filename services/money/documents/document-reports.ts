import { differing } from "../../../core/database/write.ts";
import { reportChange } from "../../../core/jobs/record-changes.ts";
import type { Owner } from "./lines/line-writes.ts";
import type { InvoiceRow, QuoteRow } from "./models.ts";

/** Columns that no answer has under their name: what it has instead, null for nothing. */
const SHOWN: Readonly<Record<string, string | null>> = { public_token: "public_url", auto_send: null };

/** Reports to outgoing webhooks which fields of a document a write changes. @param others fields that are no columns, for instance `lines` */
export function reportWritten(
  owner: Owner,
  before: InvoiceRow | QuoteRow,
  values: Partial<Record<string, unknown>>,
  others: readonly string[] = [],
): void {
  const fields = Object.keys(differing(before, values) ?? {}).map((name) => (name in SHOWN ? SHOWN[name] : name));
  const all = [...fields.filter((name) => name != null), ...others];
  if (all.length > 0) reportChange(owner, [before.id], "updated", all as string[]);
}
