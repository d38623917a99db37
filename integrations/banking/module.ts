import { defineModule } from "../../core/declare/module.ts";
import { bankEvents } from "./events.ts";
import { bankingFieldTexts } from "./key-texts.ts";

/** Statements of the organisation's bank accounts, and the invoices that their entries pay. */
export default defineModule({
  key: "banking",
  kind: "core",
  licence: "invoicing",
  permissions: {
    "banking.statement.read": { position: 10, names: ["Bankafschriften lezen", "Read bank statements"], grants: ["admin"] },
    "banking.statement.write": {
      position: 20,
      names: ["Bankafschriften uploaden en afletteren", "Upload and match bank statements"],
      grants: ["admin"],
    },
    "banking.settings.manage": {
      position: 30,
      names: ["Instellingen van bankafschriften wijzigen", "Change settings of bank statements"],
      grants: ["admin"],
    },
    "banking.mandate.read": {
      position: 40,
      names: ["Incassomachtigingen lezen", "Read direct debit mandates"],
      grants: ["admin"],
    },
    "banking.mandate.write": {
      position: 50,
      names: ["Incassomachtigingen vastleggen en intrekken", "Record and revoke direct debit mandates"],
      grants: ["admin"],
    },
  },
  permissionGroups: { banking: ["Bankafschriften", "Bank statements"] },
  errors: {
    409: [
      "conflict errors.banking.ignored",
      "conflict errors.banking.matched",
      "conflict errors.banking.not_ignored",
      "conflict errors.banking.not_matched",
    ],
  },
  errorTexts: {
    "conflict errors.banking.ignored": ["The bank entry is ignored.", "Open it again first."],
    "conflict errors.banking.matched": [
      "The bank entry, or a part of it, is booked on invoices, or it is of zero.",
      "Undo its match first.",
    ],
    "conflict errors.banking.not_ignored": ["The bank entry is not ignored.", "Undo its match if it is matched."],
    "conflict errors.banking.not_matched": ["Nothing of the bank entry is booked on an invoice.", "Read the entry again."],
  },
  fieldTexts: bankingFieldTexts,
  events: bankEvents,
  hookPoints: ["banking.entry_matched", "banking.entry_unmatched"],
  hooks: {
    "invoice.payment_removed": async () => (await import("./matching/payment-gone.ts")).openEntry,
  },
  demo: { position: 42, load: async () => (await import("./demo/demo-banking.ts")).fillBanking },
  records: {
    bank_statement: {
      copied: {
        list: "banking.statements.list",
        table: "bank_statements",
        permission: "banking.statement.read",
        everyClient: true,
      },
    },
    sepa_mandate: {
      copied: { list: "banking.mandates.list", table: "sepa_mandates" },
      seen: ["banking.mandates.get", "mandate_id"],
      readers: { permission: "banking.mandate.read" },
      client: { table: "sepa_mandates", of: "t.company_id" },
      trail: true,
      files: "open",
    },
    bank_entry: {
      copied: { list: "banking.entries.list", table: "bank_entries", everyClient: true },
      seen: ["banking.entries.get", "bank_entry_id"],
      readers: { permission: "banking.statement.read" },
      client: null,
      trail: true,
    },
  },
  tables: ["bank_allocations", "bank_entries", "bank_settings", "bank_statements", "sepa_mandates"],
  tags: { banking: "Bank statements, their entries, the invoices that these pay, and mandates for direct debit." },
  parameters: {
    ":bank_entry_id": "The entry of a bank account",
    ":mandate_id": "The mandate",
    ":statement_id": "The bank statement",
    statement_id: "Only entries of this statement",
    to: "Only until this day, which is included",
    account: "Only of the account with this IBAN or number",
  },
});
