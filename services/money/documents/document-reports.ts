import { differences } from "../../../core/database/write.ts";
import { reportChange } from "../../../core/trail/record-changes.ts";
import type { Owner } from "./lines/line-writes.ts";
import type { InvoiceRow, QuoteRow } from "./models.ts";

/** Columns with another name in answers, or null for columns that answers omit. */
const SHOWN: Readonly<Record<string, string | null>> = {
  public_token: "public_url",
  auto_send: null,
  withdrawn_total: null,
};

/** Reports the changed fields of a document to outgoing webhooks. @param others fields that are not columns, such as `lines` */
export function reportWritten(
  owner: Owner,
  before: InvoiceRow | QuoteRow,
  values: Partial<Record<string, unknown>>,
  others: readonly string[] = [],
): void {
  const fields = Object.keys(differences(before, values) ?? {}).map((name) => (name in SHOWN ? SHOWN[name] : name));
  const all = [...fields.filter((name) => name != null), ...others];
  if (all.length > 0) reportChange(owner, [before.id], "updated", all as string[]);
}
