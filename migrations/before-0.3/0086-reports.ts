import { filesOfRecord, movesWhenCut, type Step, tenantTable } from "../step.ts";

/** Reports, one for each client, audience and span (workspace-reporting §1.5). */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table reports (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        -- Null once the client is deleted: a report outlives its client.
        company_id uuid,
        -- The client's name when the report was made.
        company_name text collate kantoor_text not null,
        audience text not null check (audience in ('client', 'internal')),
        status text not null default 'draft' check (status in ('draft', 'generating', 'ready', 'sent', 'failed')),
        locale text not null,
        title text not null,
        period_start date not null,
        period_end date not null,
        compare_start date not null,
        compare_end date not null,
        template_id uuid,
        published_at timestamptz,
        sent_at timestamptz,
        -- [{contact_id, email, name}], whom it was mailed to.
        sent_to jsonb not null default '[]',
        pdf_file_id uuid,
        generated_by uuid,
        generated_by_name text,
        -- [{key, title}], what is printed, in order.
        sections jsonb not null default '[]',
        -- Every figure and label the document prints; null until the figures are gathered.
        data_snapshot jsonb,
        -- The template, tone and pictures of which the document is made.
        look jsonb,
        -- {key: text}
        narrative jsonb not null default '{}',
        -- Keys of the narrative that a person wrote: a later run keeps them.
        edited_sections text[] not null default '{}',
        -- [{code, detail}]
        warnings jsonb not null default '[]',
        -- What the run in flight has gathered, [{key, title, data}], until it is frozen; null otherwise.
        gathered jsonb,
        -- The run that makes it: the last step that ended, and the status before it.
        run_id uuid,
        run_started_at timestamptz,
        run_step text,
        status_before text,
        unique (organisation_id, id),
        constraint reports_one unique (organisation_id, company_id, audience, period_start),
        check (period_start <= period_end),
        foreign key (organisation_id, company_id) references companies (organisation_id, id) on delete set null (company_id),
        foreign key (organisation_id, template_id) references report_templates (organisation_id, id)
          on delete set null (template_id),
        foreign key (organisation_id, pdf_file_id) references files (organisation_id, id) on delete set null (pdf_file_id)
      );
      create index reports_newest on reports (organisation_id, period_start desc, company_name, id);
      create index on reports (organisation_id, updated_at);
      create index on reports (organisation_id, template_id) where template_id is not null;
      create index on reports (organisation_id, pdf_file_id) where pdf_file_id is not null;
      create index reports_running on reports (run_started_at) where status = 'generating';
    `);
    await sql(tenantTable("reports", application));
    // Files of internal reports are of a kind of their own, so that who reads reports of clients alone does not see them.
    await sql(filesOfRecord("reports", "report", "internal_report"));
    await sql(movesWhenCut("reports", "company_id", "template_id", "pdf_file_id"));
  },
};

export default step;
