import { listing } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { BankStatement } from "../models.ts";
import { BankStatementRead } from "./statement-schemas.ts";

const shown = projection({ model: BankStatement, schema: BankStatementRead });

/** The list of statements, the latest day first. */
export const statementListing = listing(
  {
    table: "bank_statements",
    order: "-to_day",
    sorts: { to_day: { by: "t.to_day" }, created_at: { by: "t.created_at", unindexed: true } },
    filters: {
      account: { type: "text", when: (slot) => `t.account = ${slot}` },
      from: { type: "date", when: (slot) => `t.to_day >= ${slot}` },
      to: { type: "date", when: (slot) => `t.from_day <= ${slot}` },
    },
  },
  shown,
);

export const statements = rowsOf({ model: BankStatement, projection: shown, listing: statementListing });

/** Statements by id, in this order, as the API returns them. */
export const STATEMENT_ROWS = shown;
