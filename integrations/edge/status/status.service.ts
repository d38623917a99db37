import { action } from "../../../core/declare/action.ts";
import { prepared } from "../../../core/request/context.ts";
import { service } from "../../../mixins/resource.ts";
import { domainStatus, type Live } from "./answering.ts";
import { checkDomain } from "./checking.ts";
import { DomainStatusRead } from "./status-schemas.ts";

/** The state of domains at the edge (assets §8.3). */
export default service("edge.status", {
  actions: {
    get: action({
      rest: "GET /edge/domains/:domain_id/status",
      summary: "Read the last known edge status of a domain",
      description: "From stored data only: does not call the provider, and works while the provider is down.",
      permission: "edge.dns.read",
      returns: DomainStatusRead,
      errors: ["not_found"],
      handler: (ctx) => domainStatus(ctx.params.domain_id, null),
    }),

    check: action({
      rest: "POST /edge/domains/:domain_id/check",
      summary: "Check the edge status of a domain at the provider",
      description:
        "Stores the answers. Each question is separate: `unavailable` lists the failed ones, and their last known values stay.",
      permission: "edge.dns.read",
      returns: DomainStatusRead,
      status: 200,
      errors: ["not_found"],
      prepare: (ctx) => checkDomain(ctx.params.domain_id),
      handler: (ctx) => domainStatus(ctx.params.domain_id, prepared<Live>()),
    }),
  },
});
