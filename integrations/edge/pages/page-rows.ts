import { projection } from "../../../core/database/projection.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { EdgePageLink, EdgeProject } from "../models.ts";
import { PagesLinkRead, PagesProjectRead } from "./page-schemas.ts";

/** The response projection of a link; each join yields one row. */
export const linkShown = projection({
  model: EdgePageLink,
  schema: PagesLinkRead,
  columns: { project_name: "project.name" },
  joins: "left join edge_projects project on project.organisation_id = t.organisation_id and project.id = t.project_id",
});

const visible = (slot: string) => `exists (select 1 from domains d where d.organisation_id = t.organisation_id
  and d.id = t.domain_id and d.company_id in (select selected_companies(${slot})))`;

export const links = rowsOf({ model: EdgePageLink, projection: linkShown, visible });

/** Most static sites in a list. */
export const MOST_PROJECTS = 500;
/** Static sites as they were last read; each names the hostnames of domains that the caller sees. */
export const projects = rowsOf({
  model: EdgeProject,
  projection: projection({
    model: EdgeProject,
    schema: PagesProjectRead,
    columns: {
      account_name: "(select a.name from edge_accounts a where a.organisation_id = t.organisation_id and a.id = t.account_id)",
      hostnames: `array(select l.hostname from edge_page_links l
        join domains d on d.organisation_id = l.organisation_id and d.id = l.domain_id
       where l.organisation_id = t.organisation_id and l.project_id = t.id and l.missing_at is null
         and ($3::uuid[] is null or d.company_id in (select selected_companies($3::uuid[])))
       order by l.hostname)`,
    },
  }),
  whole: { order: "t.name, t.id", by: { account_id: "uuid" }, where: "not t.gone", limit: MOST_PROJECTS },
  narrowed: true,
});
