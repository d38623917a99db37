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
      summary: "Read how a domain stands at the edge, as last known",
      description: "From what is stored alone: the provider is not asked, and need not be there.",
      permission: "edge.dns.read",
      returns: DomainStatusRead,
      errors: ["not_found"],
      handler: (ctx) => domainStatus(ctx.params.domain_id, null),
    }),

    check: action({
      rest: "POST /edge/domains/:domain_id/check",
      summary: "Ask the provider how a domain stands",
      description:
        "Keeps what it tells. Each question by itself: those that fail are named in `unavailable`, and what was known of them stays.",
      permission: "edge.dns.read",
      returns: DomainStatusRead,
      status: 200,
      errors: ["not_found"],
      prepare: (ctx) => checkDomain(ctx.params.domain_id),
      handler: (ctx) => domainStatus(ctx.params.domain_id, prepared<Live>()),
    }),
  },
});
