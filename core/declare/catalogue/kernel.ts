import { defineModule } from "../module.ts";

/** What the core and the mixins themselves declare: refusals that any module may answer with, and spreadsheets of whatever records there are. */
export default defineModule({
  key: "kernel",
  kind: "core",
  permissions: {
    "impex.export": { position: 10, grants: ["admin"] },
    "impex.import": { position: 20, grants: ["admin"] },
  },
  errors: {
    400: [
      "email_not_configured",
      "empty_file impex.errors.empty_file",
      "invalid_file impex.errors.invalid_file",
      "invalid_password errors.password_is_email",
      "invalid_password errors.password_too_long",
      "invalid_password errors.password_too_short",
      "invalid_sort",
      "invalid_xlsx impex.errors.invalid_xlsx",
      "sms_not_configured",
      "too_many_columns impex.errors.too_many_columns",
    ],
    401: ["unauthorized"],
    402: ["license_expired", "plan_inactive"],
    403: ["approved_locked", "forbidden"],
    404: ["not_found errors.file_bytes_missing", "not_found", "not_found errors.storage_backend_unavailable"],
    409: ["conflict", "idempotency_conflict", "idempotency_in_progress"],
    412: ["precondition_failed"],
    413: [
      "file_too_large impex.errors.file_too_large",
      "too_many_rows impex.errors.too_many_rows",
      "validation errors.upload_too_large",
    ],
    422: [
      "validation errors.invalid_phone",
      "validation errors.required",
      "validation errors.upload_type",
      "validation",
      "validation impex.errors.invalid_bool",
      "validation impex.errors.invalid_date",
      "validation impex.errors.invalid_number",
      "validation impex.errors.invalid_option",
      "validation impex.errors.unresolved_reference",
    ],
    503: ["unavailable"],
  },
  tags: { impex: "Records as spreadsheets, in and out." },
});
