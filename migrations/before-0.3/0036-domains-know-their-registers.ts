import type { Step } from "../step.ts";

/** Tables of registers, and a row's facts about a domain: whether the register lists it, and until when it is registered. */
const REGISTERS = {
  edge_registrations: {
    column: "held_by_edge",
    there: "not h.gone",
    holds: "h.at_provider",
    // The day of an instant is that of UTC, as registries count (assets §2.2).
    expires: "(h.expires_at at time zone 'UTC')::date",
  },
  registrar_domains: {
    column: "held_by_registrar",
    there: "h.registry_status is distinct from 'gone'",
    holds: "true",
    expires: "h.expires_on",
  },
} as const;
const TABLES = Object.entries(REGISTERS);

/** A row of a register counts by its link, and by the name alone, as for a domain that was typed in after the register was read. */
const rows = TABLES.map(
  ([table, { column, there, holds, expires }]) => `
        select ${TABLES.map(([, other]) => (other.column === column ? holds : "false")).join(", ")}, ${expires}
          from ${table} h where h.organisation_id = organisation and ${there} and (h.domain_id = domain or h.name = domain_name)`,
).join(" union all");

/** One at a time for an organisation, or any number of those that `shared` at a time: a domain and a row about it may come together. */
const turn = (organisation: string, shared = "") =>
  `pg_advisory_xact_lock${shared}(hashtextextended('registers ' || ${organisation}, 0))`;

const COLUMNS = "held_by_edge, held_by_registrar, register_expires_on";

/**
 * A domain's row contains its register facts; before, a list of fifty read four indexes for each. Triggers maintain them for every write to
 * a register, and for every rename of a domain.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      alter table domains
        add column held_by_edge boolean not null default false,
        add column held_by_registrar boolean not null default false,
        add column register_expires_on date;

      -- Which registers hold a domain, and the latest expiry that one reports of it, with any registrar (assets §2.2, §2.3).
      create function registers_of(organisation uuid, domain uuid, domain_name text)
      returns table (held_by_edge boolean, held_by_registrar boolean, expires_on date) language sql stable as $$
        select coalesce(bool_or(l.edge), false), coalesce(bool_or(l.registrar), false), max(l.expires_on) from (${rows}) l (edge, registrar, expires_on) $$;

      create function ask_registers() returns trigger language plpgsql as $$
      begin
        perform ${turn("new.organisation_id", "_shared")};
        select r.held_by_edge, r.held_by_registrar, r.expires_on into new.held_by_edge, new.held_by_registrar, new.register_expires_on
          from registers_of(new.organisation_id, new.id, new.name) r;
        return new;
      end $$;
      create trigger registers_asked before insert or update of name on domains for each row execute function ask_registers();

      -- The rows that a statement wrote are told again to the domains they are about, whatever they said before.
      create function tell_domains() returns trigger language plpgsql as $$
      begin
        if not exists (select from written) then return null; end if;
        perform ${turn("w.organisation_id")} from (select distinct organisation_id from written order by 1) w;
        with concerned as (
          select d.id from written w join domains d on d.organisation_id = w.organisation_id and d.id = w.domain_id
          union
          select d.id from written w join domains d on d.organisation_id = w.organisation_id and d.name = w.name),
        said as (
          select d.id, r.* from concerned c join domains d using (id), registers_of(d.organisation_id, d.id, d.name) r
           where (d.held_by_edge, d.held_by_registrar, d.register_expires_on)
             is distinct from (r.held_by_edge, r.held_by_registrar, r.expires_on)
           order by d.id for no key update of d)
        update domains d set (${COLUMNS}) = (s.held_by_edge, s.held_by_registrar, s.expires_on) from said s where d.id = s.id;
        return null;
      end $$;
    `);
    for (const [table] of TABLES)
      await sql(
        [
          ["added", "insert", "new"],
          ["changed", "update", "new"],
          ["changed_from", "update", "old"],
          ["removed", "delete", "old"],
        ]
          .map(
            ([name, event, side]) => `
      create trigger domains_told_of_${name} after ${event} on ${table} referencing ${side} table as written
        for each statement execute function tell_domains();`,
          )
          .join(""),
      );
    await sql(`
      update domains d set (${COLUMNS}) = (r.held_by_edge, r.held_by_registrar, r.expires_on)
        from domains t, registers_of(t.organisation_id, t.id, t.name) r
       where d.id = t.id and (r.held_by_edge or r.held_by_registrar or r.expires_on is not null);
    `);
  },
};

export default step;
