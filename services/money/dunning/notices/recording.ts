import { queueInsert, queueUpdate } from "../../../../core/database/write.ts";
import { emit } from "../../../../core/jobs/outbox.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { stampLeft } from "../../documents/left.ts";
import { Invoice, type InvoiceRow } from "../../documents/models.ts";
import type { SentTo } from "../../mails/mail-values.ts";
import { releaseTurn } from "../../mails/reminder-turn.ts";
import { DunningNotice } from "../models.ts";
import type { WordedNotice } from "./notice.ts";

/**
 * Records in the running transaction a notice of an invoice that the caller has locked, and releases the turn.
 * @param holder the holder of the turn
 * @param sent the recipients; null for a notice that did not go by mail
 */
export async function recordNotice(
  { id, company_id, number, currency }: Pick<InvoiceRow, "id" | "company_id" | "number" | "currency">,
  { holder, notice, sent, manual }: { holder: string; notice: WordedNotice; sent: SentTo | null; manual: boolean },
): Promise<void> {
  const { level, pay_by, principal, total } = notice;
  await stampLeft("invoice", [id]);
  queueInsert(DunningNotice, { ...notice, invoice_id: id, sent_to: sent?.to ?? null });
  queueUpdate(Invoice, id, { dunning_level: level });
  releaseTurn(id, holder);
  trail("invoice", id, "dunned", {
    ...(sent ?? { external: true }),
    ...{ level, total, pay_by },
    ...(manual && { manual }),
  });
  emit("invoice.dunned", "invoice", id, {
    ...{ invoice_id: id, company_id, number: number as string, level, outstanding: principal, claimed: total, currency, pay_by },
  });
}
