/** The client of a task on alias `t`: its own, else its project's (work chapter §3.6). */
export const CLIENT_OF = `coalesce(t.company_id, (select vp.company_id from projects vp
  where vp.organisation_id = t.organisation_id and vp.id = t.project_id))`;

/** The client of a row on alias `t` that may belong to a task: its own, else its project's, else its task's. */
export const CLIENT_THROUGH_TASK = `coalesce(${CLIENT_OF}, (select coalesce(vt.company_id, (select tp.company_id from projects tp
    where tp.organisation_id = vt.organisation_id and tp.id = vt.project_id))
  from tasks vt where vt.organisation_id = t.organisation_id and vt.id = t.task_id))`;
