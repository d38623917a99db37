import type { Step } from "./step.ts";

/** What a look consists of, for its index. */
const CONTENT = (alias: string) =>
  `md5(${alias}.seller::text || ${alias}.brand::text || coalesce(${alias}.template::text, '')) collate "C"`;

/**
 * Documents issued from now on print the code of a bank transfer. The mark is part of their look, so those issued before print as they did,
 * also if they get another template.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      create or replace function issued_look(organisation uuid, template_id uuid, kept uuid default null)
        returns uuid language plpgsql set search_path = public as $$
      declare
        live record;
        found uuid;
      begin
        select coalesce(k.seller, s.company_details, jsonb_build_object('name', coalesce(o.brand_name, o.name))) as seller,
            coalesce(k.brand, jsonb_build_object('brand', coalesce(o.brand_name, o.name), 'logo_url', o.logo_url,
              'primary_color', o.primary_color, 'accent_color', o.accent_color, 'transfer_code', true)) as brand,
            (select t.config from invoice_templates t where t.organisation_id = o.id and t.id = template_id) as template
          into strict live
          from organisations o left join invoicing_settings s on s.organisation_id = o.id
            left join issued_looks k on k.organisation_id = o.id and k.id = kept
          where o.id = organisation;
        select l.id into found from issued_looks l
          where l.organisation_id = organisation and ${CONTENT("l")} = ${CONTENT("live")}
            and l.seller = live.seller and l.brand = live.brand and l.template is not distinct from live.template limit 1;
        if found is null then
          insert into issued_looks (organisation_id, seller, brand, template)
            values (organisation, live.seller, live.brand, live.template) returning id into found;
        end if;
        return found;
      end $$;`);
  },
};

export default step;
