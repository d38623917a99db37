import { action } from "../../core/action.ts";
import { queryUnbound, statement } from "../../core/database.ts";
import { runtime } from "../../core/runtime.ts";
import { jobsOf } from "../../mixins/jobs.ts";
import { service } from "../../mixins/resource.ts";
import { migrationState } from "./health.service.ts";
import { SystemInfo } from "./schemas.ts";

const VERSION = statement("select current_setting('server_version') as version");

export default service("system", {
  actions: {
    info: action({
      rest: "GET /system/info",
      summary: "State of this installation",
      description: "Answers 200 while parts are down. Holds no organisation data.",
      permission: "settings.system.read",
      returns: SystemInfo,
      async handler(ctx) {
        const { version, gitSha, builtAt, config, migrations } = runtime();
        const current = await migrationState();
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
          cache: { status: "ok", version: null },
          worker: await jobsOf(ctx.broker).standing(),
          migrations: {
            current: current ?? [],
            head: migrations,
            up_to_date: current !== null && migrations.every((name) => current.includes(name)),
          },
          update: {
            enabled: false,
            current: version,
            latest: null,
            release_url: null,
            checked_at: null,
            update_available: false,
          },
          enabled_modules: ctx.meta.organisation.enabledModules,
          server_time: new Date().toISOString(),
        };
      },
    }),
  },
});
