import { internal } from "../../../core/declare/makers/internal.ts";
import { job } from "../../../core/jobs/jobs.ts";
import { provider } from "../../../core/outbound/provider/provider.ts";
import { trail } from "../../../core/trail/trail.ts";
import { service } from "../../../mixins/resource.ts";

const writes = provider({ kind: "crash", baseUrl: () => process.env["CRASH_PROVIDER_URL"] as string, readTimeout: 5_000 });

/** Writes at the provider under the job's own id, as every job does that must not be done twice. */
export const writer = service("crash.writer", {
  actions: {},
  jobs: {
    "crash.write": job<{ n: number; asks: boolean }>({
      about: "Writes once at the provider",
      concurrency: 8,
      lock: 2_000,
      timeout: 20_000,
      retry: { attempts: 100, backoff: { first: 200, factor: 1.5, most: 2_000 } },
      async handler(run) {
        const { n, asks } = run.payload;
        if (asks) await run.call("crash.names.of", { n });
        await writes.call({
          account: "instance",
          operation: "writes.create",
          method: "POST",
          path: "/writes",
          json: { name: `number ${n}` },
          effect: "create",
          idempotencyKey: { header: "Idempotency-Key", value: run.id },
        });
        await run.write(async () => trail("crash", run.id, "written", { n }));
      },
    }),
  },
});

/** Answers from another node, so that a job needs the way between the nodes. */
export const names = service("crash.names", {
  actions: {
    of: internal({
      summary: "The name of a number",
      open: "part of the crash run only",
      handler: async () => ({ name: "a number" }),
    }),
  },
});
