import { buffer } from "node:stream/consumers";
import { listQuery } from "../../../core/database/lists/list.ts";
import { action } from "../../../core/declare/action.ts";
import { openStored } from "../../../core/files/storage.ts";
import { prepared } from "../../../core/request/context.ts";
import { date, optional, page, text } from "../../../core/schema/schema.ts";
import { resource } from "../../../mixins/resource.ts";
import { matchExactly } from "../matching/match-all.ts";
import { propose } from "../matching/proposing.ts";
import { BankStatement } from "../models.ts";
import type { ReadFile } from "../reading/read-statements.ts";
import { StatementUnreadable } from "../reading/unreadable.ts";
import { isMatchingExactly } from "../settings/settings-rows.ts";
import { WHOLE_ACCOUNT } from "../whole-account.ts";
import { statementListing, statements } from "./statement.list.ts";
import { BankStatementFile, BankStatementRead, BankUploadRead } from "./statement-schemas.ts";
import { storeStatements } from "./storing.ts";
import { uploadAnswer } from "./upload-answer.ts";

const { q: _unsearchable, ...paging } = listQuery(statementListing.spec.sorts);

export default resource("banking.statements", {
  model: BankStatement,
  actions: {
    list: action({
      rest: "GET /banking/statements",
      summary: "List bank statements, the latest first",
      permission: "banking.statement.read",
      everyClient: true,
      exceptions: { selection: WHOLE_ACCOUNT },
      query: { ...paging, account: optional(text(34)), from: optional(date()), to: optional(date()) },
      returns: page(BankStatementRead),
      handler: ({ params: { account, from, to, ...asked } }) => statements.page(asked, { account, from, to }),
    }),

    get: action({
      rest: "GET /banking/statements/:statement_id",
      summary: "Read one bank statement",
      permission: "banking.statement.read",
      everyClient: true,
      exceptions: { selection: WHOLE_ACCOUNT },
      returns: BankStatementRead,
      handler: (ctx) => statements.one(ctx.params.statement_id),
    }),

    upload: action({
      rest: "POST /banking/statements",
      summary: "Upload bank statements",
      description:
        "All statements of the file are stored, or none: what cannot be read is 422 with file, line or entry, and the reason in `details`. Statements may overlap and be uploaded again: each entry is kept once. Opening balance and entries must add up to the closing balance. Nothing is booked, unless the settings allow exact matches.",
      permission: "banking.statement.write",
      everyClient: true,
      exceptions: { selection: WHOLE_ACCOUNT },
      body: BankStatementFile,
      returns: BankUploadRead,
      async prepare(ctx): Promise<ReadFile[]> {
        const { file } = ctx.params.body;
        const { bytes } = await openStored(file);
        const { readStatements } = await import("../reading/read-statements.ts");
        try {
          return await readStatements(file.name, await buffer(bytes));
        } catch (error) {
          throw error instanceof StatementUnreadable ? error.asApiError() : error;
        }
      },
      async handler() {
        const files = prepared<ReadFile[]>();
        const stored = await storeStatements(files);
        await propose(stored.entryIds);
        const matched = (await isMatchingExactly()) ? await matchExactly(stored.entryIds) : 0;
        return uploadAnswer(stored, matched);
      },
    }),
  },
});
