import { PARTS } from "../../../core/health/readiness.ts";
import { answer, choice, flag, list, nullable, optional, Type } from "../../../core/schema/schema.ts";

const DependencyInfo = answer(
  "DependencyInfo",
  { status: Type.String(), version: nullable(Type.String()) },
  { status: "`ok` or `down`", version: "Version it reports; null if it reports none" },
);

export const Readiness = answer(
  "Readiness",
  { status: choice(["ok", "degraded"]), missing: optional(list(choice(PARTS))) },
  {
    status: "`ok`: database, cache and schema are good; `degraded`: one of them is not",
    missing:
      "What a degraded instance lacks: `database` (no answer in time), `schema` (older than this version), `transport` (no worker answers the gateway), `store` (a disk is full); absent while it starts or stops",
  },
);

export const SystemInfo = answer(
  "SystemInfo",
  {
    build: answer(
      "BuildInfo",
      {
        built_at: nullable(Type.String()),
        environment: Type.String(),
        git_sha: Type.String(),
        runtime_version: Type.String(),
        version: Type.String(),
      },
      {
        built_at: "When the build was made; null for an unstamped build",
        environment: "Name of the environment it runs in",
        git_sha: "Commit of the build",
        runtime_version: "Version of Node",
        version: "Version of the service",
      },
    ),
    database: DependencyInfo,
    licensing: answer("LicensingInfo", {
      required: Type.Boolean({
        description:
          "Whether licensed modules need a product licence here (`SERVICE_LICENSING=required`); false on a hosted installation, where the plan of each organisation decides",
      }),
      trial_ends_at: nullable(
        Type.String({
          format: "date-time",
          description:
            "When modules that no licence lists can no longer be written, UTC; also after that. Null if no licence is required, and where one lists every module",
        }),
      ),
    }),
    enabled_modules: list(Type.String()),
    migrations: answer(
      "MigrationInfo",
      { current: list(Type.String()), head: list(Type.String()), up_to_date: flag() },
      {
        current: "Steps that the database has",
        head: "Steps of this build",
        up_to_date: "Whether the database has every step of this build",
      },
    ),
    cache: DependencyInfo,
    server_time: Type.String(),
    update: answer(
      "UpdateInfo",
      {
        checked_at: nullable(Type.String()),
        current: Type.String(),
        enabled: flag(),
        latest: nullable(Type.String()),
        release_url: nullable(Type.String()),
        update_available: flag(),
      },
      {
        checked_at: "When the service last looked for a newer version, UTC; null for never",
        current: "Version of the service",
        enabled: "Whether it looks for newer versions",
        latest: "Newest version it found; null if not known",
        release_url: "Address of the notes on that version; null if not known",
        update_available: "Whether `latest` is newer than `current`",
      },
    ),
    worker: answer(
      "WorkerInfo",
      {
        last_seen_at: nullable(Type.String()),
        queue_depth: nullable(Type.Integer()),
        status: Type.String(),
      },
      {
        last_seen_at: "When the jobs last gave a heartbeat, UTC; null for never",
        queue_depth: "Number of jobs that are due and wait; null if not known",
        status: "`ok` while the heartbeat is at most 180 seconds old, else `down`",
      },
    ),
  },
  {
    build: "The running build",
    database: "The database",
    licensing: "Product licence of this installation",
    enabled_modules: "Modules that the caller's organisation has switched on",
    migrations: "Steps of the database's schema",
    cache: "The cache server; `ok` without a version if none is configured",
    server_time: "Clock of the server, UTC",
    update: "Newer versions of the service",
    worker: "The part that runs jobs",
  },
);
