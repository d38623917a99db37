import type { NamedRecord } from "../../core/database/named-record.ts";

/** A contact as other records refer to it: by first and last name, or by e-mail address. @param clients for client logins */
export const namedContact = (clients: boolean): NamedRecord => ({
  table: "contacts",
  // Must match the expression of an index on contacts, which cannot contain `concat_ws`.
  name: "coalesce(nullif(trim(coalesce(r.first_name, '') || ' ' || coalesce(r.last_name, '')), ''), r.email)",
  // Restricted staff also see contacts without a client.
  visible: (slot) =>
    clients ? `t.id in (select selected_contacts(${slot}))` : `(not t.linked or t.id in (select selected_contacts(${slot})))`,
});
