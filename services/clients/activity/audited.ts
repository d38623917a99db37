/** How the trail of one kind of record may be read. */
export interface Audited {
  /** The record's own read permission, asked for beside `activity.read`. */
  permission: string;
  /** The action that answers 404 for a record outside the caller's selection, and the parameter it takes; none where no client is behind it. */
  read?: [action: string, parameter: string];
  /** True when the record is a person: somebody else's trail needs the permission at `:any`. */
  personal?: true;
}

/**
 * Every kind of record with a trail that can be read (clients chapter §5). A module that writes trail lines adds its entity type here; a type
 * that is not here has no trail to show.
 */
export const AUDITED: Readonly<Record<string, Audited>> = {
  company: { permission: "companies.company.read", read: ["companies.get", "company_id"] },
  company_group: { permission: "companies.group.manage" },
  contact: { permission: "contacts.contact.read", read: ["contacts.get", "contact_id"] },
  hr_dossier: { permission: "hr.dossier.read", personal: true },
};
