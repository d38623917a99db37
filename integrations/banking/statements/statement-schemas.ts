import { STATEMENT_TYPE, XML_TYPE } from "../../../core/files/file-types.ts";
import { upload } from "../../../core/files/upload.ts";
import {
  answer,
  choice,
  date,
  decimal,
  flag,
  input,
  instant,
  integer,
  list,
  nullable,
  Type,
  uuid,
} from "../../../core/schema/schema.ts";

export const FORMATS = ["camt053", "mt940", "ing", "rabobank", "abnamro", "asn", "bunq", "knab"] as const;

/** Media types of statements; the reader looks at the bytes. */
const STATEMENT_TYPES = [XML_TYPE, STATEMENT_TYPE, "text/csv", "text/plain", "application/zip"];

const STATEMENT = {
  file_name: "Name of the file, within an archive its own",
  format: "What it was read as: `camt053`, `mt940`, or the bank of a CSV",
  account: "IBAN of the account, or its number",
  currency: "ISO 4217 code of the account",
  number: "The bank's number of the statement; null for files without one",
  from_day: "Day of its first entry",
  to_day: "Day of its last entry",
  opening: "Balance before the first entry; null if the file has none, or it does not follow from the entries",
  closing: "Balance after the last entry; null like `opening`",
  balances: "False for a CSV whose balances do not follow from its entries: it was filtered or sorted",
  entry_count: "Entries in the file",
  added_count: "Those that no earlier statement had",
  pending_count: "Entries that the bank had not booked yet, which are left out: a later statement has them",
};

export const BankStatementRead = answer(
  "BankStatementRead",
  {
    id: uuid(),
    file_name: Type.String(),
    format: choice(FORMATS),
    account: Type.String(),
    currency: Type.String(),
    number: nullable(Type.String()),
    from_day: date(),
    to_day: date(),
    opening: nullable(decimal()),
    closing: nullable(decimal()),
    balances: flag(),
    entry_count: integer(),
    added_count: integer(),
    pending_count: integer(),
    created_at: instant(),
    updated_at: instant(),
  },
  STATEMENT,
);

export const BankStatementFile = input(
  "BankStatementFile",
  { file: upload(STATEMENT_TYPES) },
  {
    file: "CAMT.053 (versions 02 to 11), MT940, the CSV or TXT of ING, Rabobank, ABN AMRO, SNS, ASN, bunq or Knab, or a ZIP of those",
  },
);

export const BankUploadRead = answer(
  "BankUploadRead",
  {
    statements: list(BankStatementRead),
    added: integer(),
    known: integer(),
    matched: integer(),
    warnings: list(choice(["balances_do_not_follow", "pending_entries"])),
  },
  {
    statements: "The statements of the file, also those that an earlier upload had",
    added: "Entries that no earlier statement had",
    known: "Entries that an earlier statement had; they are kept once",
    matched: "New entries that were booked at once, if the settings allow exact matches",
    warnings:
      "`balances_do_not_follow`: a CSV has balances that do not follow from its entries. `pending_entries`: entries that the bank has not booked were left out",
  },
);
