import { projection } from "../../../core/database/projection.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { EdgePageLink } from "../models.ts";
import { PagesLinkRead } from "./page-schemas.ts";

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
