import {
  answer,
  choice,
  field,
  input,
  instant,
  integer,
  label,
  list,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";

const PROGRESS = { step: nullable(Type.String()), done: integer(), total: nullable(integer()) };
const PROGRESS_TEXTS = {
  step: "What is being done: `reading`, `rows`, `files` or `storing`; null before and after",
  done: "How many tables or files are done in this step",
  total: "How many there are in this step; null if that is not known",
};

export const BackupRead = answer(
  "InstanceBackup",
  {
    id: uuid(),
    organisation_id: uuid(),
    slug: Type.String(),
    name: Type.String(),
    state: choice(["waiting", "running", "ready", "failed"]),
    ...PROGRESS,
    version: nullable(Type.String()),
    taken_at: nullable(instant()),
    tables: nullable(integer()),
    rows: nullable(integer()),
    files: nullable(integer()),
    files_missing: nullable(integer()),
    bytes: nullable(integer()),
    error: nullable(Type.String()),
    requested_by: Type.String(),
    created_at: instant(),
    finished_at: nullable(instant()),
    expires_at: nullable(instant()),
  },
  {
    id: "Id of the backup",
    organisation_id: "Id of the organisation, which may be gone",
    slug: "Slug that the organisation had then",
    name: "Name that the organisation had then",
    state: "`waiting` until a job begins, `running`, `ready`, or `failed` with its `error`",
    ...PROGRESS_TEXTS,
    version: "Version of the service that made it; null until it is ready",
    taken_at: "The moment of its rows; null until it is ready",
    tables: "Number of its tables; null until it is ready",
    rows: "Number of its rows; null until it is ready",
    files: "Number of its files; null until it is ready",
    files_missing: "Number of files whose bytes the store had lost; null until it is ready",
    bytes: "Its size in the store, compressed and encrypted; null until it is ready",
    error: "Why it failed, in one sentence; null if it did not",
    requested_by: "E-mail address of the administrator, or `command line`",
    created_at: "When it was requested",
    finished_at: "When it was ready, or failed; null before",
    expires_at: "When it is deleted; null until it is finished",
  },
);

export const BackupPage = answer(
  "InstanceBackupPage",
  { items: list(BackupRead), limit: integer(), next_cursor: nullable(Type.String()) },
  {
    items: "The backups of this page, the newest first",
    limit: "Largest number on a page, as requested",
    next_cursor: "Value of `cursor` for older backups; null on the last page",
  },
);

export const BackupQuery = {
  organisation_id: optional(field(uuid(), "Only backups of this organisation")),
  limit: optional(field(integer(1, 200, { default: 50 }), "Largest number of backups on a page")),
  cursor: optional(field(uuid(), "`next_cursor` of the page before; all other parameters must be the same")),
};

export const BackupCreate = input(
  "InstanceBackupCreate",
  { organisation_id: uuid() },
  { organisation_id: "Id of the organisation" },
);

export const RestoreRead = answer(
  "InstanceRestore",
  {
    id: uuid(),
    backup_id: uuid(),
    slug: Type.String(),
    name: nullable(Type.String()),
    state: choice(["waiting", "running", "done", "failed"]),
    ...PROGRESS,
    organisation_id: nullable(uuid()),
    rows: nullable(integer()),
    files: nullable(integer()),
    accounts: nullable(integer()),
    error: nullable(Type.String()),
    requested_by: Type.String(),
    created_at: instant(),
    finished_at: nullable(instant()),
  },
  {
    id: "Id of the restore",
    backup_id: "Id of the backup",
    slug: "Slug of the restored organisation",
    name: "Name of the restored organisation; null for that of the backup",
    state: "`waiting` until a job begins, `running`, `done`, or `failed` with its `error`; then nothing of it is left",
    ...PROGRESS_TEXTS,
    organisation_id: "Id of the restored organisation; null until it is there",
    rows: "Number of rows that it wrote; null until it is done",
    files: "Number of files that it copied; null until it is done",
    accounts: "Number of accounts that it brought back, because they were gone; null until it is done",
    error: "Why it failed, in one sentence; null if it did not",
    requested_by: "E-mail address of the administrator, or `command line`",
    created_at: "When it was requested",
    finished_at: "When it was done, or failed; null before",
  },
);

export const RestoreList = list(RestoreRead);

export const RestoreCreate = input(
  "InstanceRestoreCreate",
  { slug: text(63, { example: "agency-restored" }), name: optional(nullable(label(200))) },
  {
    slug: "First label of the address of the restored organisation; no organisation may have it",
    name: "Its name; null or absent for that of the backup",
  },
);
