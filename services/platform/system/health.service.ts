import { untenanted } from "../../../core/declare/makers/untenanted.ts";
import { missingParts, readinessOf } from "../../../core/health/readiness.ts";
import { service } from "../../../mixins/resource.ts";
import { Readiness } from "./system-schemas.ts";

export default service("health", {
  actions: {
    ready: untenanted({
      rest: "GET /health/ready",
      summary: "Whether this instance can serve",
      description: "Any host name, no credential. A degraded instance names the parts it lacks, without addresses or reasons.",
      open: "load balancers have no credentials",
      returns: Readiness,
      otherStatuses: { 503: "Degraded" },
      exceptions: { host: "platform chapter: any host name" },
      handler: async (ctx) => readinessOf(await missingParts(ctx.broker.logger)),
    }),
  },
});
