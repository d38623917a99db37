import { listQuery } from "../../../core/database/lists/list.ts";
import { flag, nameOf, optional, Type, uuid } from "../../../core/schema/schema.ts";

/** Default number of documents per page. */
export const DOCUMENT_PAGE = 100;

/** The query parameters that all document lists share (money §2 "List"). */
export const documentQuery = (sorts: Parameters<typeof listQuery>[0], statuses: readonly string[]) => ({
  ...listQuery(sorts),
  limit: optional(Type.Integer({ minimum: 1, maximum: 200, default: DOCUMENT_PAGE })),
  status: optional(nameOf(50, statuses)),
  company_id: optional(uuid()),
  lines: optional(flag(true)),
});
