import { runtime } from "../../../core/config/runtime.ts";
import { queryUnbound } from "../../../core/database/connection/database.ts";
import { action } from "../../../core/declare/action.ts";
import { trialEndsAt } from "../../../core/declare/licence.ts";
import { licensable } from "../../../core/declare/permissions.ts";
import type { Principal } from "../../../core/declare/principal.ts";
import { migrationState } from "../../../core/health/migration-state.ts";
import { asksForReleases, isNewer, latestRelease } from "../../../core/providers/updates/releases.ts";
import { type Row, statement } from "../../../core/sql/statement.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { service } from "../../../mixins/resource.ts";
import { SystemInfo } from "./system-schemas.ts";

const VERSION = statement("select current_setting('server_version') as version");

const KEEP_RELEASE = statement(
  "update installation set latest_version = $1, latest_release_url = $2, latest_checked_at = statement_timestamp()",
);
const KEPT_RELEASE =
  statement(`select latest_version as latest, latest_release_url as release_url, latest_checked_at as checked_at
  from installation where latest_checked_at > now() - interval '7 days'`);

interface KeptRelease {
  latest: string;
  release_url: string | null;
  checked_at: string;
}

/** The still valid result of the daily release check; empty if this installation does not check. */
async function updateInfo(current: string) {
  const enabled = asksForReleases();
  const [kept] = enabled ? await queryUnbound<KeptRelease & Row>(KEPT_RELEASE).catch(() => []) : [];
  return {
    enabled,
    current,
    latest: kept?.latest ?? null,
    release_url: kept?.release_url ?? null,
    checked_at: kept?.checked_at ?? null,
    update_available: kept !== undefined && isNewer(kept.latest, current),
  };
}

export default service("system", {
  actions: {
    info: action({
      rest: "GET /system/info",
      summary: "State of this installation",
      description:
        "Answers 503 while the database is away, because it then knows no caller, and 200 while other parts are down. Contains no organisation data.",
      permission: "settings.system.read",
      returns: SystemInfo,
      async handler(ctx) {
        const { version, gitSha, builtAt, config, migrations } = runtime();
        const { licence } = ctx.meta.principal as Principal;
        const { names: current } = await migrationState(ctx.broker.logger);
        const [database] = await queryUnbound<{ version: string }>(VERSION).catch(() => []);
        return {
          build: {
            version,
            git_sha: gitSha,
            built_at: builtAt,
            environment: config.environment,
            runtime_version: process.version,
          },
          database: { status: database ? "ok" : "down", version: database?.version ?? null },
          licensing: {
            required: licence.licensing === "required",
            trial_ends_at: trialEndsAt(licensable(), licence),
          },
          cache: { status: "ok", version: null },
          worker: await jobsOf(ctx.broker).workerState(),
          migrations: {
            current: current ?? [],
            head: migrations,
            up_to_date: current !== null && migrations.every((name) => current.includes(name)),
          },
          update: await updateInfo(version),
          enabled_modules: ctx.meta.organisation.enabledModules,
          server_time: new Date().toISOString(),
        };
      },
    }),
  },
  jobs: {
    "system.update-check": {
      about: "Looks whether a newer version was released",
      per: "installation",
      schedule: "0 5 * * *",
      async handler(run) {
        if (!asksForReleases()) return;
        try {
          const { version, url } = await latestRelease();
          await queryUnbound(KEEP_RELEASE, [version, url]);
        } catch (error) {
          // A failed check changes nothing; tomorrow's run tries again (platform chapter §8).
          run.logger.warn(
            { event: "system.update_check_failed", error: (error as Error).message },
            "the check for a newer version failed",
          );
        }
      },
    },
  },
});
