import { columns } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { queueRemove } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { instant, list, optional, uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { resource } from "../../../mixins/resource.ts";
import { EdgePageLink, type EdgePageLinkRow } from "../models.ts";
import { visibleDomain } from "../visible-domain.ts";
import { links, MOST_PROJECTS, projects } from "./page-rows.ts";
import { PagesLinkCreate, PagesLinkRead, PagesProjectRead } from "./page-schemas.ts";
import { keepServed, type Served, serve, type Unserved, unserve } from "./serving.ts";

const REFUSALS = [
  "edge_pages_unavailable",
  "edge_request_failed",
  "edge_scope_missing",
  "edge_token_ip_blocked",
  "edge_token_rejected",
  "edge_token_unreadable",
  "edge_unreachable",
];

const LINK = statement(`select ${columns(EdgePageLink, "t")} from edge_page_links t
  join domains d on d.organisation_id = t.organisation_id and d.id = t.domain_id
 where t.organisation_id = $1 and t.id = $2 and ($3::uuid[] is null or d.company_id in (select selected_companies($3::uuid[])))`);

const selection = () => request().principal?.selection ?? null;

/** A link of a domain visible to the caller. @throws 404 */
async function visibleLink(id: string): Promise<EdgePageLinkRow> {
  const found = await queryOne<EdgePageLinkRow>(LINK, [request().organisation.id, id, selection()]);
  if (!found) throw notFound();
  return found;
}

/** Static sites as last read, and the hostnames they serve (assets §7, "Pages link"). */
export default resource("edge.pages", {
  model: EdgePageLink,
  actions: {
    projects: action({
      rest: "GET /edge/pages/projects",
      summary: "List static sites as they were last read",
      description: `By name, at most ${MOST_PROJECTS}, with the hostnames of domains that the caller sees.`,
      permission: "edge.dns.read",
      query: { account_id: optional(uuid()), updated_since: optional(instant()) },
      returns: list(PagesProjectRead),
      handler: ({ params: { account_id, updated_since } }) => projects.all({ account_id, updated_since }),
    }),

    link: action({
      rest: "POST /edge/domains/:domain_id/pages",
      summary: "Serve a hostname of a domain from a static site",
      description:
        "Registers the hostname and, if the domain's zone is connected, points DNS at the site. A failed DNS step is reported in `last_error`; the same call retries it.",
      permission: "edge.zone.manage",
      body: PagesLinkCreate,
      example: { project_id: "308f7cfe-0c1e-4a5b-8d2f-308f7cfe0001", hostname: "www.bakkerij-de-korenaar.nl" },
      returns: PagesLinkRead,
      errors: REFUSALS,
      acts: "outside",
      async prepare(ctx): Promise<Served> {
        const { project_id, hostname } = ctx.params.body;
        return serve(await visibleDomain(ctx.params.domain_id), project_id, hostname);
      },
      handler: async () => links.answerWith(await keepServed(prepared<Served>())),
    }),

    unlink: action({
      rest: "DELETE /edge/pages/links/:link_id",
      summary: "Stop serving a hostname from its static site",
      description: "Records of DNS are left alone.",
      permission: "edge.zone.manage",
      errors: REFUSALS,
      acts: "outside",
      async prepare(ctx): Promise<Unserved> {
        const link = await visibleLink(ctx.params.link_id);
        requireMatch(link.version);
        return unserve(link);
      },
      async handler(ctx) {
        const { link, project } = prepared<Unserved>();
        await links.forWrite(ctx.params.link_id);
        queueRemove(EdgePageLink, link.id);
        trail("domain", link.domain_id, "edge.pages_unlinked", { project, hostname: link.hostname });
      },
    }),
  },
});
