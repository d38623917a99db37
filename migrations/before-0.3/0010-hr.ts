import { type Step, tenantTable } from "../step.ts";

/**
 * Documents in people's dossiers. `user_id` refers to no account on purpose: nothing a dossier holds goes with the person, only by hand
 * (people §12, "Retention").
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table hr_documents (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        user_id uuid not null,
        file_id uuid not null,
        category text not null check (category in ('contract', 'growth_plan', 'bonus', 'benefits', 'cao', 'other')),
        title text not null check (title <> ''),
        note text check (note <> ''),
        uploaded_by_name text,
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        unique (organisation_id, file_id),
        foreign key (organisation_id, file_id) references files (organisation_id, id)
      );
      create index hr_documents_of_person on hr_documents (organisation_id, user_id, created_at desc, id desc);
    `);
    await sql(tenantTable("hr_documents", application));
  },
};

export default step;
