import { defineModule } from "../module.ts";
import { kernelFigures } from "./kernel-figures.ts";
import { kernelFieldTexts } from "./kernel-keys.ts";

/** Declarations of the core and the mixins: errors that any module may return, and spreadsheets of all types of record. */
export default defineModule({
  key: "kernel",
  kind: "core",
  permissions: {
    "impex.export": { position: 10, grants: ["admin"] },
    "impex.import": { position: 20, grants: ["admin"] },
  },
  figures: kernelFigures,
  errors: {
    400: [
      "email_not_configured",
      "empty_file impex.errors.empty_file",
      "invalid_file impex.errors.invalid_file",
      "sheet_not_found impex.errors.sheet_not_found",
      "invalid_password errors.password_is_email",
      "invalid_password errors.password_too_long",
      "invalid_password errors.password_too_short",
      "invalid_sort",
      "invalid_xlsx impex.errors.invalid_xlsx",
      "multiple_primary_assignees",
      "sms_not_configured",
      "too_many_columns impex.errors.too_many_columns",
    ],
    401: ["unauthorized"],
    402: ["license_expired", "plan_inactive"],
    403: ["approved_locked", "forbidden"],
    404: ["not_found errors.file_bytes_missing", "not_found", "not_found errors.storage_backend_unavailable"],
    409: ["conflict", "idempotency_conflict", "idempotency_in_progress"],
    410: ["gone errors.sync_too_old"],
    412: ["precondition_failed"],
    413: [
      "file_too_large impex.errors.file_too_large",
      "too_many_rows impex.errors.too_many_rows",
      "validation errors.upload_too_large",
    ],
    422: [
      "validation errors.cursor_invalid",
      "validation errors.invalid_phone",
      "validation errors.required",
      "validation errors.unknown_parameter",
      "validation errors.upload_type",
      "validation",
      "validation impex.errors.ambiguous_dates",
      "validation impex.errors.invalid_bool",
      "validation impex.errors.invalid_date",
      "validation impex.errors.invalid_number",
      "validation impex.errors.invalid_option",
      "validation impex.errors.unresolved_reference",
    ],
    503: ["unavailable"],
  },
  errorTexts: {
    email_not_configured: [
      "The organisation has no working e-mail settings.",
      "Configure outgoing e-mail in the settings, then send again.",
    ],
    sms_not_configured: [
      "The organisation has no provider for text messages.",
      "Configure text messages in the settings, or use another second factor.",
    ],
    "empty_file impex.errors.empty_file": [
      "The spreadsheet has no row of headers.",
      "Upload a file with a header and at least one row.",
    ],
    "invalid_file impex.errors.invalid_file": [
      "The file cannot be read as the format it was sent in.",
      "Export it again as CSV or XLSX and upload that.",
    ],
    "invalid_password errors.password_is_email": ["The password is the e-mail address.", "Choose another password."],
    "invalid_password errors.password_too_long": ["The password has more than 128 characters.", "Choose a shorter password."],
    "invalid_password errors.password_too_short": ["The password has fewer than 8 characters.", "Choose a longer password."],
    invalid_sort: [
      "`sort` names a key that the list cannot sort by.",
      "Use one of the keys that the parameter documents, with `-` in front for descending.",
    ],
    multiple_primary_assignees: [
      "More than one assignee of the roster is marked as primary.",
      "Mark at most one assignee as primary.",
    ],
    unauthorized: [
      "The request has no credential, or one that is unknown, expired or revoked.",
      "Sign in again, or send a valid key in `X-API-Key`. A key that is sent decides alone, even with a good session.",
    ],
    license_expired: [
      "The licence has expired with its days of grace, or does not list the module after the trial of 14 days. The module refuses writes; reads go on.",
      "Ask the operator to renew the licence.",
    ],
    plan_inactive: [
      "The organisation has no active plan, or its trial has ended. Licensed modules refuse writes; reads go on.",
      "Ask the operator to renew the plan.",
    ],
    approved_locked: [
      "The leave is approved, and its owner cannot cancel approved leave that needed approval.",
      "Ask an approver to cancel it.",
    ],
    forbidden: [
      "The caller lacks the permission of the operation, or the operation is closed to this kind of caller.",
      "Ask an administrator for the permission that `x-permission` names, or add its scope to the key.",
    ],
    not_found: [
      "The record does not exist, belongs to another organisation, or is not visible to the caller. The response does not say which.",
      "Check the id and the host, and whether the caller can see the record.",
    ],
    "not_found errors.file_bytes_missing": [
      "The file is recorded, but its content is missing from the storage.",
      "Ask the operator to restore the content from a backup, or upload the file again.",
    ],
    "not_found errors.storage_backend_unavailable": [
      "The file is in a storage that is not configured at the moment.",
      "Ask the operator to configure that storage again.",
    ],
    conflict: [
      "The write conflicts with an existing record, such as a name in use, or with the state of the record.",
      "Read the record again, and change what `fields` names.",
    ],
    idempotency_conflict: [
      "The `Idempotency-Key` was used before with another request.",
      "Use a new key for a new request; repeat the old one unchanged to read its answer.",
    ],
    idempotency_in_progress: [
      "A request with the same `Idempotency-Key` is still running.",
      "Wait a moment and repeat the request with the same key.",
    ],
    "gone errors.sync_too_old": [
      "What the caller may see or do has changed since the walk or the instant, or an instant of deleted rows is older than 90 days.",
      "Begin a new copy: without `cursor`, and with `updated_since=1970-01-01T00:00:00Z`.",
    ],
    precondition_failed: [
      "The row has changed since the read that gave the `ETag` in `If-Match`.",
      "Read the row again, apply the change to it, and send the new `ETag`.",
    ],
    "file_too_large impex.errors.file_too_large": [
      "The sheet unpacks to more than 64 MiB, or the name of a column has more than 100,000 characters.",
      "Split the file and import its parts.",
    ],
    "too_many_rows impex.errors.too_many_rows": [
      "The spreadsheet has more than 50,000 rows.",
      "Split the file and import its parts, or ask the operator to import it from the command line.",
    ],
    "validation errors.upload_too_large": [
      "The body or the uploaded file exceeds its limit.",
      "Send a smaller body or file; the introduction of the reference gives the limits.",
    ],
    "validation errors.upload_type": [
      "The content of the file is not of a type that the operation accepts.",
      "Upload one of the types that the operation lists.",
    ],
    "validation errors.required": ["A required field or parameter is missing or empty.", "Send the fields that `fields` names."],
    "validation errors.unknown_parameter": [
      "The query has a parameter that the operation does not know.",
      "Remove it, or correct its name.",
    ],
    validation: [
      "A field or parameter is missing, of the wrong type, or out of range.",
      "Correct the fields in `fields`; each has its own message key.",
    ],
    unavailable: [
      "The module, the database or a system it needs is not available at the moment.",
      "Repeat the call after the seconds of `Retry-After`. With an `Idempotency-Key` a repeated write is safe.",
    ],
    "invalid_xlsx impex.errors.invalid_xlsx": [
      "The file begins like a workbook, but is not a readable one.",
      "Save it again as `.xlsx`, or send it as CSV.",
    ],
    "sheet_not_found impex.errors.sheet_not_found": [
      "The workbook has no sheet with the requested name or number, or the file is CSV.",
      "Send the name of a sheet in the workbook, or leave it out.",
    ],
    "too_many_columns impex.errors.too_many_columns": [
      "The spreadsheet has more than 500 columns.",
      "Remove the columns that the import does not read.",
    ],
    "validation errors.cursor_invalid": [
      "The cursor belongs to another caller, list, filter or order, has expired, or comes with an `offset`.",
      "Send the `next_cursor` of the page before with the same parameters, within 24 hours; otherwise begin again without it.",
    ],
    "validation errors.invalid_phone": [
      "A phone number is not valid in its country.",
      "Send it with its country code, such as `+31 6 12345678`.",
    ],
    "validation impex.errors.invalid_bool": [
      "A value is neither yes nor no.",
      "Send `true` or `false`; `ja`, `nee`, `yes`, `no`, `1` and `0` mean the same.",
    ],
    "validation impex.errors.invalid_date": ["A value is not a day of the calendar.", "Send the day as `YYYY-MM-DD`."],
    "validation impex.errors.invalid_number": ["A value is not a number.", "Send digits, with a point before the decimals."],
    "validation impex.errors.ambiguous_dates": [
      "The file has dates such as 03/04/2026, and nothing in it decides which part is the day.",
      "Send `date_order=dmy` or `date_order=mdy`; a dry run names the columns under `ambiguous`.",
    ],
    "validation impex.errors.invalid_option": [
      "A value is not one of the words that the field accepts.",
      "Send one of the words that the field documents.",
    ],
    "validation impex.errors.unresolved_reference": [
      "A value refers to a record that does not exist for the caller.",
      "Send the id, number or exact name of an existing record.",
    ],
  },
  fieldTexts: kernelFieldTexts,
  references: { "outbox.entity_id": { kind: "entity_type", left: "an event keeps the record that it was about" } },
  tables: [
    "caller_views",
    "count_changes",
    "idempotency_keys",
    "installation",
    "jobs.agenda_jobs",
    "jobs.definitions",
    "jobs.leases",
    "jobs.occurrences",
    "jobs.ordered",
    "jobs.shipped_permissions",
    "jobs.workers",
    "kept_counts",
    "migrations",
    "organisation_domains",
    "organisations",
    "outbox",
    "outside_acts",
    "product_licences",
    "provider_paces",
    "provider_troubles",
    "rate_windows",
    "selection_moves",
  ],
  shows: {
    installation: ["installed_at", "latest_version", "latest_release_url", "latest_checked_at"],
    // The clearing of old events leaves those that a subscriber still has to get.
    "jobs.ordered": ["event_id"],
    migrations: ["name"],
    organisations: [
      "id",
      "slug",
      "name",
      "status",
      "plan",
      "plan_ends_at",
      "enabled_modules",
      "access_revision",
      "brand_name",
      "logo_url",
      "icon_url",
      "primary_color",
      "accent_color",
      "locale",
      "timezone",
      "currency",
      "country",
    ],
    product_licences: ["module", "expires_at", "grace_days"],
  },
  tags: { impex: "Records as spreadsheets, in and out." },
  parameters: { ":job_id": "The import that runs as a job" },
});
