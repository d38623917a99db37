import { answer, choice, flag, list, nullable, Type } from "../../../core/declare/schema.ts";

const DependencyInfo = answer("DependencyInfo", { status: Type.String(), version: nullable(Type.String()) });

export const Readiness = answer("Readiness", { status: choice(["ok", "degraded"]) });

export const SystemInfo = answer("SystemInfo", {
  build: answer("BuildInfo", {
    built_at: nullable(Type.String()),
    environment: Type.String(),
    git_sha: Type.String(),
    runtime_version: Type.String(),
    version: Type.String(),
  }),
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
          "When modules that no licence lists can no longer be written, UTC; also after that. Null where no licence is required, and where one lists every module",
      }),
    ),
  }),
  enabled_modules: list(Type.String()),
  migrations: answer("MigrationInfo", { current: list(Type.String()), head: list(Type.String()), up_to_date: flag() }),
  cache: DependencyInfo,
  server_time: Type.String(),
  update: answer("UpdateInfo", {
    checked_at: nullable(Type.String()),
    current: Type.String(),
    enabled: flag(),
    latest: nullable(Type.String()),
    release_url: nullable(Type.String()),
    update_available: flag(),
  }),
  worker: answer("WorkerInfo", {
    last_seen_at: nullable(Type.String()),
    queue_depth: nullable(Type.Integer()),
    status: Type.String(),
  }),
});
