import { projection } from "../../core/database/projection.ts";
import { action } from "../../core/declare/action.ts";
import { prepared } from "../../core/request/context.ts";
import { line } from "../../core/schema/schema.ts";
import { resource, rowsOf } from "../../mixins/resource.ts";
import { EdgeRedirect } from "./models.ts";
import { adoptRule } from "./redirects/adopting.ts";
import { RedirectAdopt, RedirectRead, RedirectRuleEdit, RedirectWrite } from "./redirects/redirect-schemas.ts";
import { removeRedirect } from "./redirects/removing.ts";
import { deleteRule, editRule } from "./redirects/rule-edits.ts";
import { setRedirect } from "./redirects/setting.ts";
import { domainStatus, type Live } from "./status/answering.ts";
import { checkDomain } from "./status/checking.ts";
import { DomainStatusRead } from "./status/status-schemas.ts";

const redirects = rowsOf({ model: EdgeRedirect, projection: projection({ model: EdgeRedirect, schema: RedirectRead }) });

/** Refusals of every call to the provider. */
const CALLING = [
  "not_found",
  "edge_not_connected",
  "edge_token_unreadable",
  "edge_token_rejected",
  "edge_token_ip_blocked",
  "edge_scope_missing",
  "edge_zone_not_found",
  "edge_unreachable",
  "edge_request_failed",
] as const;
const path = { rule_id: line({ minLength: 1, maxLength: 64 }) };

/** Redirects of whole domains at the edge, and the other redirect rules of their zones (assets §8.2). */
export default resource("edge.redirects", {
  model: EdgeRedirect,
  actions: {
    set: action({
      rest: "PUT /edge/domains/:domain_id/redirect",
      summary: "Redirect a domain",
      description:
        "Creates one rule at the provider, or changes the existing one; `ensure_origin` adds a record for hosts without one, so that requests reach the rule. If adding that record fails, `last_error` has the reason.",
      permission: "edge.zone.manage",
      body: RedirectWrite,
      example: {
        target_url: "https://www.bakkerij-de-korenaar.example/webshop",
        status_code: 301,
        preserve_path: false,
        preserve_query: true,
        include_subdomains: true,
        ensure_origin: true,
      },
      returns: RedirectRead,
      errors: [...CALLING, "edge_redirect_loop"],
      acts: "outside",
      prepare: (ctx) => setRedirect(ctx.params.domain_id, ctx.params.body),
      handler: () => redirects.one(prepared<string>()),
    }),

    remove: action({
      rest: "DELETE /edge/domains/:domain_id/redirect",
      summary: "End the redirect of a domain",
      description: "Deletes the rule at the provider, unless it was only adopted.",
      permission: "edge.zone.manage",
      returns: null,
      errors: CALLING,
      acts: "outside",
      prepare: (ctx) => removeRedirect(ctx.params.domain_id),
      handler: () => undefined,
    }),

    adopt: action({
      rest: "POST /edge/domains/:domain_id/redirect/adopt",
      summary: "Adopt a rule of the provider as the redirect of a domain",
      description: "Writes nothing at the provider: the rule must already match the request.",
      permission: "edge.zone.manage",
      body: RedirectAdopt,
      example: {
        target_url: "https://www.bakkerij-de-korenaar.example/webshop",
        status_code: 301,
        preserve_path: false,
        preserve_query: true,
        include_subdomains: true,
        rule_id: "3a03d665bac047339bb530ecb439a90d",
      },
      returns: RedirectRead,
      status: 200,
      errors: [...CALLING, "edge_redirect_loop", "edge_redirect_owned", "edge_redirect_differs"],
      prepare: (ctx) => adoptRule(ctx.params.domain_id, ctx.params.body),
      handler: () => redirects.one(prepared<string>()),
    }),

    editRule: action({
      rest: "PUT /edge/domains/:domain_id/redirect/rules/:rule_id",
      summary: "Change the destination of a redirect rule of the zone",
      description: "Changes the destination only, never what the rule matches.",
      permission: "edge.zone.manage",
      path,
      body: RedirectRuleEdit,
      example: {
        target_url: "https://www.bakkerij-de-korenaar.example/webshop",
        status_code: 301,
        preserve_path: false,
        preserve_query: true,
      },
      returns: DomainStatusRead,
      errors: [...CALLING, "edge_redirect_loop", "edge_rule_not_redirect", "edge_rule_unreadable"],
      acts: "outside",
      async prepare(ctx) {
        const { domain_id, rule_id, body } = ctx.params;
        await editRule(domain_id, rule_id, body);
        return checkDomain(domain_id);
      },
      handler: (ctx) => domainStatus(ctx.params.domain_id, prepared<Live>()),
    }),

    deleteRule: action({
      rest: "DELETE /edge/domains/:domain_id/redirect/rules/:rule_id",
      summary: "Delete a redirect rule of the zone",
      permission: "edge.zone.manage",
      path,
      returns: DomainStatusRead,
      errors: CALLING,
      acts: "outside",
      async prepare(ctx) {
        const { domain_id, rule_id } = ctx.params;
        await deleteRule(domain_id, rule_id);
        return checkDomain(domain_id);
      },
      handler: (ctx) => domainStatus(ctx.params.domain_id, prepared<Live>()),
    }),
  },
});
