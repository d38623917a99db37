import { keepsSearchText, type Step, searchedText, walkIndexes } from "../step.ts";

/** What `q` looks in; dates as `2026-01-31`. */
const FIELDS = ["title", "company_name", "period_start", "period_end"];

/** Reports are found by the words of their title, their client and their period (conventions §10). */
const step: Step = {
  async up({ sql }) {
    await sql(`
      alter table reports add column search_text text not null default '';
      -- The text alone is no change of the record: it moves no version.
      alter table reports disable trigger user;
      update reports t set search_text = ${searchedText("t", FIELDS)};
      alter table reports enable trigger user;
      ${keepsSearchText("reports", FIELDS)}
      create index reports_search on reports using gin (organisation_id, search_text gin_trgm_ops);
      ${walkIndexes("reports", "period_start desc, company_name, id")}
    `);
  },
};

export default step;
