import { answer, flag, input, integer, list, nullable, optional, Type, uuid } from "../../../core/schema/schema.ts";
import { CompanyRead } from "../companies/company-schemas.ts";
import { ContactRead } from "../contacts/contact-schemas.ts";

const MergeConflict = answer(
  "MergeConflict",
  { field: Type.String(), kept: nullable(Type.String()), other: Type.String() },
  {
    field: "Name of the field, `custom.` and the key for a custom field",
    kept: "The value that the kept record has; null if it stays empty because the field belongs to an address or name that differs",
    other: "The value of the merged record, which is gone",
  },
);

const MergeRows = answer(
  "MergeRows",
  { records: Type.String(), count: integer(1) },
  { records: "What the rows are, such as `tasks` or `time_entries`", count: "Number of rows" },
);

const MergedRecord = answer("MergedRecord", { id: uuid(), name: Type.String() }, { name: "Name of the merged record" });

const RESULT = {
  dry_run: "Whether nothing was stored: the answer then says what a merge would do at this moment",
  merged: "The record that was merged into the other. Its id stays an alias: reading it redirects to the kept record",
  filled:
    "Fields of the kept record that were empty and have the other's value now; `notes` also when the notes of both were joined",
  kept: "Fields in which both had a value: that of the kept record stays",
  moved: "Rows that belong to the kept record now",
  dropped: "Rows of the merged record that were deleted, because the kept record can have only one of them and has its own",
};

const outcome = {
  dry_run: flag(),
  merged: MergedRecord,
  filled: list(Type.String()),
  kept: list(MergeConflict),
  moved: list(MergeRows),
  dropped: list(MergeRows),
};

export const CompanyMergeResult = answer(
  "CompanyMergeResult",
  { company: CompanyRead, ...outcome },
  { ...RESULT, company: "The kept client after the merge" },
);
export const ContactMergeResult = answer(
  "ContactMergeResult",
  { contact: ContactRead, ...outcome },
  { ...RESULT, contact: "The kept contact after the merge" },
);

const body = { from: uuid(), dry_run: optional(flag(false)) };
const DRY_RUN = "Whether to answer with the result and store nothing";

export const CompanyMerge = input("CompanyMerge", body, {
  from: "The client to merge into that of the path, and to delete",
  dry_run: DRY_RUN,
});
export const ContactMerge = input("ContactMerge", body, {
  from: "The contact to merge into that of the path, and to delete",
  dry_run: DRY_RUN,
});
