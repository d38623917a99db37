import { movesWhenCut, type Step, tenantTable } from "../step.ts";

/** The mails of reports: one for each recipient of a document, so that it leaves once. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table report_mails (
        -- The mail's Message-ID.
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        report_id uuid not null,
        -- The PDF it brings. A report that is made again has another one, which its recipients may get as well.
        document_id uuid not null,
        -- The address in lower case, by which a recipient is known.
        address text not null,
        email text not null,
        name text,
        contact_id uuid,
        status text not null check (status in ('sending', 'sent', 'bounced', 'failed', 'unknown')),
        reason text,
        sent_at timestamptz,
        -- The work that hands it over, and until when that may take.
        holder uuid not null,
        held_until timestamptz not null,
        unique (organisation_id, id),
        constraint report_mails_one unique (organisation_id, report_id, document_id, address),
        foreign key (organisation_id, report_id) references reports (organisation_id, id) on delete cascade,
        foreign key (organisation_id, contact_id) references contacts (organisation_id, id) on delete set null (contact_id)
      );
      create index on report_mails (organisation_id, contact_id) where contact_id is not null;
    `);
    await sql(tenantTable("report_mails", application));
    await sql(movesWhenCut("report_mails", "contact_id"));
    // The run of which the responsible person was last notified.
    await sql("alter table reports add column notified_run_id uuid");
  },
};

export default step;
