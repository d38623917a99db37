import type { Step } from "./step.ts";

/**
 * A registration is linked to the domain of its name (assets §10). A domain with another name lets go of the registrations of its former
 * name, and takes those of its new name that no domain has.
 */
const step: Step = {
  async up({ sql }) {
    const moved = "version = version + 1, updated_at = statement_timestamp()";
    await sql(`
      create function pair_renamed_domain() returns trigger language plpgsql as $body$
      begin
        update registrar_domains set domain_id = null, ${moved}
          where organisation_id = new.organisation_id and domain_id = new.id and name <> new.name;
        update registrar_domains set domain_id = new.id, ${moved}
          where organisation_id = new.organisation_id and domain_id is null and name = new.name;
        return null;
      end $body$;
      create trigger pair_renamed_domain after update of name on domains for each row
        when (old.name is distinct from new.name) execute function pair_renamed_domain();
      update registrar_domains r set domain_id = null, version = r.version + 1, updated_at = statement_timestamp()
        from domains d where d.organisation_id = r.organisation_id and d.id = r.domain_id and d.name <> r.name;`);
  },
};

export default step;
