import { attempt } from "../../../../core/database/connection/savepoint.ts";
import { queueUpdate } from "../../../../core/database/write.ts";
import { isApiError, type RefusalParts } from "../../../../core/errors/errors.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { Invoice } from "../models.ts";
import { issueInvoice } from "./issuing.ts";

/**
 * Issues a draft of the service, with all effects of an issue. If the issue is refused, the document stays a draft and the trail records
 * why.
 */
export async function issueAlone(id: string, isSent: boolean): Promise<void> {
  const failed = await attempt(() => issueInvoice(id));
  if (failed === null) {
    // The daily job sends the mail, so that no mail goes out for a document that rolls back.
    if (isSent) queueUpdate(Invoice, id, { auto_send: true });
    return;
  }
  if (!isApiError(failed)) throw failed;
  const { fields } = (failed.data ?? {}) as RefusalParts;
  trail("invoice", id, "auto_issue_failed", { reason: failed.message, ...(fields && { fields }) });
}
