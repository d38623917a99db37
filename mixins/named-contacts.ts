import type { NamedRecord } from "../core/database/named-record.ts";

/** A contact where other records name it: by first and last name, else by e-mail address. @param clients for client logins */
export const namedContact = (clients: boolean): NamedRecord => ({
  table: "contacts",
  // An index of contacts has this expression, which `concat_ws` cannot be in.
  name: "coalesce(nullif(trim(coalesce(r.first_name, '') || ' ' || coalesce(r.last_name, '')), ''), r.email)",
  // Restricted staff also see contacts of no client.
  visible: (slot) =>
    clients ? `t.id in (select selected_contacts(${slot}))` : `(not t.linked or t.id in (select selected_contacts(${slot})))`,
});
