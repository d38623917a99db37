import type { Step } from "./step.ts";

const GUARD = "current_setting('app.whole_organisation', true) is distinct from 'on'";
const KEYS = ["first_name", "last_name", "email", "phone", "other_emails", "other_phones"];

/**
 * More e-mail addresses and telephone numbers of a contact, and its birthday. Search finds the addresses, and the keys of equal contacts,
 * by which mail finds its contact too, have both.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      alter table contacts add column other_emails jsonb not null default '[]' check (jsonb_typeof(other_emails) = 'array'),
        add column other_phones jsonb not null default '[]' check (jsonb_typeof(other_phones) = 'array'),
        add column birthday date;

      create or replace function contacts_searched() returns trigger language plpgsql as $$
      begin
        new.search_text := folded(concat_ws(E'\\x1f', new.first_name, new.last_name, new.email,
          (select string_agg(o.value ->> 'email', E'\\x1f' order by o.n) from jsonb_array_elements(new.other_emails) with ordinality o(value, n))));
        return new;
      end $$;
      create or replace trigger searched before insert or update of first_name, last_name, email, other_emails on contacts
        for each row when (${GUARD}) execute function contacts_searched();
      alter table contacts enable always trigger searched;

      create or replace function keep_contact_keys() returns trigger language plpgsql set search_path = public as $$
      begin
        if tg_op = 'UPDATE' then
          delete from contact_match_keys k where k.organisation_id = new.organisation_id and k.contact_id = new.id;
        end if;
        insert into contact_match_keys (organisation_id, kind, key, contact_id) select new.organisation_id, m.kind, m.key, new.id from (
          select k.kind, k.key from contact_keys(new.first_name, new.last_name, new.email, new.phone) k
          union select 'email', left(lower(e.value ->> 'email'), 400) from jsonb_array_elements(new.other_emails) e
          union select 'phone', left(match_phone(p.value ->> 'phone'), 400) from jsonb_array_elements(new.other_phones) p
        ) m where m.key is not null;
        return null;
      end $$;
      create or replace trigger match_keys_moved after update of ${KEYS.join(", ")} on contacts for each row
        when (${GUARD} and (${KEYS.map((field) => `old.${field} is distinct from new.${field}`).join(" or ")}))
        execute function keep_contact_keys();`);
  },
};

export default step;
