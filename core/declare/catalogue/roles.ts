/** The initial roles of every organisation, in order of position. Each permission declares which roles hold it by default. */
export const ROLES = [
  { key: "owner", position: 10, name: { nl: "Eigenaar", en: "Owner" } },
  { key: "admin", position: 20, name: { nl: "Beheerder", en: "Administrator" } },
  { key: "member", position: 30, name: { nl: "Medewerker", en: "Member" } },
  { key: "client", position: 40, name: { nl: "Klant", en: "Client" } },
] as const;

/** A role that holds permissions by default. The owner holds the wildcard instead. */
export type GrantedRole = Exclude<(typeof ROLES)[number]["key"], "owner">;
